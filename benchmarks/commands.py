"""How long the commands take: help, and building a script of 500 lines, new and unchanged."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from benchmarks.table import Figure

ROUNDS = 5
HELP_LIMIT_MS = 150
COLD_LIMIT_MS = 1000
UNCHANGED_LIMIT_MS = 200
FUNCTIONS = 62  # of eight lines each


def figures() -> Iterator[Figure]:
    """Wall time of whole commands in milliseconds, best of several, against their limits."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        script = folder / "long.rss"
        script.write_text(long_script(FUNCTIONS), encoding="utf-8")
        build = ["build", str(script), "-o", str(folder / "out")]
        yield _against(
            "flintc --help", HELP_LIMIT_MS, [_command(["--help"]) for _ in range(ROUNDS)]
        )
        yield _against("flintc build, 500 lines", COLD_LIMIT_MS, _cold(script, build))
        unchanged = [_command(build) for _ in range(ROUNDS)]
        yield _against("flintc build, unchanged", UNCHANGED_LIMIT_MS, unchanged)


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


def _cold(script: Path, build: Sequence[str]) -> list[float]:
    times = []
    for turn in range(ROUNDS):
        with script.open("a", encoding="utf-8") as file:
            file.write(f"// change {turn}\n")
        times.append(_command(build))
    return times


def _command(arguments: Sequence[str]) -> float:
    started = time.perf_counter()
    command = [sys.executable, "-m", "flintc", *arguments]
    subprocess.run(command, check=True, capture_output=True, timeout=60)
    return (time.perf_counter() - started) * 1000


def _against(name: str, limit: float, times: Sequence[float]) -> Figure:
    return Figure(name, min(times), limit, "limit", "ms", goal=1.0)
