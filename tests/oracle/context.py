"""What the generator knows at a point of the program: variables, functions, and random choices."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Final, TypeVar

T = TypeVar("T")

SCALARS: Final = ("int", "float", "bool", "string")
ARRAYS: Final = ("[int]", "[[int]]", "[map<int>]", "[string]")
MAPS: Final = ("map<int>", "map<[int]>")
CLOSURE: Final = "fn(int) -> int"
CLOSURES: Final = (CLOSURE, "fn([int]) -> [int]", "fn([int]) -> int")


@dataclass(eq=False)
class Var:
    """A variable; `touches` are the variables that calling its value may change (None: any)."""

    name: str
    type: str
    mutable: bool
    touches: set[Var] | None = field(default_factory=set)


@dataclass(eq=False)
class Named:
    """A declared function."""

    name: str
    params: tuple[str, ...]
    result: str
    touches: set[Var] | None


@dataclass(eq=False)
class Scope:
    """One body: the variables that have a value here, and every name that it ever binds."""

    outer: Scope | None
    vars: list[Var] = field(default_factory=list)
    names: set[str] = field(default_factory=set)
    functions: list[Named] = field(default_factory=list)
    touched: set[Var] = field(default_factory=set)
    loops: int = 0

    def visible(self) -> list[Var]:
        outer = self.outer.vars if self.outer is not None else []
        return [*self.vars, *(var for var in outer if var.name not in self.names)]


def element(type_: str) -> str:
    """The type of what an array or map holds."""
    return type_[4:-1] if type_.startswith("map<") else type_[1:-1]


def int_text(value: int) -> str:
    return str(value) if value >= 0 else f"(-{-value})"


class Context:
    """The current scope; `locked` variables must not change now."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)
        self.scope = Scope(None)
        self.globals: list[Named] = []
        self.locked: set[Var] = set()
        self.borrowed: set[Var] = set()  # by map loops
        self.budget = 0

    # -- choosing ------------------------------------------------------------------------

    def chance(self, percent: int) -> bool:
        return self.random.randrange(100) < percent

    def pick(self, choices: Sequence[T]) -> T:
        return choices[self.random.randrange(len(choices))]

    def vars_of(self, type_: str) -> list[Var]:
        return [var for var in self.scope.visible() if var.type == type_]

    def changeable(self, *types: str) -> list[Var]:
        fixed = self.locked | self.borrowed
        found = (var for var in self.scope.visible() if var.mutable and var not in fixed)
        return [var for var in found if not types or var.type in types]

    def may_call(self, touches: set[Var] | None) -> bool:
        return not self.locked if touches is None else not (touches & self.locked)

    def touch(self, touches: set[Var] | None) -> None:
        """Note what the body may change, for those who call it."""
        self.scope.touched |= set(self.scope.visible()) if touches is None else touches
