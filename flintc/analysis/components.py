"""Graphs: strongly connected components, the reverse, what is reachable."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import TypeVar

V = TypeVar("V")


def components(graph: Mapping[V, Iterable[V]]) -> list[list[V]]:
    """The components, each after those that it points to (Tarjan's algorithm, without recursion).

    Vertices that are pointed to must be keys of the graph.
    """
    index: dict[V, int] = {}
    low: dict[V, int] = {}
    stack: list[V] = []
    found: list[list[V]] = []
    for root in graph:
        if root in index:
            continue
        index[root] = low[root] = len(index)
        stack.append(root)
        work = [(root, iter(graph[root]))]
        while work:
            vertex, below = work[-1]
            for target in below:
                if target not in index:
                    index[target] = low[target] = len(index)
                    stack.append(target)
                    work.append((target, iter(graph[target])))
                    break
                if low[target] >= 0:
                    low[vertex] = min(low[vertex], low[target])
            else:
                work.pop()
                if work:
                    parent = work[-1][0]
                    low[parent] = min(low[parent], low[vertex])
                if low[vertex] == index[vertex]:
                    found.append(_close(vertex, stack, low))
    return found


def _close(vertex: V, stack: list[V], low: dict[V, int]) -> list[V]:
    """Take a finished component off the stack; its vertices are marked with -1."""
    start = len(stack) - 1
    while stack[start] != vertex:
        start -= 1
    component = stack[start:]
    del stack[start:]
    for member in component:
        low[member] = -1
    return component


def reverse(graph: Mapping[V, Iterable[V]]) -> dict[V, list[V]]:
    """The graph with every edge turned round."""
    turned: dict[V, list[V]] = {vertex: [] for vertex in graph}
    for source, targets in graph.items():
        for target in targets:
            turned[target].append(source)
    return turned


def reachable(graph: Mapping[V, Iterable[V]], starts: Iterable[V]) -> set[V]:
    """The vertices that the graph leads to from these, and these themselves."""
    found = set(starts)
    pending = list(found)
    while pending:
        new = {vertex for vertex in graph[pending.pop()] if vertex not in found}
        found |= new
        pending.extend(new)
    return found


def induced(graph: Mapping[V, Iterable[V]], vertices: Collection[V]) -> dict[V, list[V]]:
    """The graph that is left of `graph` with these vertices only."""
    return {v: [target for target in graph[v] if target in vertices] for v in vertices}
