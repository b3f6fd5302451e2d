"""No program ends in a Python traceback from our code: 10,000 of them, right ones and broken ones.

What compiles and ends within the oracle's patience also has to give the oracle's result. Other
programs than the last time: `pytest tests/fuzz/test_programs.py -m long --hypothesis-seed=7`.
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
from tests.oracle.interpreter import interpret
from tests.oracle.state import Outcome, OutOfSteps
from tests.oracle.values import Unsupported

CASES = 10_000
STEPS = 5_000  # of the oracle, for each program
_CODE = {Severity.ERROR: re.compile(r"E_[A-Z0-9_]+"), Severity.WARNING: re.compile(r"W_[A-Z0-9_]+")}

_SOUND = (programs.well_typed, programs.well_typed_ranges)
_DAMAGED = (
    *(programs.damaged_types(), programs.damaged_tokens()) * 2,
    *(programs.damaged_text(), programs.token_texts, programs.statements) * 2,
    programs.any_text,
)
cases = st.one_of(
    *(strategy.map(lambda text: (text, True)) for strategy in _SOUND),
    *(strategy.map(lambda text: (text, False)) for strategy in _DAMAGED),
)


def _check(text: str, is_sound: bool) -> str:
    """Compile a program, run it if it is sound, compare; a word on what it was."""
    compiled = running.compiled(text) if is_sound else _compiled(text)
    if not compiled.ok:
        assert not is_sound, f"{compiled.problems.items[0].title}\n{text}"
        return "rejected"
    expected = _expected(text)
    if expected is None:
        return "not run"
    assert running.comparable(running.run_tree(compiled)) == running.comparable(expected), _both(
        text, compiled
    )
    return "fails at run time" if expected.error else "runs"


def _compiled(text: str) -> Compiled:
    """As the commands compile; without the ownership rules if those alone forbid the program."""
    compiled = compiler.compile_text(text, running.PATH, execute.in_memory_options(record=True))
    errors = [p for p in compiled.problems.items if p.severity is Severity.ERROR]
    assert compiled.ok is not bool(errors)
    for problem in compiled.problems.items:
        _check_problem(problem, text)
    owned = bool(errors) and all(error.phase is Phase.OWNERSHIP for error in errors)
    return running.compiled(text) if owned else compiled


def _check_problem(problem: Problem, text: str) -> None:
    assert _CODE[problem.severity].fullmatch(problem.code), problem
    assert render_text(problem).startswith(f"{problem.severity.value}[{problem.code}]: ")
    assert to_json(problem)["code"] == problem.code
    if problem.span is not None:
        assert 0 <= problem.span.start <= problem.span.end <= len(text)


def _expected(text: str) -> Outcome | None:
    """The oracle's result; None where it has none (imports, hosts, endless loops)."""
    resolution = running.resolved(text)
    try:
        return None if resolution is None else interpret(resolution, STEPS)
    except (OutOfSteps, Unsupported):
        return None


def _both(text: str, compiled: Compiled) -> str:
    return f"{text}\n{compiled.modules[-1].text}"


@given(cases)
@settings(max_examples=100, suppress_health_check=list(HealthCheck))
def test_some_programs(case: tuple[str, bool]) -> None:
    event(_check(*case))


@pytest.mark.slow
@pytest.mark.long
@given(cases)
@settings(max_examples=CASES, suppress_health_check=list(HealthCheck))
def test_ten_thousand_programs(case: tuple[str, bool]) -> None:
    event(_check(*case))
