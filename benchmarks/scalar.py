"""The ten scalar programs of tests/conformance/bench: run time, compile time left out.

Each beside the same program written by hand (`scalar_peers`), and beside the reference's
interpreter, whose times were measured elsewhere (see the README there). Ours and the hand-written
one take turns in this process, and the CPU time of a run counts, so that other work on the machine
falls on both alike.
"""

from __future__ import annotations

import math
import re
import time
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from statistics import median

from benchmarks.bench import Bench
from benchmarks.table import Figure, Row
from flint.runtime.context import run
from flintc import compiler, execute

PROGRAMS = Path(__file__).resolve().parent.parent / "tests" / "conformance" / "bench"
ROUNDS = 15
_PEER_GOAL = 1.15
_REFERENCE_GOAL = 2.0


def figures(bench: Bench) -> Iterator[Row]:
    """Milliseconds of each program, and the geometric mean relative to the reference."""
    ratios: list[float] = []
    for name, expected, reference_ms in reference():
        bench.watch.begin()
        all_ours, all_peers = _measured(name, expected)
        ours = median(all_ours)
        yield Figure.of_samples(
            f"scalar {name}", all_ours, all_peers, "by hand", "ms", goal=_PEER_GOAL
        )
        yield Figure(f"scalar {name}", ours, reference_ms, "reference VM", "ms")
        ratios.append(ours / reference_ms)
    mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
    yield Figure("scalar, geometric mean", mean, 1.0, "reference VM", "x", goal=_REFERENCE_GOAL)


def _measured(name: str, expected: str) -> tuple[list[float], list[float]]:
    """CPU time of our program and of its peer, runs in turn."""
    compiled = compiler.compile_file(
        str(PROGRAMS / f"{name}.rss"), execute.in_memory_options(record=True)
    )
    program = execute.load(compiled)
    values: list[object] = []
    peer: Callable[[], object] = import_module(f"benchmarks.scalar_peers.{name}").result
    ours_ms: list[float] = []
    peer_ms: list[float] = []
    main = program.main(values.append)  # loaded once, as the peer is
    for _ in range(ROUNDS):
        ours_ms.append(_timed(lambda: run(main)))
        peer_ms.append(_timed(peer))
    for value in (values[-1], peer()):
        if str(value) != expected:
            raise AssertionError(f"{name} gave {value}, not {expected}")
    return ours_ms, peer_ms


def _timed(function: Callable[[], object]) -> float:
    started = time.process_time()
    function()
    return (time.process_time() - started) * 1000


def reference() -> Iterator[tuple[str, str, float]]:
    """Name, result and milliseconds of the reference's interpreter."""
    rows = re.findall(
        r"^\| (\w+) \| (\S+) \| ([\d.]+) ms ", (PROGRAMS / "README.md").read_text(), re.M
    )
    for name, result, milliseconds in rows:
        yield name, result, float(milliseconds)
