"""Which variables of enclosing bodies a function or closure body holds, and how (reference 5.8)."""

from __future__ import annotations

from typing import Final

from flintc.analysis.symbols import Capture, Scope, Variable
from flintc.syntax import nodes

_STRENGTH: Final = {Capture.OWNED: 0, Capture.SNAPSHOT: 1, Capture.SHARED: 2}


def capture(scope: Scope, variable: Variable, mode: Capture) -> int:
    """Note a use of `variable` in the body of `scope`; the strongest use of a body wins.

    Bodies in between only pass the variable on. Returns how many bodies further out the variable
    lives: 0 is a variable of the body's own, and more than 1 is out of reach.
    """
    distance = 0
    at: Scope | None = scope
    while at is not None and at is not variable.scope:
        _note(at, variable, mode if distance == 0 else Capture.OWNED)
        distance += 1
        at = at.parent
    return distance


def _note(scope: Scope, variable: Variable, mode: Capture) -> None:
    known = scope.captures.get(variable)
    if known is None or _STRENGTH[known] < _STRENGTH[mode]:
        scope.captures[variable] = mode


def borrowed_name(operand: nodes.Expr) -> nodes.Name | None:
    """The variable that `&operand` borrows: `x`, or the root of `x.f`, `x[i]` and `x[a:b]`."""
    while isinstance(operand, (nodes.Member, nodes.Index, nodes.Slice)):
        operand = operand.container
    return operand if isinstance(operand, nodes.Name) else None
