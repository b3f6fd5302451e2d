"""The ownership problems of programs in memory."""

from __future__ import annotations

from flintc.analysis.ownership import check
from flintc.problems import Phase, Problem, Problems
from tests.analysis.support import analyse

# What the programs of the reference's section 4.9 take for granted, and a condition.
PRELUDE = """
fn g() -> string { "x" + "y" }
fn eat(s: string) -> string { let t = s; t }
fn peek(s: string) -> int { s.length }
let c = 1 < 2;
"""


def ownership_problems(text: str, **modules: str) -> list[Problem]:
    """The problems of a program that has no others."""
    program = analyse(text, **modules)
    assert [problem for problem in program.problems if problem.phase is Phase.PARSE] == []
    problems = Problems()
    check(program.resolution, program.typing, problems)
    assert all(problem.phase is Phase.OWNERSHIP for problem in problems.items)
    return problems.items


def found(text: str, **modules: str) -> list[str]:
    """What is reported: `CODE text of the offending use`, after the prelude's functions."""
    problems = ownership_problems(PRELUDE + text, **modules)
    return [f"{problem.code} {problem.span.text}" for problem in problems if problem.span]
