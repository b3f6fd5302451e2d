"""A compiled program, ready to run any number of times."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from types import ModuleType

Main = Callable[[], object]


@dataclass(frozen=True, slots=True)
class Program:
    """A program: its name, and `load`, which gives its `main` with no state from earlier runs.

    Immutable; runners and threads may share it.
    """

    name: str
    load: Callable[[], Main]


def as_program(program: Program | ModuleType) -> Program:
    """The program itself, or the one in an imported generated module."""
    if isinstance(program, Program):
        return program
    main = getattr(program, "main", None)
    if not callable(main):
        kind = type(program).__name__
        raise TypeError(f"a {kind} is neither a Program nor a generated module")
    return Program(program.__name__, lambda: main)
