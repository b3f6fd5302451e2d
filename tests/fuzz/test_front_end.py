"""Lexer, parser and renderer on random input: no exception, sound places, bounded time."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from dataclasses import fields
from itertools import pairwise

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
from tests.fuzz.programs import arbitrary, statements


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
@given(arbitrary)
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
@given(arbitrary)
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
@given(statements)
def test_correct_programs_have_no_problems(text: str) -> None:
    problems = Problems()
    program = parse(SourceFile("fuzz.rss", text), problems)
    codes = {problem.code for problem in problems.items}
    assert codes <= {"E_BREAK_OUTSIDE_LOOP", "E_NESTING_TOO_DEEP"}
    assert program.statements


@settings(max_examples=150)
@given(statements, st.sampled_from(["\r\n", "\t", "\u00a0", " /* c */ ", " // c\n"]))
def test_white_space_and_comments_do_not_change_the_tree(text: str, space: str) -> None:
    spaced = re.sub(r"'s'|[ \n]", lambda found: found[0] if found[0] == "'s'" else space, text)
    trees = [dump(parse(SourceFile("a.rss", t), Problems()).statements) for t in (text, spaced)]
    assert trees[0] == trees[1]
