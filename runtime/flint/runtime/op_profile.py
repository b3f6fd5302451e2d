"""How often a run called each torch host function, and for how long (cli-and-embedding.md 5.1)."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from typing import Any, ClassVar

VARIABLE = "KOHARU_TORCH_PROFILE_OPS"


def wanted() -> bool:
    """Whether the environment asks for profiles; any value does, also an empty one."""
    return VARIABLE in os.environ


class OpProfile:
    """Calls and wall time by function; devices are not waited for.

    `exists` tells host functions whether to look for the profile of their run at all.
    """

    exists: ClassVar[bool] = False

    def __init__(self) -> None:
        OpProfile.exists = True
        self.calls: dict[str, int] = {}
        self.seconds: dict[str, float] = {}

    def timed(self, name: str, function: Callable[..., Any], values: tuple[Any, ...]) -> Any:
        """The result of a call, which is counted if it succeeds."""
        start = time.perf_counter()
        result = function(*values)
        self.seconds[name] = self.seconds.get(name, 0.0) + time.perf_counter() - start
        self.calls[name] = self.calls.get(name, 0) + 1
        return result

    def lines(self) -> Iterator[str]:
        """The report, longest time first; nothing if nothing was called."""
        if self.calls:
            yield "host op profile:"
        for name in sorted(self.seconds, key=lambda name: -self.seconds[name]):
            milliseconds = 1000 * self.seconds[name]
            yield f"  {name}: count={self.calls[name]}, {milliseconds:.3f} ms"
