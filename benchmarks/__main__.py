"""`python -m benchmarks [NAME…]`: run the benchmarks (all, or those named) and print the table.

Exits with 1 when a goal is missed. Close other programs first: on two cores they count double.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator

from benchmarks import commands, compile, decode, encoders, lama, overhead, scalar, traces
from benchmarks.table import Figure, lines

BENCHMARKS: dict[str, Callable[[], Iterator[Figure] | Iterator[Figure | str]]] = {
    "decode": decode.figures,
    "commands": commands.figures,
    "scalar": scalar.figures,
    "compile": compile.figures,
    "encoders": encoders.figures,
    "lama": lama.figures,
    "overhead": overhead.figures,
    "traces": traces.figures,
}


def main(names: list[str]) -> int:
    """Run the benchmarks called `names`, or all of them; the exit code."""
    unknown = set(names) - set(BENCHMARKS)
    if unknown:
        print(
            f"error: no benchmark {', '.join(sorted(unknown))}; there are "
            f"{', '.join(BENCHMARKS)}",
            file=sys.stderr,
        )
        return 2
    figures = [figure for name in names or BENCHMARKS for figure in BENCHMARKS[name]()]
    print("\n".join(lines(figures)))
    return 0 if all(isinstance(figure, str) or figure.reached for figure in figures) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
