"""`python -m benchmarks [NAME…]`: run the benchmarks (all, or those named) and print the table.

Two threads everywhere, unless a benchmark says something else. Close other programs first: rows
that the machine was too noisy for have no figures. Exits with 1 when a goal is missed or an engine
fails, with 2 when a row could not be measured for noise.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from importlib import import_module
from pathlib import Path

from benchmarks import report
from benchmarks.bench import Bench
from benchmarks.engines.worker import EngineFailed
from benchmarks.lfm2 import KINDS
from benchmarks.table import Curve, Figure, Row, lines

BENCHMARKS = {
    **{f"lfm2-{dtype}": f"lfm2.decode {dtype}" for dtype in KINDS},
    **{f"prefill-{dtype}": f"lfm2.prefill {dtype}" for dtype in KINDS},
    "context": "context.figures",
    "curve": "context.curve",
    "startup": "startup.figures",
    "quality": "quality.figures",
    "decode": "decode.figures",
    "commands": "commands.figures",
    "scalar": "scalar.figures",
    "native": "native.figures",
    "compile": "compile.figures",
    "encoders": "encoders.figures",
    "lama": "lama.figures",
    "overhead": "overhead.figures",
    "traces": "traces.figures",
}
"""The function of each and its arguments after a `Bench`; its module is imported at its turn."""
QUICK = ("lfm2", "compile", "scalar")
RESULTS = Path(__file__).resolve().parent / "results"


def main(arguments: list[str]) -> int:
    """Run the benchmarks that are asked for; the exit code."""
    options = _options(arguments)
    bench = Bench(options.quick)
    everything: list[Row] = []
    broken = False
    for name in options.names or (chosen(QUICK) if options.quick else BENCHMARKS):
        rows: list[Row] = []
        try:
            for line in lines(_measured(name, bench, rows), options.force):
                print(line, flush=True)
        except EngineFailed as failure:
            print(f"error: {name}: {failure}", file=sys.stderr)
            broken = True
        else:
            everything += rows
            if not options.quick:
                _keep(name, rows, options.force)
    return 1 if broken else exit_code(everything, options.force)


def _measured(name: str, bench: Bench, rows: list[Row]) -> Iterator[Row]:
    """The rows, which are also added to `rows`."""
    bench.watch.begin()
    for row in function_of(name)(bench):
        bench.watch.look()
        if isinstance(row, Curve) or (isinstance(row, Figure) and row.timed):
            row = replace(row, noise=bench.watch.trouble())
        rows.append(row)
        yield row


def _keep(name: str, rows: list[Row], force: bool) -> None:
    """Add to the results, what noise was in only with `force`."""
    if _noisy(rows) and not force:
        print(f"{RESULTS.name} has no new figures of {name}: too noisy", flush=True)
    else:
        report.write(RESULTS, {name: rows})


def function_of(name: str) -> Callable[[Bench], Iterator[Row]]:
    """What runs a benchmark."""
    path, *arguments = BENCHMARKS[name].split()
    module, _, function = path.partition(".")
    found = getattr(import_module(f"benchmarks.{module}"), function)
    return lambda bench: found(bench, *arguments)


def chosen(words: Sequence[str]) -> list[str]:
    """The benchmarks that are called so or begin so: `lfm2` stands for `lfm2-f32` and others."""
    return [
        name for word in words for name in BENCHMARKS if name == word or name.startswith(f"{word}-")
    ]


def exit_code(rows: list[Row], force: bool) -> int:
    """1 if a measured goal is missed, else 2 if noise took a row, else 0."""
    noisy = [] if force else _noisy(rows)
    if any(isinstance(row, Figure) and not row.reached and row not in noisy for row in rows):
        return 1
    return 2 if noisy else 0


def _noisy(rows: list[Row]) -> list[Row]:
    return [row for row in rows if not isinstance(row, str) and row.noise is not None]


def _options(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser("python -m benchmarks", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(BENCHMARKS))
    parser.add_argument(
        "--quick", action="store_true", help=f"fewer rounds, nothing kept: {', '.join(QUICK)}"
    )
    parser.add_argument(
        "--force", action="store_true", help="figures also where the machine is noisy, with a ~"
    )
    options = parser.parse_args(arguments)
    if unknown := [word for word in options.names if not chosen([word])]:
        parser.error(f"no benchmark {', '.join(unknown)}; there are {', '.join(BENCHMARKS)}")
    options.names = chosen(options.names)
    return options


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
