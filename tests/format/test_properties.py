"""For every text only white space changes, twice changes nothing more, and cost is linear."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from flintc.problems import Problems
from flintc.source import SourceFile
from flintc.syntax.format import format_source
from flintc.syntax.lexer import tokenize

_WORDS = "pub use as fn struct let for if else match while break continue true null in mut a b f x0"
_MARKS = "+ += - * / % ! != = == => < <= > >= & && | || ( ) [ ] { } , ; : ? . .. ..= ... -> :: ?."
_LITERALS = ["1", "0x1F", "2.5", "'c'", '"d"', 'b"e"']
_TOKENS = [*_WORDS.split(), *_MARKS.split(), *_LITERALS]
_COMMENTS = ["// note\n", "/* inline */", "/* two\n   lines */", "//\n"]
_GAPS = ["", " ", "  ", "\n", "\n\n\n", "\t", "\r\n", *_COMMENTS]

soup = st.lists(st.tuples(st.sampled_from(_TOKENS), st.sampled_from(_GAPS)), max_size=60).map(
    lambda pairs: "".join(token + gap for token, gap in pairs)
)


def words(text: str) -> tuple[list[tuple[str, str]], list[str]] | None:
    """Kinds and texts of the tokens, and the comments; None for text that is not tokens."""
    problems = Problems()
    tokens, comments = tokenize(SourceFile("t.rss", text), problems)
    if problems.items:
        return None
    return [(token.kind, token.text) for token in tokens], [comment.text for comment in comments]


def formatted(text: str) -> str | None:
    return format_source(SourceFile("t.rss", text), Problems())


def check_properties(text: str) -> None:
    once = formatted(text)
    expected = words(text)
    assert (once is None) == (expected is None)
    if once is not None:
        assert words(once) == expected
        assert formatted(once) == once
        assert once == "" or (once.endswith("\n") and not once.endswith("\n\n"))


@settings(max_examples=400)
@given(soup)
def test_any_tokens(text: str) -> None:
    check_properties(text)


@pytest.mark.slow
@pytest.mark.long
@settings(max_examples=20_000)
@given(soup)
def test_any_tokens_at_length(text: str) -> None:
    check_properties(text)


@given(st.text(alphabet=" \nab1.'\"/*+-=<>|&(){}[],;:?\\@ö", max_size=40))
def test_any_text(text: str) -> None:
    check_properties(text)


def test_real_programs(root: Path) -> None:
    """Every third program of the conformance suite, the library and the scripts."""
    files = [
        *sorted((root / "tests/conformance/given").rglob("*.rss"))[::3],
        *sorted((root / "flintc/stdlib/rss").glob("*.rss")),
        *sorted((root / "scripts").rglob("*.rss")),
    ]
    assert len(files) > 250
    for file in files:
        check_properties(file.read_bytes().decode("utf-8"))


def test_our_own_scripts_are_formatted(root: Path) -> None:
    for file in [*(root / "flintc/stdlib/rss").glob("*.rss"), *(root / "scripts").rglob("*.rss")]:
        text = file.read_text(encoding="utf-8")
        assert formatted(text) == text, file


@pytest.mark.slow
@pytest.mark.parametrize(
    "unit",
    [
        "let a = f(b, [1, 2], {c: 3});\n",
        "if a < b => { c } else => { d } ",
        "fn f(a: map<array<int>>) -> int { a }\n",
        "f((a < b, [",
        "a<b, ",
        "{[(",
        "// note\n",
        "a + ",
    ],
)
def test_cost_is_linear(unit: str) -> None:
    def seconds(count: int) -> float:
        file = SourceFile("t.rss", unit * count)
        start = time.process_time()
        assert format_source(file, Problems()) is not None
        return time.process_time() - start

    small, large = (min(seconds(count) for _ in range(2)) for count in (300, 2400))
    assert large < 24 * small + 0.05
