"""The advice of `flintc check`: what is correct but better written otherwise (reference 10.3)."""

from __future__ import annotations

import pytest

from flintc import compiler, driver
from flintc.analysis.lints import lint
from flintc.files import DiskFiles
from flintc.problems import Problems, Severity
from flintc.source import SourceFile

Place = tuple[str, int, int]


def advice(text: str) -> list[Place]:
    """Code, line and column of each warning for a program without errors."""
    problems = Problems()
    source = SourceFile("test.rss", text)
    facts = driver.analyse(source, DiskFiles(), compiler.host_catalogue(), problems)
    assert facts is not None
    assert [problem.title for problem in problems.items] == []
    lint(facts.resolution, facts.typing, problems)
    assert all(problem.severity is Severity.WARNING for problem in problems.items)
    assert not problems.has_errors
    return [(p.code, *p.span.position) for p in problems.items if p.span]


SEMICOLON = "W_TRAILING_SEMICOLON"


@pytest.mark.parametrize(
    ("text", "places"),
    [
        ("fn f() -> int { 1; }", [(SEMICOLON, 1, 18)]),
        ("fn f() -> int {\n    let a = 1;\n    (a) /* ; */\n    ; // ;\n}", [(SEMICOLON, 4, 5)]),
        ("fn f(a: int) -> int { ((a + 1)); }", [(SEMICOLON, 1, 32)]),
        ("fn f() -> int { fn g() -> int { 1; } g() }", [(SEMICOLON, 1, 34)]),
        ("fn f() -> int { 1 }", []),
        ("fn f() -> int = 1;", []),
        ("fn f(a: int);", []),
        ("fn f(a: bool) -> int { if a => { 1 } else => { 2 }; }", []),
        ("let a = if true => { 1; } else => { 2; };", []),
        ("1;", []),
    ],
)
def test_trailing_semicolon(text: str, places: list[Place]) -> None:
    assert advice(text) == places


LOCAL = "W_UNKNOWN_LOCAL"


@pytest.mark.parametrize(
    ("text", "places"),
    [
        ("let mut a = 1;\na = 0.5 + 1.0;", [(LOCAL, 1, 9)]),
        ("let a = 1;\nlet a = 2;", []),
        ("let mut a = [];\na[a.length] = 1;", []),
        ("let mut a = 0;\na = a + 1;\nfor i in 0..3 {\n    a += i;\n}", []),
        ("let a: int? = null;", []),
        ("let f = |x| x + 1;\nf(1);", []),
    ],
)
def test_variables_of_several_types(text: str, places: list[Place]) -> None:
    assert advice(text) == places


COUNT = "W_HOST_ARGUMENT_COUNT"


@pytest.mark.parametrize(
    ("text", "places"),
    [
        ("flint::tensor::add(1);", [(COUNT, 1, 12)]),
        ("let a: string =\n    flint::runtime::arg(0, 1);", [(COUNT, 2, 5)]),
        ("let a: string = flint::runtime::arg(0);", []),
        ("fn f(a: int) -> int { a }\nf(1);", []),
    ],
)
def test_arguments_of_host_functions(text: str, places: list[Place]) -> None:
    assert advice(f"use flint; {text}") == places


def test_a_variable_with_an_error_gets_no_advice() -> None:
    problems = Problems()
    source = SourceFile("test.rss", 'let a = 1;\nlet a = "b";\n')
    facts = driver.analyse(source, DiskFiles(), compiler.host_catalogue(), problems)
    assert facts is not None
    lint(facts.resolution, facts.typing, problems)
    assert [problem.code for problem in problems.items] == ["E_NOT_CONCRETE"]
