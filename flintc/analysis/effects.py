"""Which arrays and maps the evaluation of an expression may change in place.

Variables of the body itself change by statements inside branches; variables that closures share
change by calls.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from flintc.analysis.call_graph import Vertex, call_graph, callee
from flintc.analysis.parts import parts
from flintc.analysis.symbols import Resolution, Scope, Variable
from flintc.syntax import nodes


@dataclass(frozen=True, slots=True)
class Effect:
    """`changed`: variables mutated by statements inside; `calls`: whether a function is called that
    may mutate variables which it shares with other bodies.
    """

    changed: frozenset[Variable] = frozenset()
    calls: bool = False

    def __bool__(self) -> bool:
        return self.calls or bool(self.changed)

    def __or__(self, other: Effect) -> Effect:
        if not other:
            return self
        return Effect(self.changed | other.changed, self.calls or other.calls) if self else other


NOTHING: Final = Effect()


class Effects:
    """Effects of the expressions of one program, found once per node."""

    def __init__(self, resolution: Resolution) -> None:
        self.resolution = resolution
        self._mutators = _mutators(resolution)
        self._known: dict[nodes.Node, Effect] = {}

    def of(self, node: nodes.Node) -> Effect:
        known = self._known.get(node)
        if known is None:
            known = self._known[node] = self._compute(node)
        return known

    def of_callee(self, node: nodes.Call) -> Effect:
        """What the called function does, without the arguments."""
        return Effect(calls=True) if callee(self.resolution, node) in self._mutators else NOTHING

    def _compute(self, node: nodes.Node) -> Effect:
        if isinstance(node, (nodes.Function, nodes.Closure)):
            return NOTHING
        effect = self.of_callee(node) if isinstance(node, nodes.Call) else NOTHING
        if isinstance(node, (nodes.IndexAssign, nodes.MemberAssign)):
            variable = self.resolution.variables.get(node)
            effect = Effect(frozenset((variable,))) if variable is not None else NOTHING
        for part in parts(node):
            effect |= self.of(part)
        return effect


def _mutators(resolution: Resolution) -> set[Vertex]:
    """The functions and closures that mutate a variable of another body, or may call one that
    does.
    """
    callers: dict[Vertex, list[Vertex]] = {}
    for caller, called in call_graph(resolution).items():
        for vertex in called:
            callers.setdefault(vertex, []).append(caller)
    scopes = resolution.scopes.items()
    pending: list[Vertex] = [owner for owner, scope in scopes if _mutates_outer(resolution, scope)]
    found = set(pending)
    while pending:
        new = [caller for caller in callers.get(pending.pop(), ()) if caller not in found]
        found.update(new)
        pending.extend(new)
    return found


def _mutates_outer(resolution: Resolution, scope: Scope) -> bool:
    if not scope.captures:
        return False
    changes = (
        resolution.variables.get(node)
        for node in scope.parts
        if isinstance(node, (nodes.IndexAssign, nodes.MemberAssign))
    )
    return any(variable in scope.captures for variable in changes if variable is not None)
