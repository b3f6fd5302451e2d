"""The VS Code extension: its manifest, its grammar on all our scripts, its problem matcher.

`make vsix` does the same with vscode-textmate, where npm is; here Python's `re` stands in for
Oniguruma, which is why the grammar keeps to what both know.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from flintc.problems import Problems
from flintc.render import render_text
from flintc.source import SourceFile
from flintc.syntax.lexer import tokenize
from flintc.syntax.parser import parse
from flintc.syntax.tokens import BYTES, END, FLOAT, INT, KEYWORDS, NAME, STRING

ROOT = Path(__file__).resolve().parents[2]
EXTENSION = ROOT / "editors" / "vscode"
SCRIPTS = [
    path
    for folder in ("scripts", "flintc/stdlib")
    for path in sorted((ROOT / folder).rglob("*.rss"))
]


def _json(name: str) -> Any:
    return json.loads((EXTENSION / name).read_text(encoding="utf-8"))


MANIFEST = _json("package.json")
GRAMMAR = _json("syntaxes/rustscript.tmLanguage.json")


# -- a small engine for grammars without nested captures ------------------------------------


class Scoped(NamedTuple):
    start: int
    end: int
    scope: str


def _rules(patterns: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    for rule in patterns:
        if "include" in rule:
            yield from _rules(GRAMMAR["repository"][rule["include"][1:]]["patterns"])
        else:
            yield rule


TOP = [
    (re.compile(rule.get("match") or rule["begin"], re.M), rule)
    for rule in _rules(GRAMMAR["patterns"])
]


def scopes(text: str) -> Iterator[Scoped]:
    """The scopes of a text; a rule that begins earlier wins, then the one listed first."""
    at = 0
    ahead: list[re.Match[str] | None] = [pattern.search(text) for pattern, _ in TOP]
    while at < len(text):
        for index, found in enumerate(ahead):
            if found is not None and found.start() < at:
                ahead[index] = TOP[index][0].search(text, at)
        left = [(m, rule) for m, (_, rule) in zip(ahead, TOP, strict=True) if m is not None]
        if not left:
            return
        match, rule = min(left, key=lambda item: item[0].start())
        if "end" in rule:
            at = _end(rule, text, match.end())
            yield Scoped(match.start(), at, rule["name"])
            continue
        for number, capture in rule.get("captures", {}).items():
            if match.group(int(number)) is not None:
                yield Scoped(*match.span(int(number)), capture["name"])
        if "name" in rule:
            yield Scoped(*match.span(), rule["name"])
        at = max(match.end(), at + 1)


def _end(rule: dict[str, Any], text: str, at: int) -> int:
    """Where a range ends that an inner rule (an escape) may carry over its end."""
    inner = [each["match"] for each in _rules(rule.get("patterns", []))]
    closing = re.compile("|".join([*(f"(?:{each})" for each in inner), f"(?P<end>{rule['end']})"]))
    for match in closing.finditer(text, at):
        if match["end"] is not None:
            return match.end()
    return len(text)


# -- what it has to give --------------------------------------------------------------------


def _wanted(kind: str, text: str) -> str:
    if kind in ("true", "false", "null"):
        return "constant.language"
    if kind in KEYWORDS:
        return "storage.modifier" if kind == "pub" else "keyword"
    if kind in (STRING, BYTES):
        return "string.quoted"
    if kind in (INT, FLOAT):
        return "constant.numeric"
    if kind == NAME:
        return r"(?!keyword\.(?!control\.loop)|comment|string)"
    return r"(?:keyword\.operator|punctuation)"


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.stem)
def test_every_token_of_our_scripts_has_the_scope_of_its_kind(path: Path) -> None:
    source = SourceFile(str(path), path.read_text(encoding="utf-8"))
    tokens, comments = tokenize(source, Problems())
    given = {at: item.scope for item in scopes(source.text) for at in range(item.start, item.end)}
    for token in tokens:
        if token.kind != END:
            scope = given.get(token.start, "none")
            place = source.position(token.start)
            assert re.match(_wanted(token.kind, token.text), scope), (token.text, scope, place)
    for comment in comments:
        assert given[comment.span.start].startswith("comment")


def test_every_keyword_has_a_scope() -> None:
    for word in KEYWORDS:
        first = next(scopes(f"{word} "))
        assert (first.start, first.end) == (0, len(word))
        assert first.scope.split(".")[0] in ("keyword", "storage", "constant")


def test_the_manifest_names_files_that_exist_and_our_language() -> None:
    parts = MANIFEST["contributes"]
    named = [parts["languages"][0]["configuration"], parts["snippets"][0]["path"]]
    for name in (*named, parts["grammars"][0]["path"]):
        assert _json(name)
    languages = {parts[key][0]["language"] for key in ("grammars", "breakpoints", "snippets")}
    assert languages == {parts["languages"][0]["id"]} == {"rustscript"}
    assert parts["languages"][0]["extensions"] == [".rss"]
    assert parts["grammars"][0]["scopeName"] == GRAMMAR["scopeName"]


@pytest.mark.parametrize("name", sorted(_json("snippets/rustscript.json")))
def test_snippets_are_scripts(name: str) -> None:
    body = _json("snippets/rustscript.json")[name]["body"]
    text = body if isinstance(body, str) else "\n".join(body)
    body_of_function = "    1\n" if "fn " in text else "    "
    filled = text.replace("    $0\n", body_of_function)
    filled = re.sub(r"\$\{\d+:([^}]*)\}", r"\1", filled).replace("$0", "")
    problems = Problems()
    parse(SourceFile("snippet.rss", filled), problems)
    assert problems.items == [], filled


def test_the_problem_matcher_reads_what_flintc_prints() -> None:
    problems = Problems()
    parse(SourceFile("scripts/my file.rss", "let a = 1;\nlet b = ;\n"), problems)
    lines = render_text(problems.items[0]).splitlines()
    matcher = MANIFEST["contributes"]["problemMatchers"][0]["pattern"]
    head = re.match(matcher[0]["regexp"], lines[0])
    place = re.match(matcher[1]["regexp"], lines[1])
    assert head is not None
    assert place is not None
    assert head.group(matcher[0]["severity"], matcher[0]["code"]) == (
        "error",
        "E_EXPECTED_EXPRESSION",
    )
    keys = (matcher[1][name] for name in ("file", "line", "column"))
    assert [place.group(key) for key in keys] == ["scripts/my file.rss", "2", "9"]
