"""Where each variable is bound, mutated in place, and read."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from dataclasses import dataclass, field
from functools import cached_property

from flintc.analysis.parts import parts
from flintc.analysis.symbols import Capture, Resolution, Scope, Variable
from flintc.source import Span
from flintc.syntax import nodes


@dataclass(eq=False)
class Uses:
    """The uses of one variable. A binding is the node that stores into the variable as a whole.

    The questions are answered from sorted positions that are made once, since programs use one name
    for thousands of loops.
    """

    bindings: list[nodes.Node] = field(default_factory=list)
    mutations: list[nodes.Node] = field(default_factory=list)
    reads: list[nodes.Node] = field(default_factory=list)
    bound_in_loop: bool = False
    shared: bool = False  # some closure or nested function shares its cell
    captured: int = 0  # closures and nested functions that have it

    @cached_property
    def is_only_read_in_loops(self) -> bool:
        """Whether every read is inside the body of one of the range loops over the variable."""
        loops = [loop.body.span for loop in self.bindings if isinstance(loop, nodes.ForRange)]
        loops.sort(key=lambda span: span.start)
        starts = [span.start for span in loops]
        for read in self.reads:
            number = bisect_right(starts, read.span.start) - 1
            if number < 0 or read.span.end > loops[number].end:
                return False
        return True

    def is_bound_inside(self, span: Span) -> bool:
        return _any_inside(self._binding_starts, span)

    def is_bound_outside(self, span: Span) -> bool:
        return _any_outside(self._binding_starts, span)

    def is_read_outside(self, span: Span) -> bool:
        return _any_outside(self._read_starts, span)

    def is_mutated_inside(self, span: Span) -> bool:
        return _any_inside(self._mutation_starts, span)

    @cached_property
    def _binding_starts(self) -> list[int]:
        return sorted(node.span.start for node in self.bindings)

    @cached_property
    def _read_starts(self) -> list[int]:
        return sorted(node.span.start for node in self.reads)

    @cached_property
    def _mutation_starts(self) -> list[int]:
        return sorted(node.span.start for node in self.mutations)


def _any_inside(starts: list[int], span: Span) -> bool:
    """Whether any of the sorted offsets lies in a span (all are of the variable's one file)."""
    number = bisect_left(starts, span.start)
    return number < len(starts) and starts[number] < span.end


def _any_outside(starts: list[int], span: Span) -> bool:
    return bool(starts) and (starts[0] < span.start or starts[-1] >= span.end)


@dataclass(eq=False, slots=True)
class Usage:
    """The uses of every variable of a program."""

    of_variable: dict[Variable, Uses] = field(default_factory=dict)
    loop_depth: dict[nodes.Node, int] = field(default_factory=dict)  # of closures and functions

    def of(self, variable: Variable) -> Uses:
        uses = self.of_variable.get(variable)
        if uses is None:
            uses = self.of_variable[variable] = Uses()
        return uses

    def is_mutated(self, variable: Variable) -> bool:
        return bool(self.of(variable).mutations)

    def may_change(self, variable: Variable) -> bool:
        """Whether a closure that holds the variable's value has to keep it at its creation."""
        return self.is_rebound(variable) or self.is_mutated(variable)

    def is_rebound(self, variable: Variable) -> bool:
        """Whether the variable may hold another value after its first binding."""
        uses = self.of(variable)
        first_is_implicit = variable.kind in ("param", "closure_param")
        return len(uses.bindings) + first_is_implicit > 1 or uses.bound_in_loop


def collect(resolution: Resolution) -> Usage:
    """Walk every scope once."""
    usage = Usage()
    for scope in resolution.scopes.values():
        _Collector(resolution, usage, scope).run()
        for variable, capture in scope.captures.items():
            usage.of(variable).captured += 1
            if capture is Capture.SHARED:
                usage.of(variable).shared = True
    return usage


class _Collector:
    def __init__(self, resolution: Resolution, usage: Usage, scope: Scope) -> None:
        self.resolution = resolution
        self.usage = usage
        self.scope = scope
        self.loops = 0

    def run(self) -> None:
        for child in parts(self.scope.owner):
            self.visit(child)

    def visit(self, node: nodes.Node) -> None:
        if isinstance(node, (nodes.Function, nodes.Closure)):
            self.usage.loop_depth[node] = self.loops
            return
        variable = self.resolution.variables.get(node)
        if variable is not None:
            self.use(node, variable)
        if isinstance(node, nodes.ForMap):
            for ident in (node.key, node.value):
                self.bind(node, self.resolution.variables[ident], in_loop=True)
        if isinstance(node, nodes.ForRange):
            self.visit(node.start)
        in_loop = isinstance(node, (nodes.While, nodes.ForRange, nodes.ForMap))
        self.loops += in_loop
        for child in parts(node):
            if not (isinstance(node, nodes.ForRange) and child is node.start):
                self.visit(child)
        self.loops -= in_loop

    def use(self, node: nodes.Node, variable: Variable) -> None:
        uses = self.usage.of(variable)
        if isinstance(node, (nodes.Let, nodes.Assign, nodes.BindPattern)):
            self.bind(node, variable)
        elif isinstance(node, nodes.ForRange):
            self.bind(node, variable, in_loop=True)
        elif isinstance(node, nodes.AddAssign):
            self.bind(node, variable)
            uses.reads.append(node)
        elif isinstance(node, (nodes.MemberAssign, nodes.IndexAssign)):
            uses.mutations.append(node)
        else:
            uses.reads.append(node)

    def bind(self, node: nodes.Node, variable: Variable, in_loop: bool = False) -> None:
        uses = self.usage.of(variable)
        uses.bindings.append(node)
        if in_loop or self.loops or variable.scope is not self.scope:
            uses.bound_in_loop = True
