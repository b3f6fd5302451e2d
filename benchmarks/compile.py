"""How fast scripts compile: lines a second of CPU time, all passes without black.

The sources are the programs `app_*` of the conformance suite one after the other, each with names
of its own, repeated up to the size wanted: dense code with functions, structs, closures and
ownership. `python -m benchmarks.compile` prints the microseconds a line of every pass. The speeds
are those of flintc as it lies here and, after `make compiled`, of flintc compiled by mypyc.
"""

from __future__ import annotations

import gc
import hashlib
import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any, Final, TypeVar

from benchmarks.bench import Bench
from benchmarks.table import Figure, Row
from flintc import compiler
from flintc.analysis import check, infer, ownership, resolve, sharing, usage
from flintc.analysis.callees import Callees
from flintc.analysis.depth import call_depths
from flintc.analysis.ranges import Ranges
from flintc.emit.context import Facts, Options
from flintc.emit.module import emit_module
from flintc.files import DiskFiles
from flintc.modules import load_program
from flintc.problems import Problems
from flintc.source import SourceFile
from flintc.stack import allow_deep_recursion

ROOT: Final = Path(__file__).resolve().parent.parent
COMPILED: Final = ROOT / ".venv/compiled"  # as `make compiled` leaves it
PROGRAMS: Final = ROOT / "tests/conformance/given/single"
SIZES: Final = (5_000, 10_000, 20_000, 50_000)
QUICK_SIZES: Final = (5_000, 10_000)
_LINES_A_SECOND: Final = 10_000
_GROWTH: Final = 1.5  # of the time that a line or term takes, from a small size to a large one
_REPEATS: Final = 10
_FRONT_END: Final = ("parse", "resolve", "infer", "check", "ownership")
_DECLARED: Final = re.compile(r"\b(?:fn|struct|let\s+mut|let|for\s+mut|for)\s+([A-Za-z_]\w*)")
_TOKEN: Final = re.compile(r'"(?:\\.|[^"\\])*"|//[^\n]*|\w+')
_INTERPOLATED: Final = re.compile(r"(?<=\{)\w+")
_BUILT_IN: Final = frozenset({"mut", "copy", "has", "keys", "length", "print", "println"})

T = TypeVar("T")


def figures(bench: Bench) -> Iterator[Row]:
    """Lines a second of the passes that find problems, of everything, and the growth."""
    plain = measured(ROOT, bench.quick)
    yield from _speeds("", plain, None if COMPILED.exists() else 1.0)
    if COMPILED.exists():
        by_mypyc = measured(COMPILED, bench.quick)
        assert by_mypyc["emitted"] == plain["emitted"], "flintc compiled by mypyc emits other code"
        yield from _speeds("mypyc: ", by_mypyc, 1.0)
    else:
        yield "`make compiled` adds the speed of flintc compiled by mypyc"
    short, long = (_seconds(_sum(terms)) / terms * 1e6 for terms in (500, 5_000))
    yield Figure("compile, 5000 terms, a term", long, short, "500 terms", "us", goal=_GROWTH)
    for what, nested in _NESTED.items():
        flat, deep = (_seconds(nested(depth)) / depth * 1e6 for depth in (200, 1_000))
        title = f"compile 1000 nested {what}, each"
        yield Figure(title, deep, flat, "200 deep", "us", goal=_GROWTH)


def _speeds(prefix: str, run: dict[str, Any], goal: float | None) -> Iterator[Figure]:
    a_line: dict[str, dict[str, float]] = run["passes"]
    for size, passes in a_line.items():
        front = sum(passes[name] for name in _FRONT_END)
        for name, seconds in (("check", front), ("compile", sum(passes.values()))):
            yield Figure(
                f"{prefix}{name} {size} lines",
                1 / seconds,
                _LINES_A_SECOND,
                "the goal",
                "lines/s",
                higher_is_better=True,
                goal=goal,
            )
    first, *_, last = (sum(passes.values()) * 1e6 for passes in a_line.values())
    yield Figure(f"{prefix}compile, time a line", last, first, "5000 lines", "us", goal=_GROWTH)


def measured(root: Path, quick: bool) -> dict[str, Any]:
    """What `--json` of this module prints in a process that takes flintc from `root`."""
    path = os.pathsep.join([str(root), str(ROOT), str(ROOT / "runtime")])
    sizes = map(str, QUICK_SIZES if quick else SIZES)
    done = subprocess.run(
        [sys.executable, "-P", "-m", "benchmarks.compile", "--json", *sizes],
        env=os.environ | {"PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=True,
    )
    result: dict[str, Any] = json.loads(done.stdout)
    return result


def _sum(terms: int) -> str:
    return "let x = 3; let y = " + " + ".join(["x"] * terms) + "; print(y);"


_NESTED: Final[dict[str, Callable[[int], str]]] = {
    "brackets": lambda depth: f"let x = {'(' * depth}1{')' * depth};",
    "sums": lambda depth: f"let x = {'(1 + ' * depth}1{')' * depth};",
    "calls": lambda depth: f"fn f(n: int) -> int {{ n }} f({'f(' * depth}1{')' * depth});",
    "branches": lambda depth: (f"let x = {'if 1 < 2 => { ' * depth}1{' } else => { 0 }' * depth};"),
}


def _seconds(text: str) -> float:
    """CPU time to compile a text."""
    assert compiler.compile_text(text).ok
    started = time.process_time()
    for _ in range(_REPEATS):
        compiler.compile_text(text)
    return (time.process_time() - started) / _REPEATS


def source(lines: int) -> str:
    """A sound program of about so many lines."""
    programs = _programs()
    texts: list[str] = []
    count = 0
    while count < lines:
        texts.append(_renamed(programs[len(texts) % len(programs)], f"v{len(texts)}"))
        count += texts[-1].count("\n")
    return "".join(texts)


@cache
def _programs() -> list[str]:
    """Those that compile after renaming (it touches the keys of JSON texts, for example)."""
    texts = [path.read_text(encoding="utf-8") for path in sorted(PROGRAMS.glob("app_*.rss"))]
    return [text for text in texts if compiler.compile_text(_renamed(text, "x")).ok]


def _renamed(text: str, suffix: str) -> str:
    names = set(_DECLARED.findall(text)) - _BUILT_IN

    def rename(match: re.Match[str]) -> str:
        word = match[0]
        if word.startswith('"'):
            return _INTERPOLATED.sub(rename, word)
        return f"{word}_{suffix}" if word in names else word

    return _TOKEN.sub(rename, text)


def _per_line(text: str) -> dict[str, float]:
    """Seconds of CPU time a line, pass by pass."""
    clock = _Clock()
    gc.collect()
    gc.disable()  # as the driver does
    try:
        _compile(text, clock)
    finally:
        gc.enable()
    return {name: seconds / text.count("\n") for name, seconds in clock.seconds.items()}


class _Clock:
    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}

    def time(self, name: str, function: Callable[[], T]) -> T:
        started = time.process_time()
        result = function()
        self.seconds[name] = time.process_time() - started
        return result


def _compile(text: str, clock: _Clock) -> None:
    """The passes of `flintc.driver`, timed one by one."""
    allow_deep_recursion()
    problems, catalogue = Problems(), compiler.host_catalogue()
    file = SourceFile("program.rss", text)
    modules = clock.time("parse", lambda: load_program(file, DiskFiles(), problems))
    resolution = clock.time("resolve", lambda: resolve.resolve(modules, catalogue, problems))
    typing = clock.time("infer", lambda: infer.infer(resolution, catalogue, problems))
    clock.time("check", lambda: check.check(resolution, typing, problems))
    clock.time("ownership", lambda: ownership.check(resolution, typing, problems))
    assert not problems.has_errors, problems.items[0].title
    uses = clock.time("usage", lambda: usage.collect(resolution))
    copies = clock.time("sharing", lambda: sharing.find_copies(resolution, typing, uses))
    callees = clock.time("callees", lambda: Callees(resolution, typing, uses))
    ranges = clock.time("ranges", lambda: Ranges(resolution, typing, uses, callees))
    depths = clock.time("depth", lambda: call_depths(resolution, callees, ranges))
    facts = Facts(resolution, typing, uses, copies, ranges, depths)
    clock.time("emit", lambda: [emit_module(facts, m, Options()) for m in resolution.modules])


def _emitted() -> str:
    """A digest of the Python of all programs, without the folder that flintc lies in."""
    digest = hashlib.sha256()
    options = Options(shown_path=os.path.basename)
    for text in _programs():
        for module in compiler.compile_text(text, options=options).modules:
            digest.update(module.text.encode())
    return digest.hexdigest()


def main(arguments: list[str]) -> int:
    """Print a row a size and a column a pass, in microseconds a line; as JSON for programs."""
    if arguments[:1] == ["--json"]:
        passes = {size: _per_line(source(int(size))) for size in arguments[1:]}
        print(json.dumps({"passes": passes, "emitted": _emitted()}))
        return 0
    for size in SIZES:
        passes_a_line = _per_line(source(size))
        if size == SIZES[0]:
            print(f"{'lines':>8}" + "".join(f"{name:>10}" for name in passes_a_line) + "     all")
        row = "".join(f"{seconds * 1e6:>10.1f}" for seconds in passes_a_line.values())
        print(f"{size:>8}{row}{sum(passes_a_line.values()) * 1e6:>8.0f}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
