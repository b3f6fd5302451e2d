"""Whether the machine is quiet enough to measure on: fixed work repeated, and what others use.

Between the rounds of a benchmark the same memory is read and the same Python loop runs; their speed
must not vary by more than `MOST_SPREAD`. While nothing of ours runs, other programs and the host of
a virtual machine must leave the processors alone but for `MOST_BUSY` of their time.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks.table import spread

MOST_SPREAD = 0.15
MOST_BUSY = 0.15
THREADS = 2
_BYTES = 256 * 2**20  # beyond every cache
_SETTLE_SECONDS, _NAP_SECONDS = 0.05, 0.1
_STAT = Path("/proc/stat")


@dataclass(frozen=True, slots=True)
class Look:
    """One look at the machine: memory in GB/s, a Python loop in ms, the share others use."""

    bandwidth: float
    loop: float
    busy: float


@dataclass(slots=True)
class Watch:
    """Looks at the machine while a benchmark runs."""

    looker: Callable[[], Look] = field(default_factory=lambda: look)
    looks: list[Look] = field(default_factory=list)

    def begin(self) -> None:
        """Forget the looks: another measurement starts."""
        self.looks.clear()
        self.look()

    def look(self) -> None:
        """Have one look, a fifth of a second long."""
        self.looks.append(self.looker())

    @property
    def bandwidth(self) -> float:
        """GB/s that `THREADS` threads read from memory, the median since `begin`."""
        return median(look.bandwidth for look in self.looks)

    def trouble(self) -> str | None:
        """What makes the measurement since `begin` worthless, None if nothing does."""
        return trouble(self.looks)


def trouble(looks: Sequence[Look]) -> str | None:
    """The first thing that is beyond its bound."""
    busy = median(look.busy for look in looks)
    if busy > MOST_BUSY:
        return f"others use {busy:.0%} of the processors"
    for what, values in (
        ("the speed of memory", [look.bandwidth for look in looks]),
        ("the time of a Python loop", [look.loop for look in looks]),
    ):
        if (found := spread(values)) > MOST_SPREAD:
            return f"{what} varies by {found:.0%}"
    return None


def look() -> Look:
    """Measure now; everything of ours should be idle."""
    time.sleep(_SETTLE_SECONDS)
    busy = _busy_share()
    return Look(bandwidth(), _loop_milliseconds(), busy)


def bandwidth() -> float:
    """GB/s of `THREADS` threads that sum floats, the best of three."""
    import torch

    threads = torch.get_num_threads()
    torch.set_num_threads(THREADS)
    try:
        return _BYTES / 1e9 / min(_seconds(_floats().sum) for _ in range(3))
    finally:
        torch.set_num_threads(threads)


@cache
def _floats() -> Any:
    import torch

    return torch.ones(_BYTES // 4)


def _loop_milliseconds() -> float:
    return 1000 * min(_seconds(_loop) for _ in range(3))


def _loop() -> int:
    total = 0
    for number in range(100_000):
        total += number & 7
    return total


def _seconds(function: Callable[[], object]) -> float:
    started = time.perf_counter()
    function()
    return time.perf_counter() - started


def _busy_share() -> float:
    """Of all processors' time while we sleep, stolen time included; 0 where Linux's file lacks."""
    if not _STAT.exists():
        return 0.0
    before = _processor_times()
    time.sleep(_NAP_SECONDS)
    passed = [after - earlier for after, earlier in zip(_processor_times(), before, strict=True)]
    idle = passed[3] + passed[4]
    return 1 - idle / max(1, sum(passed))


def _processor_times() -> list[int]:
    """Of user, nice, system, idle, iowait, irq, softirq and steal, in ticks (proc(5))."""
    first_line = _STAT.read_text(encoding="ascii").partition("\n")[0]
    return [int(word) for word in first_line.split()[1:9]]
