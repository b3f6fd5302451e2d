"""The ten scalar programs of tests/conformance/bench, beside the times of the reference.

Those were measured elsewhere (see the README there), so the ratios are for orientation.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from pathlib import Path

import flint
from benchmarks.table import Figure

PROGRAMS = Path(__file__).resolve().parent.parent / "tests" / "conformance" / "bench"
ROUNDS = 3


def figures() -> Iterator[Figure]:
    """Run time in milliseconds, without compiling, best of several."""
    for name, reference_ms in _reference_times():
        program = flint.compile_script_file(PROGRAMS / f"{name}.rss").program
        runner = flint.ScriptRunner()
        best = min(_timed(runner, program) for _ in range(ROUNDS))
        yield Figure(f"scalar {name}", best, reference_ms, "reference VM", "ms")


def _timed(runner: flint.ScriptRunner, program: flint.Program) -> float:
    started = time.perf_counter()
    runner.run_text(program)
    return (time.perf_counter() - started) * 1000


def _reference_times() -> Iterator[tuple[str, float]]:
    rows = re.findall(
        r"^\| (\w+) \| \S+ \| ([\d.]+) ms ", (PROGRAMS / "README.md").read_text(), re.M
    )
    for name, milliseconds in rows:
        yield name, float(milliseconds)
