"""What belongs to one run of a program: open files, call depth, callable numbers, settings.

The runner opens a state with `run_state()`; everything else reads `current()`.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Protocol

from flint.lang.errors import CALL_LIMIT

# A script call takes a few Python frames: the function, its depth counter, `calls.call`, and
# comprehensions or library functions between two script functions.
_FRAMES_PER_CALL = 8
_FRAMES_OF_HOST = 2000
_RECURSION_LIMIT = CALL_LIMIT * _FRAMES_PER_CALL + _FRAMES_OF_HOST


class Closable(Protocol):
    """Something that the end of a run closes."""

    def close(self) -> None:
        """Release the resource; must not raise."""


@dataclass(slots=True)
class JitSettings:
    """Settings of `jit::`; stored for programs that read them back, without further effect."""

    enabled: bool = False
    hot_loop_threshold: int = 2
    max_trace_len: int = 512


@dataclass(slots=True)
class RunState:
    """The state of one run. `depth` counts the nested calls of `calls.recursive` functions."""

    depth: int = 0
    handles: dict[int, Closable] = field(default_factory=dict)
    jit: JitSettings = field(default_factory=JitSettings)
    _next_handle: int = 1
    _callables: dict[int, tuple[int, object]] = field(default_factory=dict)

    def register(self, resource: Closable) -> int:
        """Keep a resource until the run ends; returns its handle, numbered from 1."""
        handle = self._next_handle
        self._next_handle += 1
        self.handles[handle] = resource
        return handle

    def callable_number(self, function: Callable[..., object]) -> int:
        """The small number that identifies a function value in texts of this run."""
        # the function is kept so that its id() cannot be reused
        number, _ = self._callables.setdefault(id(function), (len(self._callables), function))
        return number

    def close(self) -> None:
        """Close everything that the program left open."""
        while self.handles:
            self.handles.popitem()[1].close()


# The default serves functions of generated modules that are called outside any run.
_STATE: ContextVar[RunState] = ContextVar("flint_run_state", default=RunState())  # noqa: B039

current: Callable[[], RunState] = _STATE.get
"""The state of the run in progress."""


@contextmanager
def run_state() -> Iterator[RunState]:
    """Start a run with fresh state, and release what it left open at its end."""
    _raise_recursion_limit()
    state = RunState()
    token = _STATE.set(state)
    try:
        yield state
    finally:
        _STATE.reset(token)
        state.close()


def _raise_recursion_limit() -> None:
    """Let Python go deep enough; never lowered again, as other threads may rely on it."""
    if sys.getrecursionlimit() < _RECURSION_LIMIT:
        sys.setrecursionlimit(_RECURSION_LIMIT)
