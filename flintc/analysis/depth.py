"""Which functions have to count their calls, so that nesting too deeply is the script's error.

Only functions that may call themselves, directly or through others, can reach the limit of nested
calls (language reference 5.8). One of them need not count if the arguments show how deep it goes,
and all that can be active together stays below the limit.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, TypeAlias

from flintc.analysis.callees import Callees
from flintc.analysis.components import components
from flintc.analysis.parts import body_parts
from flintc.analysis.ranges import Ranges
from flintc.analysis.symbols import Resolution
from flintc.syntax import nodes

_CALL_LIMIT: Final = 1024
_ESCAPED: Final = "escaped"

_Vertex: TypeAlias = nodes.Node | str
_CallGraph: TypeAlias = dict[_Vertex, list[_Vertex]]


def counted_owners(resolution: Resolution, callees: Callees, ranges: Ranges) -> set[nodes.Node]:
    """The functions and closures (their nodes) that count their calls."""
    graph = _call_graph(resolution, callees)
    order = components(graph)
    cyclic = [part for part in order if len(part) > 1 or part[0] in graph[part[0]]]
    depths = _depths(ranges, cyclic)
    if not depths:
        return _owners(cyclic)
    unbounded = [part for part in cyclic if part[0] not in depths]
    near = _reaching(graph, unbounded) | _reaching(_reverse(graph), unbounded)
    below = _deepest(graph, order, depths)
    above = _deepest(_reverse(graph), order[::-1], depths)
    free = {
        owner
        for owner, depth in depths.items()
        if owner not in near and above[owner] + below[owner] - depth <= _CALL_LIMIT
    }
    return _owners(cyclic) - free


def _call_graph(resolution: Resolution, callees: Callees) -> _CallGraph:
    """What each function and closure may call, and what calls of unknown values may run."""
    graph: _CallGraph = {_ESCAPED: list(callees.escaped)}
    for owner in resolution.scopes:
        called: dict[_Vertex, None] = {}
        for node in body_parts(owner):
            if isinstance(node, nodes.Call):
                known = callees.of_call(node)
                called.update(dict.fromkeys((_ESCAPED,) if known is None else known))
        graph[owner] = list(called)
    return graph


def _owners(parts: Iterable[list[_Vertex]]) -> set[nodes.Node]:
    return {vertex for part in parts for vertex in part if isinstance(vertex, nodes.Node)}


def _depths(ranges: Ranges, cyclic: list[list[_Vertex]]) -> dict[nodes.Node, int]:
    """The cycles of one function that its arguments bound."""
    found: dict[nodes.Node, int] = {}
    for part in cyclic:
        owner = part[0]
        if len(part) == 1 and isinstance(owner, nodes.Function):
            depth = ranges.depth_of(owner)
            if depth is not None and depth <= _CALL_LIMIT:
                found[owner] = depth
    return found


def _reverse(graph: _CallGraph) -> _CallGraph:
    reverse: _CallGraph = {vertex: [] for vertex in graph}
    for caller, called in graph.items():
        for vertex in called:
            reverse[vertex].append(caller)
    return reverse


def _reaching(graph: _CallGraph, parts: list[list[_Vertex]]) -> set[_Vertex]:
    """Everything that the graph leads to from these vertices."""
    pending = [vertex for part in parts for vertex in part]
    found = set(pending)
    while pending:
        new = {vertex for vertex in graph[pending.pop()] if vertex not in found}
        found |= new
        pending.extend(new)
    return found


def _deepest(
    graph: _CallGraph, order: list[list[_Vertex]], depths: dict[nodes.Node, int]
) -> dict[_Vertex, int]:
    """The most calls nested from each vertex on; cycles without a bound do not matter here."""
    deepest: dict[_Vertex, int] = {}
    for part in order:
        inside = set(part)
        further = max(
            (deepest[v] for vertex in part for v in graph[vertex] if v not in inside), default=0
        )
        for vertex in part:
            counts = isinstance(vertex, nodes.Function | nodes.Closure)  # a file does not
            own = depths.get(vertex, 1) if counts else 0  # type: ignore[arg-type]
            deepest[vertex] = own + further
    return deepest
