"""Who may call whom. A call of a value may reach every function and closure used as a value."""

from __future__ import annotations

from typing import Final, TypeAlias

from flintc.analysis.symbols import FunctionTarget, Resolution, Scope, VariableTarget
from flintc.syntax import nodes

ANY_VALUE: Final = "any value"

Vertex: TypeAlias = nodes.Node | str
CallGraph: TypeAlias = dict[Vertex, list[Vertex]]


def call_graph(resolution: Resolution) -> CallGraph:
    """What each function and closure (its node) may call, and what `ANY_VALUE` may be."""
    graph: CallGraph = {ANY_VALUE: []}
    for owner, scope in resolution.scopes.items():
        if not isinstance(owner, nodes.Program):
            graph[owner] = _callees(resolution, scope)
        graph[ANY_VALUE].extend(_values(resolution, scope))
    return graph


def callee(resolution: Resolution, node: nodes.Call) -> Vertex | None:
    """The script function that a call runs, None for builtins and host functions."""
    target = resolution.targets.get(node)
    if isinstance(target, FunctionTarget):
        return target.function.node
    return ANY_VALUE if isinstance(target, VariableTarget) else None


def _callees(resolution: Resolution, scope: Scope) -> list[Vertex]:
    called = (callee(resolution, node) for node in scope.parts_of(nodes.Call))
    return [vertex for vertex in called if vertex is not None]


def _values(resolution: Resolution, scope: Scope) -> list[Vertex]:
    values: list[Vertex] = []
    for node in scope.parts:
        target = resolution.targets.get(node) if isinstance(node, nodes.Name) else None
        if isinstance(node, nodes.Closure):
            values.append(node)
        elif isinstance(target, FunctionTarget):
            values.append(target.function.node)
    return values
