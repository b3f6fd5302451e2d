"""How long the commands take: help, building a script of 500 lines, and running it unchanged."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from benchmarks.bench import Bench
from benchmarks.table import Figure, Row

ROUNDS = 7
HELP_LIMIT_MS = 150
COLD_LIMIT_MS = 1000
UNCHANGED_LIMIT_MS = 200
RUN_LIMIT_MS = 50
FUNCTIONS = 62  # of eight lines each
_ROOT = Path(__file__).resolve().parent.parent


def figures(bench: Bench) -> Iterator[Row]:
    """Wall time of whole commands in milliseconds, against their limits."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        script = folder / "long.rss"
        script.write_text(long_script(FUNCTIONS), encoding="utf-8")
        build = ["-m", "flintc", "build", str(script), "-o", str(folder / "out")]
        times = bench.race(
            {
                "flintc --help": lambda: _python(folder, "-m", "flintc", "--help"),
                "flintc build, 500 lines": lambda: _python_after_change(script, folder, build),
                "flintc build, unchanged": lambda: _python(folder, *build),
            },
            ROUNDS,
        )
        limits = (HELP_LIMIT_MS, COLD_LIMIT_MS, UNCHANGED_LIMIT_MS)
        for (title, measured), limit in zip(times.items(), limits, strict=True):
            yield Figure.of_samples(title, measured, [limit] * ROUNDS, "limit", "ms", goal=1.0)
        yield _run_beside_module(bench, script, folder)


def _run_beside_module(bench: Bench, script: Path, folder: Path) -> Figure:
    """What `flintc run` adds to the module that `flintc build` wrote."""
    times = bench.race(
        {
            "run": lambda: _python(folder, "-m", "flintc", "run", str(script)),
            "module": lambda: _python(folder, "-m", "out.long"),
        },
        ROUNDS,
    )
    added = [run - module for run, module in zip(times["run"], times["module"], strict=True)]
    limits = [RUN_LIMIT_MS] * ROUNDS
    return Figure.of_samples("flintc run adds, unchanged", added, limits, "limit", "ms", goal=1.0)


def long_script(functions: int) -> str:
    """A script of about eight lines a function, with loops, branches, arrays and calls."""
    parts = []
    for number in range(functions):
        parts.append(
            f"// step {number}\n"
            f"fn step{number}(values: [int], limit: int) -> int {{\n"
            "    let mut total = 0;\n"
            "    for i in 0..values.length {\n"
            f"        if values[i] < limit {{ total = total + values[i] * {number + 1}; }}\n"
            "    }\n"
            "    total\n"
            "}\n"
        )
    calls = "".join(f"println(step{number}([1, 2, 3], 3));\n" for number in range(4))
    return "".join(parts) + calls


def _python_after_change(script: Path, folder: Path, arguments: Sequence[str]) -> float:
    with script.open("a", encoding="utf-8") as file:
        file.write("// a change\n")
    return _python(folder, *arguments)


def _python(folder: Path, *arguments: str) -> float:
    """Milliseconds of a Python process in `folder`."""
    started = time.perf_counter()
    path = os.pathsep.join([str(_ROOT), str(_ROOT / "runtime")])
    subprocess.run(
        [sys.executable, *arguments],
        check=True,
        capture_output=True,
        timeout=60,
        cwd=folder,
        env=os.environ | {"PYTHONPATH": path},
    )
    return (time.perf_counter() - started) * 1000
