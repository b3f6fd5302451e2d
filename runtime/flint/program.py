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


def from_python(name: str, text: str, filename: str) -> Program:
    """A program from the Python text that the compiler produced; `filename` is for tracebacks."""
    code = compile(text, filename, "exec")

    def load() -> Main:
        module = ModuleType(name)
        module.__file__ = filename
        exec(code, module.__dict__)
        main: Main = module.main
        return main

    return Program(name, load)


def as_program(program: Program | ModuleType) -> Program:
    """The program itself, or the one in an imported generated module."""
    if isinstance(program, Program):
        return program
    main = getattr(program, "main", None)
    if not callable(main):
        raise TypeError(f"{program!r} is neither a Program nor a generated module")
    return Program(program.__name__, lambda: main)
