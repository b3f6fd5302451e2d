"""Which functions may call themselves, directly or through others.

Only those can reach the limit of nested calls (language reference 5.8), so only those count their
calls. A call of a value may reach every function and closure that is used as a value.
"""

from __future__ import annotations

from flintc.analysis.parts import body_parts
from flintc.analysis.symbols import FunctionTarget, Resolution, Scope, VariableTarget
from flintc.syntax import nodes

_ANY_VALUE = "any value"


def recursive_owners(resolution: Resolution) -> set[nodes.Node]:
    """The functions and closures (their nodes) that lie on a cycle of the call graph."""
    graph = _call_graph(resolution)
    return {node for node in _on_cycles(graph) if isinstance(node, nodes.Node)}


_Vertex = nodes.Node | str


def _call_graph(resolution: Resolution) -> dict[_Vertex, list[_Vertex]]:
    graph: dict[_Vertex, list[_Vertex]] = {_ANY_VALUE: []}
    for owner, scope in resolution.scopes.items():
        if not isinstance(owner, nodes.Program):
            graph[owner] = _callees(resolution, scope)
        graph[_ANY_VALUE].extend(_values(resolution, scope))
    return graph


def _callees(resolution: Resolution, scope: Scope) -> list[_Vertex]:
    callees: list[_Vertex] = []
    for node in body_parts(scope.owner):
        if not isinstance(node, nodes.Call):
            continue
        target = resolution.targets.get(node)
        if isinstance(target, FunctionTarget):
            callees.append(target.function.node)
        elif isinstance(target, VariableTarget):
            callees.append(_ANY_VALUE)
    return callees


def _values(resolution: Resolution, scope: Scope) -> list[_Vertex]:
    values: list[_Vertex] = []
    for node in body_parts(scope.owner):
        target = resolution.targets.get(node) if isinstance(node, nodes.Name) else None
        if isinstance(node, nodes.Closure):
            values.append(node)
        elif isinstance(target, FunctionTarget):
            values.append(target.function.node)
    return values


def _on_cycles(graph: dict[_Vertex, list[_Vertex]]) -> set[_Vertex]:
    """Tarjan's strongly connected components, iteratively; those with a cycle."""
    index: dict[_Vertex, int] = {}
    low: dict[_Vertex, int] = {}
    stack: list[_Vertex] = []
    on_stack: set[_Vertex] = set()
    cyclic: set[_Vertex] = set()
    for root in graph:
        if root in index:
            continue
        work: list[tuple[_Vertex, int]] = [(root, 0)]
        while work:
            vertex, position = work.pop()
            if position == 0:
                index[vertex] = low[vertex] = len(index)
                stack.append(vertex)
                on_stack.add(vertex)
            below = graph.get(vertex, [])
            if position > 0 and below[position - 1] in on_stack:
                low[vertex] = min(low[vertex], low[below[position - 1]])
            while position < len(below):
                callee = below[position]
                position += 1
                if callee not in index:
                    work.append((vertex, position))
                    work.append((callee, 0))
                    break
                if callee in on_stack:
                    low[vertex] = min(low[vertex], index[callee])
            else:
                _close(vertex, graph, index, low, stack, on_stack, cyclic)
    return cyclic


def _close(
    vertex: _Vertex,
    graph: dict[_Vertex, list[_Vertex]],
    index: dict[_Vertex, int],
    low: dict[_Vertex, int],
    stack: list[_Vertex],
    on_stack: set[_Vertex],
    cyclic: set[_Vertex],
) -> None:
    if low[vertex] != index[vertex]:
        return
    component: list[_Vertex] = []
    while True:
        member = stack.pop()
        on_stack.discard(member)
        component.append(member)
        if member == vertex:
            break
    if len(component) > 1 or vertex in graph.get(vertex, []):
        cyclic.update(component)
