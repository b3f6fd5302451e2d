"""How a function or closure body uses a variable around it, as far as ownership is concerned.

Language reference 4.5; the capture mode at run time is another matter (5.8, `captures`).
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import IntEnum
from typing import TypeAlias

from flintc.analysis.captures import borrowed_name
from flintc.analysis.parts import parts
from flintc.analysis.symbols import Resolution, Scope, Variable, VariableTarget
from flintc.source import Span
from flintc.syntax import nodes


class CaptureUse(IntEnum):
    """The kinds of use from the weakest on; the strongest one of a body counts."""

    COPY = 0
    BORROW = 1
    MUTABLE_BORROW = 2
    MOVE = 3


CaptureUses: TypeAlias = dict[Variable, tuple[CaptureUse, Span]]

_CHANGES = (nodes.Assign, nodes.AddAssign, nodes.MemberAssign, nodes.IndexAssign)
_BORROWS = {"&": CaptureUse.BORROW, "&mut": CaptureUse.MUTABLE_BORROW}


def capture_uses(resolution: Resolution, scope: Scope) -> CaptureUses:
    """The variables of the enclosing body that a body uses itself, each with its strongest use
    and where that is."""
    reader = _Reader(resolution, scope)
    for part in parts(scope.owner):
        reader.visit(part)
    return reader.uses


class _Reader:
    def __init__(self, resolution: Resolution, scope: Scope) -> None:
        self.resolution = resolution
        self.outer = scope.parent
        self.uses: CaptureUses = {}

    def visit(self, node: nodes.Node) -> None:
        if isinstance(node, (nodes.Function, nodes.Closure)):
            return  # what it takes from further out is out of its reach
        if isinstance(node, nodes.Copy):
            self._wrapped(node.value, CaptureUse.COPY)
        elif isinstance(node, nodes.Unary) and node.operator in _BORROWS:
            self._wrapped(node.operand, _BORROWS[node.operator])
        else:
            self._plain(node)

    def _plain(self, node: nodes.Node) -> None:
        target = self.resolution.targets.get(node)
        if isinstance(node, nodes.ForMap):
            variable = self.resolution.variables.get(node)
            self._note(variable, CaptureUse.BORROW, node.source.span)
        elif isinstance(node, nodes.Call) and isinstance(target, VariableTarget):
            self._note(target.variable, CaptureUse.MOVE, node.path[0].span)
        else:
            name = node.name if isinstance(node, _CHANGES) else node
            self._note(self.resolution.variables.get(node), CaptureUse.MOVE, name.span)
        for part in parts(node):
            self.visit(part)

    def _wrapped(self, operand: nodes.Expr, use: CaptureUse) -> None:
        root = borrowed_name(operand)
        if root is None:
            self.visit(operand)
            return
        self._note(self.resolution.variables.get(root), use, root.span)
        for key in _keys(operand):
            self.visit(key)

    def _note(self, variable: Variable | None, use: CaptureUse, span: Span) -> None:
        if variable is None or variable.scope is not self.outer:
            return
        known = self.uses.get(variable)
        if known is None or known[0] < use:
            self.uses[variable] = (use, span)


def _keys(place: nodes.Expr) -> Iterator[nodes.Expr]:
    """The keys and bounds in `x[i].f[a:b]`."""
    while isinstance(place, (nodes.Member, nodes.Index, nodes.Slice)):
        if isinstance(place, nodes.Index):
            yield place.key
        elif isinstance(place, nodes.Slice):
            yield from (bound for bound in (place.start, place.end) if bound is not None)
        place = place.container
