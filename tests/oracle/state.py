"""What a run of the oracle consists of: variables, frames, callables, and its outcome."""

from __future__ import annotations

from dataclasses import dataclass, field

from flintc.analysis.symbols import FunctionSymbol, Scope, Variable
from flintc.syntax import nodes
from tests.oracle.values import Value


class OutOfSteps(Exception):
    """The program ran longer, or made larger values, than it was given."""


class Break(Exception):
    """A `break` on its way to its loop."""


class Continue(Exception):
    """A `continue` on its way to its loop."""


@dataclass(eq=False)
class Cell:
    """The storage of one variable."""

    value: Value = None


@dataclass(eq=False)
class Frame:
    """The variables of one call, and the functions whose declaration it reached."""

    scope: Scope
    outer: Frame | None
    cells: dict[Variable, Cell] = field(default_factory=dict)
    functions: dict[FunctionSymbol, Function] = field(default_factory=dict)

    def cell(self, variable: Variable) -> Cell:
        return self.cells.setdefault(variable, Cell())


@dataclass(eq=False)
class Function:
    """A callable value: a body, its parameters, and the cells that it captured (5.8)."""

    scope: Scope
    params: list[Variable]
    body: nodes.Node
    cells: dict[Variable, Cell]
    home: Frame | None

    def __eq__(self, other: object) -> bool:
        """The same value, or the same declared function without captures (5.4)."""
        if self is other or not isinstance(other, Function):
            return self is other
        is_declared = isinstance(self.scope.owner, nodes.Function) and not self.cells
        return is_declared and self.scope is other.scope

    def __hash__(self) -> int:
        return hash(self.scope)


@dataclass(frozen=True)
class Outcome:
    """What a run shows: output, the values of top-level expression statements, and the error."""

    stdout: str
    stack: list[dict[str, object]]
    error: str | None
