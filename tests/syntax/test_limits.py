"""Deep and long programs: a clear problem or a flat tree, in time linear in the text."""

from __future__ import annotations

import inspect
import sys
import time

import pytest

from flintc.problems import Problems
from flintc.source import SourceFile
from flintc.syntax.cursor import MAX_DEPTH
from flintc.syntax.nodes import ExprStatement, Operation, Program
from flintc.syntax.parser import parse

N = 10_000
SECONDS = 10.0  # about a hundred times what a linear parser needs


def read(text: str) -> tuple[Program, list[str]]:
    problems = Problems()
    begin = time.process_time()
    program = parse(SourceFile("test.rss", text), problems)
    assert time.process_time() - begin < SECONDS
    return program, [problem.code for problem in problems.items]


@pytest.mark.parametrize(
    "text",
    [
        f"{'(' * N}1{')' * N};",
        "(" * N,
        "[" * N,
        f"{'[' * N}{']' * N};",
        "{" * N,
        "{[" * N,
        f"{'-' * N}1;",
        f"{'!&' * N}a;",
        f"a{'.b' * N};",
        f"a{'[1]' * N};",
        f"a{'[b' * N}",
        f"{'f(' * N}{')' * N};",
        f"{'|x| ' * N}1;",
        f"{'while a {' * N}{'}' * N}",
        f"if a {{ }} {'else if a { } ' * N}",
        f"let a = if b => {{ 1 }} {'else if b => { 1 } ' * N}else => {{ 1 }};",
        f"{'match a { 1 => ' * N}",
        f"let a: {'array<' * N}int{'>' * N} = 1;",
        f"let a: int{'[]' * N} = 1;",
        f"let a: {'fn(' * N}",
        f"let a: {'fn() -> ' * N}int = 1;",
    ],
)
def test_nesting_is_limited_with_one_problem(text: str) -> None:
    assert read(text)[1] == ["E_NESTING_TOO_DEEP"]


def test_the_height_of_a_tree_is_limited_where_nesting_is_not_deep() -> None:
    text = "a"
    for _ in range(4):
        text = f"({text}){'.b' * (MAX_DEPTH // 3)}"
    assert read(f"{text};")[1] == ["E_NESTING_TOO_DEEP"]


@pytest.mark.parametrize(
    "text",
    [
        f"{'(' * 100}x{' - 1)' * 100};",
        "".join(f"for i{k} in 0..2 {{ " for k in range(40)) + "n = n + 1; " + "}" * 40,
        f"if a {{ }} {'else if a { } ' * 100}",
        f"match a {{ {'(' * N}1{')' * N} => 1, _ => 2 }};",
        f"f(a){';f(a)' * N};",
        "let a = 1; // c\n" * N,
        "'" + "x" * 1_000_000 + "';",
        "1" + "0" * 1_000_000 + ".0;",
        f"[{','.join(['a'] * N)}];",
        f"{'fn f() { if (if a => { b } else => { c }) { d; } e } ' * 1000}",
        "fn f() { " + "if ((((a)))) { b; } " * 2000 + "c }",
    ],
)
def test_long_and_moderately_deep_programs_are_read(text: str) -> None:
    assert read(text)[1] == []


@pytest.mark.parametrize(
    "text",
    [
        ";" * N,
        "let " * N,
        "while a {" * N,
        f"let a = {'if b => { ' * N}",
        f"fn f() {{ {'if ' * N}",
        "}" * N,
        "if " * N,
        "else " * N,
        "import = 1; " * N,
        "import a; " * N,
        "print(); " * N,
        "a[" * N,
        "{[a]: " * N,
        "f::<" * N,
        "use a::" * N,
        "fn f<" * N,
        "'\\q';" * N,
        "@ " * N,
        "/*" * N,
        "\\" * N,
        "'\\" * N,
        "let a = (1; " * N,
        "for (" * N,
        f"f({'1,' * N}1);",
        f"|{'a,' * N}a| 1;",
    ],
)
def test_broken_programs_take_linear_time(text: str) -> None:
    assert read(text)[1]


def test_a_sum_is_one_flat_node() -> None:
    program, problems = read(" + ".join(["a"] * 5000) + ";")
    assert not problems
    (statement,) = program.statements
    assert isinstance(statement, ExprStatement)
    assert isinstance(statement.value, Operation)
    assert len(statement.value.operands) == 5000


def test_mixed_levels_are_flat_too() -> None:
    program, problems = read(" || ".join(["a * b + c < d"] * 2000) + ";")
    assert not problems
    (statement,) = program.statements
    assert isinstance(statement, ExprStatement)
    assert isinstance(statement.value, Operation)
    assert len(statement.value.operands) == 2000


@pytest.mark.parametrize(
    "text",
    [
        f"{'f(' * N}1{')' * N};",
        f"{'-(' * N}1{')' * N};",
        f"{'fn f() { ' * 59}{'[' * N}",
        f"let a = {'if a => { let a = (' * N}",
        f"let a = {'if a == (if a => { |x| a.has(' * N}",
        f"{'while a { if -(if a => { match a { _ => ' * N}",
    ],
)
def test_the_stack_of_python_suffices(text: str) -> None:
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(len(inspect.stack(0)) + 850)  # the parser raises it
    try:
        codes = read(text)[1]
    finally:
        sys.setrecursionlimit(limit)
    assert "E_NESTING_TOO_DEEP" in codes
