"""Python written from a tree reads back as that tree."""

from __future__ import annotations

import ast

import pytest

from flintc.emit import unparse

EXPRESSIONS = [
    "a + b - c * d // e % f / g",
    "a - (b - c)",
    "(a + b) * -(c - d)",
    "- -a",
    "-(a.b) + ~a",
    "(-1).bit_length()",
    "5 .real + 5.0.real",
    "1e309 - 1.5e-07",
    "not (a and b) or c and (d or e)",
    "a or b or not c or d",
    "(a < b) == (c <= d)",
    "a is not None and b not in c",
    "not a == b",
    "(a if b else c) if (d if e else f) else g if h else i",
    "(a if b else c) + (lambda: d)()",
    "lambda x, y=1, *, z, w=2: (x, y)",
    "lambda: 0",
    "f(a, *b, c=1, **d)",
    "x[1:2, ::3][a, b][(c,)][:][-1]",
    "dict[str, int] | None",
    "[(), (a,), (a, b), []]",
    "{'a': 1, **b, 'c': {2: 3}}",
    "{a, b}",
    "[x for x in y if x if not x]",
    r"'\n\\\'\"\x00é😀' + b'\xff'.decode()",
    "True, None, ...",
    "f'{a}b{c + d}{{}}{e:>10}'",
    "f'{a if b else c}\\n'",
    "f\"{a['b']}'\"",
    "f'{ {1: 2}[1] }'",
    "f'{a!r}'",
    "f'{lambda_}{(lambda: 1)}'",
    "await_(x) ** y @ z",
]
STATEMENTS = [
    "a = b = c, d",
    "a, b = c",
    "(a, *b), c.d = e",
    "a: int = 1",
    "a: int",
    "a.b: int = 1",
    "a.b += c or d",
    "a <<= b",
    "return",
    "return a, b",
    "'text'",
    "raise A from b",
    "del a[0]",
]
HEADERS = [
    "for a, b in c or d:",
    "while not a:",
    "@a.b(c)\n@d\ndef e(f: int, g: str = 'h', *, i: T = j, k) -> dict[str, int]:",
    "def a():",
    "class A(B[C], total=False):",
    "class A:",
]


@pytest.mark.parametrize("text", EXPRESSIONS)
def test_expression(text: str) -> None:
    tree = ast.parse(text, mode="eval")
    assert ast.dump(ast.parse(unparse.expression(tree.body), mode="eval")) == ast.dump(tree)


@pytest.mark.parametrize("text", STATEMENTS)
def test_statement(text: str) -> None:
    statement = ast.parse(f"def f():\n    {text}").body[0]
    assert isinstance(statement, ast.FunctionDef)
    written = ast.parse(f"def f():\n    {unparse.statement(statement.body[0])}")
    assert ast.dump(written.body[0]) == ast.dump(statement)


@pytest.mark.parametrize("text", HEADERS)
def test_header(text: str) -> None:
    statement = ast.parse(f"{text}\n    pass").body[0]
    assert isinstance(statement, ast.For | ast.While | ast.FunctionDef | ast.ClassDef)
    written = ast.parse(f"{unparse.header(statement)}\n    pass")
    assert ast.dump(written.body[0]) == ast.dump(statement)
