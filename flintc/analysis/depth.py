"""How deep calls are nested, and which functions have to know it for the limit (reference 5.8).

Only what lies on a path of more than 1,024 calls matters: functions that call themselves, directly
or through others, and what is called beside them. There, functions that are only ever called by
name are told their depth by their callers, which is exact. The others, and those that other
programs may call, count their calls in the state of the run; of these only those on cycles do.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import inf
from typing import Final, TypeAlias

from flintc.analysis.callees import Callees
from flintc.analysis.components import components, induced, reachable, reverse
from flintc.analysis.ranges import Ranges
from flintc.analysis.symbols import FunctionTarget, Resolution
from flintc.syntax import nodes

CALL_LIMIT: Final = 1024
_ESCAPED: Final = "escaped"

_Vertex: TypeAlias = nodes.Node | str
_Graph: TypeAlias = dict[_Vertex, list[_Vertex]]


@dataclass(slots=True)
class CallDepths:
    """How the limit on nested calls is kept.

    `counted`: functions and closures that count their calls in the state of the run.
    `told`: functions that have their depth as a parameter; `leaves` of them pass none on.
    `least`: how deep every other body runs at least, 0 for a file; exact if it is only called so.
    """

    counted: set[_Vertex] = field(default_factory=set)
    told: set[_Vertex] = field(default_factory=set)
    leaves: set[_Vertex] = field(default_factory=set)
    least: dict[_Vertex, float] = field(default_factory=dict)


def call_depths(resolution: Resolution, callees: Callees, ranges: Ranges) -> CallDepths:
    """Decide for all functions and closures of a program."""
    graph = _call_graph(resolution, callees)
    order = components(graph)
    cyclic = [part for part in order if len(part) > 1 or part[0] in graph[part[0]]]
    if not cyclic and len(order) <= CALL_LIMIT:
        return CallDepths()
    return _Decision(resolution, graph, order, _own_depths(ranges, cyclic)).depths


def _call_graph(resolution: Resolution, callees: Callees) -> _Graph:
    """What each function and closure may call, and what calls of unknown values may run."""
    graph: _Graph = {_ESCAPED: list(callees.escaped)}
    for owner, scope in resolution.scopes.items():
        called: dict[_Vertex, None] = {}
        for node in scope.parts_of(nodes.Call):
            known, complete = callees.known_of_call(node)
            called.update(dict.fromkeys(known))
            if not complete:
                called[_ESCAPED] = None
        graph[owner] = list(called)
    return graph


def _own_depths(ranges: Ranges, cyclic: list[list[_Vertex]]) -> dict[_Vertex, float]:
    """The most calls of each cyclic function that can be nested."""
    found: dict[_Vertex, float] = dict.fromkeys((v for part in cyclic for v in part), inf)
    for part in cyclic:
        owner = part[0]
        if len(part) == 1 and isinstance(owner, nodes.Function):
            depth = ranges.depth_of(owner)
            found[owner] = inf if depth is None or depth > CALL_LIMIT else depth
    return found


class _Decision:
    """`own` has the vertices on cycles, and how many calls of them can be nested."""

    def __init__(
        self,
        resolution: Resolution,
        graph: _Graph,
        order: list[list[_Vertex]],
        own: dict[_Vertex, float],
    ) -> None:
        self.graph = graph
        self.callers = reverse(graph)
        self.order = order
        self.own = own
        self.depths = CallDepths()
        self.deep = self._deep()
        if self.deep:
            self.by_name = self.deep & _only_called_by_name(resolution)
            self._decide_cycles()
            self._decide_below()
            self._decide_above()
            self._find_leaves()

    def _deep(self) -> set[_Vertex]:
        """What lies on a path of too many calls."""
        below = self._deepest(self.graph, self.order)
        above = self._deepest(self.callers, self.order[::-1])
        return {
            vertex
            for vertex in self.graph
            if above[vertex] + below[vertex] - min(self._own(vertex), CALL_LIMIT) > CALL_LIMIT
        }

    def _own(self, vertex: _Vertex) -> float:
        calls = isinstance(vertex, (nodes.Function, nodes.Closure))  # a file is not called
        return self.own.get(vertex, 1) if calls else 0

    def _deepest(self, graph: _Graph, order: list[list[_Vertex]]) -> dict[_Vertex, float]:
        """The most calls nested from each vertex on."""
        deepest: dict[_Vertex, float] = {}
        for part in order:
            inside = set(part)
            further = max(
                (deepest[v] for vertex in part for v in graph[vertex] if v not in inside), default=0
            )
            longest = max(map(self._own, part)) + further
            deepest.update(dict.fromkeys(part, longest))
        return deepest

    def _decide_cycles(self) -> None:
        """Cycles that may be active together keep the limit in the same way."""
        cycles = self.deep.intersection(self.own)
        ahead: set[_Vertex] = reachable(self.graph, cycles)
        behind: set[_Vertex] = reachable(self.callers, cycles)
        between = ahead & behind
        linked = {v: [*self.graph[v], *self.callers[v]] for v in between}
        for part in components(induced(linked, between)):
            told = self.by_name.issuperset(part)
            (self.depths.told if told else self.depths.counted).update(cycles.intersection(part))
        self.depths.told |= self.by_name - ahead - behind  # long chains of calls without a cycle

    def _decide_below(self) -> None:
        """What functions call that know their depth knows its own."""
        open_ = induced(self.graph, self.by_name - self.depths.counted)
        self.depths.told = reachable(open_, self.depths.told)

    def _decide_above(self) -> None:
        """Callers, the outermost first: those with more than one depth have to be told it."""
        told, least = self.depths.told, self.depths.least
        above = reachable(self.callers, told) & self.by_name - self.depths.counted
        most: dict[_Vertex, float] = {}
        for part in reversed(self.order):
            outside = {v for vertex in part for v in self.callers[vertex]}.difference(part)
            least_above = min((least[v] for v in outside), default=0)
            most_above = max((inf if v in told else most[v] for v in outside), default=0)
            for vertex in part:
                own = self._own(vertex)
                least[vertex] = 0 if vertex == _ESCAPED else least_above + min(own, 1)
                most[vertex] = most_above + own
                if vertex in above and least[vertex] != most[vertex]:
                    told.add(vertex)

    def _find_leaves(self) -> None:
        told = self.depths.told
        self.depths.leaves = {vertex for vertex in told if told.isdisjoint(self.graph[vertex])}


def _only_called_by_name(resolution: Resolution) -> set[_Vertex]:
    """The functions of the root file that nobody else may call, and that are never a value."""
    root = resolution.root
    private: set[_Vertex] = {
        node
        for node, symbol in resolution.functions.items()
        if symbol.module is root and not node.public and node.body is not None
    }
    for node, target in resolution.targets.items():
        if isinstance(node, nodes.Name) and isinstance(target, FunctionTarget):
            private.discard(target.function.node)
    return private
