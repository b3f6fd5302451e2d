"""Lexer, parser and renderer on random input: no exception, sound places, bounded time."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from dataclasses import fields
from functools import cache
from itertools import pairwise
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from flintc.problems import Problems
from flintc.render import render_text, to_json
from flintc.source import SourceFile
from flintc.syntax.codes import SYNTAX_CODES
from flintc.syntax.dump import dump
from flintc.syntax.lexer import tokenize
from flintc.syntax.nodes import Node, Program
from flintc.syntax.parser import parse
from flintc.syntax.tokens import KEYWORDS, LONG_PUNCTUATION, SHORT_PUNCTUATION

GIVEN = Path(__file__).resolve().parent.parent / "conformance" / "given"
WORDS = sorted(
    KEYWORDS
    | set(LONG_PUNCTUATION)
    | set(SHORT_PUNCTUATION)
    | {"a", "b", "f", "int", "string", "array", "mut", "in", "_", "Some", "None", "Option", "self"}
    | {"0", "1.5", "9223372036854775808", "'s'", '"t"', 'b"u"', "copy", "unwrap_or", "has", "print"}
    | {"// c\n", "/* d */", "\n", " ", "length"}
)
token_texts = st.lists(st.sampled_from(WORDS), max_size=60).map(" ".join)
# Nearly right programs reach deeper into the parser than random words.
_names = st.sampled_from(["a", "b", "c"])
_expressions = st.recursive(
    _names | st.sampled_from(["1", "2.5", "'s'", "null", "true", "{}", "[]"]),
    lambda inner: st.one_of(
        st.tuples(inner, st.sampled_from(["+", "*", "==", "&&", "||", "-"]), inner).map(" ".join),
        inner.map("({})".format),
        inner.map("-{}".format),
        st.tuples(_names, inner).map(lambda pair: "{}({})".format(*pair)),
        st.tuples(_names, inner).map(lambda pair: "|{}| {}".format(*pair)),
        st.tuples(_names, inner).map(lambda pair: "{}[{}]".format(*pair)),
        st.tuples(_names, inner).map(lambda pair: "{{{}: {}}}".format(*pair)),
        st.tuples(inner, inner).map(lambda pair: "[{}, {}]".format(*pair)),
        st.tuples(inner, inner).map(lambda pair: "match {} {{ 1 => {}, _ => 0 }}".format(*pair)),
        st.tuples(inner, inner, inner).map(
            lambda parts: "if ({}) => {{ {} }} else => {{ {} }}".format(*parts)
        ),
    ),
    max_leaves=12,
)
_simple = st.one_of(
    _expressions.map("({});".format),
    st.tuples(_names, _expressions).map(lambda pair: "let {} = {};".format(*pair)),
    st.tuples(_names, _expressions).map(lambda pair: "{} = {};".format(*pair)),
)
_statements = st.recursive(
    _simple,
    lambda inner: st.one_of(
        st.tuples(_expressions, inner).map(lambda pair: "if ({}) {{ {} }}".format(*pair)),
        st.tuples(_expressions, inner).map(lambda pair: "while ({}) {{ {} break; }}".format(*pair)),
        st.tuples(_names, inner, _expressions).map(
            lambda parts: "fn {}(x: int) -> int {{ {} {} }}".format(*parts)
        ),
        st.tuples(inner, inner).map("\n".join),
    ),
    max_leaves=8,
)


@cache
def corpus() -> list[str]:
    paths = sorted(GIVEN.glob("single/*.rss"))
    return [path.read_bytes().decode() for path in paths]


@st.composite
def mutated_programs(draw: st.DrawFn) -> str:
    """A conformance program with a few pieces cut out, doubled or replaced."""
    text = draw(st.sampled_from(corpus()))
    for _ in range(draw(st.integers(1, 4))):
        start = draw(st.integers(0, len(text)))
        end = min(len(text), start + draw(st.integers(0, 12)))
        piece = draw(st.sampled_from(["", text[start:end] * 2, *WORDS]) | st.text(max_size=3))
        text = text[:start] + piece + text[end:]
    return text


any_text = st.text(st.characters(codec=None, exclude_categories=()), max_size=80)
sources = st.one_of(any_text, token_texts, _statements, mutated_programs())


def children(node: Node) -> Iterator[Node]:
    for field in fields(node):
        if field.name == "comments":
            continue
        value = getattr(node, field.name)
        for item in value if isinstance(value, tuple) else (value,):
            if isinstance(item, Node):
                yield item


def check_spans(program: Program) -> None:
    """Every node lies in its parent and in the text; statements follow one another."""
    todo: list[Node] = [program]
    while todo:
        node = todo.pop()
        inner = list(children(node))
        for child in inner:
            assert node.span.start <= child.span.start <= child.span.end <= node.span.end, (
                dump(node),
                dump(child),
            )
        statements = getattr(node, "statements", ())
        for before, after in pairwise(statements):
            assert before.span.end <= after.span.start
        todo += inner


@settings(max_examples=400)
@given(sources)
def test_any_text_is_read_without_an_exception(text: str) -> None:
    problems = Problems()
    begin = time.process_time()
    program = parse(SourceFile("fuzz.rss", text), problems)
    assert time.process_time() - begin < 1 + len(text) / 1000
    check_spans(program)
    broken = re.search("Error(Expr|Statement)", dump(program))
    assert problems.items or not broken
    for problem in problems.items:
        assert problem.code in SYNTAX_CODES
        assert problem.span is not None
        assert 0 <= problem.span.start <= problem.span.end <= len(text)
        assert render_text(problem).encode().count(b"^") >= 1
        assert to_json(problem)["line"] >= 1


@settings(max_examples=300)
@given(sources)
def test_tokens_comments_and_gaps_are_the_file(text: str) -> None:
    file, problems = SourceFile("fuzz.rss", text), Problems()
    tokens, comments = tokenize(file, problems)
    pieces = sorted(
        [(t.start, t.end, t.text) for t in tokens]
        + [(c.span.start, c.span.end, c.text) for c in comments]
    )
    at = 0
    for start, end, piece in pieces:
        assert text[start:end] == piece
        assert start >= at
        if not problems.items:
            assert not text[at:start].strip()
        at = max(at, end)
    assert at == len(text)


@settings(max_examples=150)
@given(_statements)
def test_correct_programs_have_no_problems(text: str) -> None:
    problems = Problems()
    program = parse(SourceFile("fuzz.rss", text), problems)
    codes = {problem.code for problem in problems.items}
    assert codes <= {"E_BREAK_OUTSIDE_LOOP", "E_NESTING_TOO_DEEP"}
    assert program.statements


@settings(max_examples=150)
@given(_statements, st.sampled_from(["\r\n", "\t", "\u00a0", " /* c */ ", " // c\n"]))
def test_white_space_and_comments_do_not_change_the_tree(text: str, space: str) -> None:
    spaced = re.sub(r"'s'|[ \n]", lambda found: found[0] if found[0] == "'s'" else space, text)
    trees = [dump(parse(SourceFile("a.rss", t), Problems()).statements) for t in (text, spaced)]
    assert trees[0] == trees[1]
