"""What `flintc build --native` gains: the ten scalar programs compiled to C, and as Python.

Both kinds of module are imported as users import them and take turns in this process; CPU time
counts. The programs print their results, which are compared. Nothing here has a goal.
"""

from __future__ import annotations

import io
import math
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import redirect_stdout
from importlib import import_module
from pathlib import Path
from statistics import median

from benchmarks.bench import Bench
from benchmarks.scalar import PROGRAMS, reference
from benchmarks.table import Figure, Row
from flint.runtime.context import run
from flintc.cli import building

ROUNDS = 15
_COMPILED, _PYTHON = "bench_compiled", "bench_python"


def figures(bench: Bench) -> Iterator[Row]:
    """Milliseconds of each program, and the geometric mean relative to Python."""
    results = {name: expected for name, expected, _ in reference()}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        yield _built(folder, list(results))
        sys.path.insert(0, name)
        try:
            yield from _compared(bench, results)
        finally:
            sys.path.remove(name)


def _built(folder: Path, names: list[str]) -> str:
    """Build both packages; how long that took."""
    files = [str(_printing(folder, name)) for name in names]
    started = time.perf_counter()
    for package in (_PYTHON, _COMPILED):
        if building.build(files, str(folder / package), "text", native=package == _COMPILED):
            raise AssertionError(f"{package} cannot be built")
    return f"both packages built in {time.perf_counter() - started:.1f} s"


def _printing(folder: Path, name: str) -> Path:
    """A program that prints its result, the value of its last statement."""
    *lines, last = (PROGRAMS / f"{name}.rss").read_text().rstrip().splitlines()
    path = folder / f"{name}.rss"
    path.write_text("\n".join([*lines, f"println({last.rstrip(';')});", ""]))
    return path


def _compared(bench: Bench, results: dict[str, str]) -> Iterator[Row]:
    ratios: list[float] = []
    for name, expected in results.items():
        bench.watch.begin()
        compiled, plain = _measured(name, expected)
        ratios.append(median(compiled) / median(plain))
        yield Figure.of_samples(f"native {name}", compiled, plain, "as Python", "ms")
    mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
    yield Figure("native, geometric mean", mean, 1.0, "as Python", "x")


def _measured(name: str, expected: str) -> tuple[list[float], list[float]]:
    mains: list[Callable[[], object]] = [
        import_module(f"{package}.{name}").main for package in (_COMPILED, _PYTHON)
    ]
    samples: tuple[list[float], list[float]] = ([], [])
    for _ in range(ROUNDS):
        for main, times in zip(mains, samples, strict=True):
            printed = io.StringIO()
            with redirect_stdout(printed):
                started = time.process_time()
                run(main)
                times.append((time.process_time() - started) * 1000)
            if printed.getvalue() != f"{expected}\n":
                raise AssertionError(f"{name} gave {printed.getvalue()}, not {expected}")
    return samples
