"""What a benchmark is given: how thorough to be, and how to let sides take turns."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from benchmarks.noise import Watch


@dataclass(frozen=True, slots=True)
class Bench:
    """`quick` asks for fewer rounds and sizes; `watch` looks at the machine meanwhile."""

    quick: bool = False
    watch: Watch = field(default_factory=Watch)

    def race(
        self, sides: dict[str, Callable[[], float]], rounds: int, warm_up: bool = True
    ) -> dict[str, list[float]]:
        """What the sides measured, round by round; each round another side is first.

        `warm_up` lets everyone run once before.
        """
        names = list(sides)
        for name in names if warm_up else ():
            sides[name]()
        self.watch.begin()
        measured: dict[str, list[float]] = {name: [] for name in names}
        for turn in range(rounds):
            first = turn % len(names)
            for name in names[first:] + names[:first]:
                measured[name].append(sides[name]())
            self.watch.look()
        return measured
