"""No program ends in a Python traceback from our code: 10,000 of them, right ones and broken ones.

What compiles and ends within the oracle's patience also has to give the oracle's result. Other
programs than the last time: `pytest tests/fuzz/test_programs.py -m slow --hypothesis-seed=random`.
"""

from __future__ import annotations

import re

import pytest
from hypothesis import HealthCheck, event, given, settings
from hypothesis import strategies as st

from flintc import compiler, execute
from flintc.driver import Compiled
from flintc.problems import Phase, Problem, Severity
from flintc.render import render_text, to_json
from tests.fuzz import programs
from tests.oracle import running
from tests.oracle.state import Outcome, OutOfSteps
from tests.oracle.values import Unsupported

CASES = 10_000
STEPS = 5_000  # of the oracle, for each program
_CODE = re.compile(r"E_[A-Z0-9_]+")

damaged = st.one_of(
    programs.damaged_types(),
    programs.damaged_types(),
    programs.damaged_tokens(),
    programs.arbitrary,
)
cases = st.one_of(
    programs.well_typed.map(lambda text: (text, True)), damaged.map(lambda text: (text, False))
)


def _check(text: str, is_sound: bool) -> str:
    """Compile a program, run it if it is sound, compare; a word on what it was."""
    compiled = compiler.compile_text(text, running.PATH, execute.in_memory_options(record=True))
    errors = [p for p in compiled.problems.items if p.severity is Severity.ERROR]
    for problem in compiled.problems.items:
        _check_problem(problem, text)
    assert compiled.ok is not bool(errors)
    if errors and (is_sound or all(error.phase is Phase.OWNERSHIP for error in errors)):
        compiled = running.compiled(text)  # which does not ask for what only has to be declared
    if not compiled.ok:
        assert not is_sound, f"{compiled.problems.items[0].title}\n{text}"
        return "rejected"
    expected = _expected(text)
    if expected is None:
        return "not run"
    assert _shown(running.run_tree(compiled)) == _shown(expected), _both(text, compiled)
    return "fails at run time" if expected.error else "runs"


def _check_problem(problem: Problem, text: str) -> None:
    assert _CODE.fullmatch(problem.code), problem
    assert render_text(problem).startswith(f"error[{problem.code}]: ")
    assert to_json(problem)["code"] == problem.code
    if problem.span is not None:
        assert 0 <= problem.span.start <= problem.span.end <= len(text)


def _expected(text: str) -> Outcome | None:
    """The oracle's result; None where it has none, and running could take any time."""
    try:
        return running.expected(text, STEPS)
    except (OutOfSteps, Unsupported):
        return None


def _shown(outcome: Outcome) -> tuple[object, ...]:
    stack = None if outcome.error else [running.plain(value) for value in outcome.stack]
    return outcome.stdout.replace("-NaN", "NaN"), stack, outcome.error


def _both(text: str, compiled: Compiled) -> str:
    return f"{text}\n{compiled.modules[-1].text}"


@given(cases)
@settings(max_examples=100, suppress_health_check=list(HealthCheck))
def test_some_programs(case: tuple[str, bool]) -> None:
    event(_check(*case))


@pytest.mark.slow
@given(cases)
@settings(max_examples=CASES, suppress_health_check=list(HealthCheck))
def test_ten_thousand_programs(case: tuple[str, bool]) -> None:
    event(_check(*case))
