"""`python -m benchmarks [NAME…]`: run the benchmarks (all, or those named) and print the table.

Two threads everywhere, unless a benchmark says something else. Close other programs first: rows
that the machine was too noisy for have no figures. Exits with 1 when a goal is missed, with 2 when
a row could not be measured for noise.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from importlib import import_module
from pathlib import Path

from benchmarks import report
from benchmarks.bench import Bench
from benchmarks.table import Figure, Row, lines

BENCHMARKS = {
    "lfm2": "lfm2.decode",
    "prefill": "lfm2.prefill",
    "context": "context.figures",
    "curve": "context.curve",
    "startup": "startup.figures",
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
"""The function of each takes a `Bench` and yields rows; its module is imported at its turn."""
QUICK = ("lfm2", "compile", "scalar")
RESULTS = Path(__file__).resolve().parent / "results"


def main(arguments: list[str]) -> int:
    """Run the benchmarks that are asked for; the exit code."""
    options = _options(arguments)
    bench = Bench(options.quick)
    sections: dict[str, list[Row]] = {}
    for name in options.names or (QUICK if options.quick else BENCHMARKS):
        sections[name] = list(_measured(name, bench))
        print(f"\n{name}", *lines(sections[name], options.force), sep="\n", flush=True)
    if not options.quick:
        _keep(sections, options.force)
    return exit_code([row for rows in sections.values() for row in rows], options.force)


def _keep(sections: dict[str, list[Row]], force: bool) -> None:
    """Write the results, those of benchmarks with noisy rows only with `force`."""
    kept = {name: rows for name, rows in sections.items() if force or not _noisy(rows)}
    report.write(RESULTS, kept)
    if dropped := [name for name in sections if name not in kept]:
        print(f"\n{RESULTS.name} has no new figures of {', '.join(dropped)}: too noisy")


def _measured(name: str, bench: Bench) -> Iterator[Row]:
    bench.watch.begin()
    for row in _function(name)(bench):
        bench.watch.look()
        yield row if isinstance(row, str) else replace(row, noise=bench.watch.trouble())


def _function(name: str) -> Callable[[Bench], Iterator[Row]]:
    module, _, function = BENCHMARKS[name].partition(".")
    found: Callable[[Bench], Iterator[Row]] = getattr(
        import_module(f"benchmarks.{module}"), function
    )
    return found


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
    if unknown := sorted(set(options.names) - set(BENCHMARKS)):
        parser.error(f"no benchmark {', '.join(unknown)}; there are {', '.join(BENCHMARKS)}")
    return options


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
