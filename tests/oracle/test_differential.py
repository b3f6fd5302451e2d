"""Compiled programs against the oracle: random ones, and the programs behind bugs that were fixed.

To look into a seed: `python -m tests.oracle.generator SEED` (or `ranges_generator`,
`gifts_generator`) prints its program.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.oracle import generator, gifts_generator, ranges_generator, running
from tests.oracle.gift_programs import GIFTS
from tests.oracle.regressions import PROGRAMS
from tests.oracle.state import OutOfSteps

_STEPS = 20_000
_BATCH = 20
_QUICK = [0]  # numbers of the first program of a batch
_MORE = range(_BATCH, 100, _BATCH)
_FIRST = [*_QUICK, *(pytest.param(first, marks=pytest.mark.slow) for first in _MORE)]


def _check(text: str) -> bool:
    """Compare one program; False where the oracle gave up on a long run."""
    try:
        want = running.comparable(running.expected(text, _STEPS))
    except OutOfSteps:
        return False
    compiled = running.compiled(text)
    assert compiled.ok, f"{compiled.problems.items[0].title}\n{text}"
    assert running.comparable(running.run_tree(compiled)) == want, text
    python = compiled.modules[-1].text
    assert running.comparable(running.run_text(compiled)) == want, f"{text}\n{python}"
    return True


def _check_seeds(generate: Callable[[int], str], seeds: range) -> None:
    compared = sum(_check(generate(seed)) for seed in seeds)
    # five of six are short enough; a batch of 20 has chance enough to hold 12
    assert compared > len(seeds) * 0.5, "too many programs that run too long"


@pytest.mark.parametrize("first", _FIRST)
def test_random_programs(first: int) -> None:
    _check_seeds(generator.generate, range(first, first + _BATCH))


@pytest.mark.parametrize("first", _FIRST)
def test_random_ranges(first: int) -> None:
    _check_seeds(ranges_generator.generate, range(first, first + _BATCH))


@pytest.mark.parametrize("first", _FIRST)
def test_random_gifts(first: int) -> None:
    _check_seeds(gifts_generator.generate, range(first, first + _BATCH))


@pytest.mark.slow
@pytest.mark.long
@pytest.mark.parametrize(
    "generate", [generator.generate, ranges_generator.generate, gifts_generator.generate]
)
@pytest.mark.parametrize("first", range(10_000, 12_000, 100))
def test_many_random_programs(first: int, generate: Callable[[int], str]) -> None:
    _check_seeds(generate, range(first, first + 100))


@pytest.mark.parametrize("name", PROGRAMS)
def test_fixed_bug(name: str) -> None:
    assert _check(PROGRAMS[name])


@pytest.mark.parametrize("name", GIFTS)
def test_a_gift(name: str) -> None:
    assert _check(GIFTS[name])


def test_a_wrong_result_is_noticed() -> None:
    """The comparison itself: another program's outcome is not this one's."""
    one, other = (running.compiled(f"let a = [{n}]; println(a); a;") for n in (1, 2))
    assert running.comparable(running.run_tree(one)) != running.comparable(running.run_tree(other))
    assert running.comparable(running.run_tree(one)) == running.comparable(
        running.expected("let a = [1]; println(a); a;")
    )
