"""Which functions may call themselves, directly or through others.

Only those can reach the limit of nested calls (language reference 5.8), so only those count their
calls.
"""

from __future__ import annotations

from flintc.analysis.call_graph import CallGraph, Vertex, call_graph
from flintc.analysis.symbols import Resolution
from flintc.syntax import nodes


def recursive_owners(resolution: Resolution) -> set[nodes.Node]:
    """The functions and closures (their nodes) that lie on a cycle of the call graph."""
    graph = call_graph(resolution)
    return {node for node in _on_cycles(graph) if isinstance(node, nodes.Node)}


def _on_cycles(graph: CallGraph) -> set[Vertex]:
    """Tarjan's strongly connected components, iteratively; those with a cycle."""
    index: dict[Vertex, int] = {}
    low: dict[Vertex, int] = {}
    stack: list[Vertex] = []
    on_stack: set[Vertex] = set()
    cyclic: set[Vertex] = set()
    for root in graph:
        if root in index:
            continue
        work: list[tuple[Vertex, int]] = [(root, 0)]
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
    vertex: Vertex,
    graph: CallGraph,
    index: dict[Vertex, int],
    low: dict[Vertex, int],
    stack: list[Vertex],
    on_stack: set[Vertex],
    cyclic: set[Vertex],
) -> None:
    if low[vertex] != index[vertex]:
        return
    component: list[Vertex] = []
    while True:
        member = stack.pop()
        on_stack.discard(member)
        component.append(member)
        if member == vertex:
            break
    if len(component) > 1 or vertex in graph.get(vertex, []):
        cyclic.update(component)
