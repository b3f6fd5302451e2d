"""Interval analysis of ints: which arithmetic cannot leave 64 bits, which index cannot be negative.

Values wrap (language reference 5.2), so arithmetic needs a wrap unless its exact result provably
fits. Variables, results of functions and elements of arrays get one interval each, over everything
that flows into them (`flows`); what conditions say narrows it where a name is read (`guards`). A
counter, which only ever gets bounded values and other counters plus or minus a small constant,
counts as bounded: nothing takes more than 2^51 steps, which are years of run time.
"""

from __future__ import annotations

from bisect import bisect_left

from flintc.analysis.callees import Callees
from flintc.analysis.descent import descent
from flintc.analysis.flows import find_flows
from flintc.analysis.guards import find_guards
from flintc.analysis.intervals import FULL, I64_MAX, Interval, combine
from flintc.analysis.range_solver import solve
from flintc.analysis.symbols import Resolution, Typing, Variable
from flintc.analysis.usage import Usage
from flintc.analysis.values import Values
from flintc.source import Span
from flintc.syntax import nodes


class Ranges:
    """Intervals of the variables and expressions of one program."""

    def __init__(
        self, resolution: Resolution, typing: Typing, usage: Usage, callees: Callees
    ) -> None:
        self._resolution = resolution
        guards = find_guards(resolution, typing, usage)
        self._values = Values(resolution, typing, guards, callees)
        self._usage = usage
        self._growth: dict[Variable, list[int]] = {}
        self._flows = find_flows(resolution, typing, usage, callees)
        solve(self._values, self._flows, usage)
        self._values.settle()
        self._in_bounds = find_guards(resolution, typing, usage, self).in_bounds

    def of(self, node: nodes.Node) -> Interval:
        """The values that an int expression can have (after wrapping)."""
        exact = self.exact(node)
        return exact if exact.fits else FULL

    def is_non_negative(self, node: nodes.Node) -> bool:
        return self.of(node).low >= 0

    def exact(self, node: nodes.Node) -> Interval:
        """The values of `+ - *` trees before any wrapping; a tree is wrapped as a whole."""
        return self._values.exact(node) or FULL

    def is_exact_quotient(self, node: nodes.Node) -> bool:
        """Whether a division is known to leave no remainder."""
        return node in self._values.guards.exact

    def stays_in_bounds(self, node: nodes.Node) -> bool:
        """Whether `a[i] = …` is known to replace an item."""
        return node in self._in_bounds

    def may_grow_inside(self, variable: Variable, span: Span) -> bool:
        """Whether some store in a part of the text may append to the variable's array."""
        starts = self._growth.get(variable)
        if starts is None:
            mutations = self._usage.of(variable).mutations
            growing = (node.span.start for node in mutations if node not in self._in_bounds)
            starts = self._growth[variable] = sorted(growing)
        number = bisect_left(starts, span.start)
        return number < len(starts) and starts[number] < span.end

    def sum_of(self, variable: Variable, added: nodes.Node) -> Interval:
        """The exact values of `variable + added`."""
        return combine("+", self._variable(variable), self.of(added))

    def loop_step_fits(self, variable: Variable) -> bool:
        """Whether adding one to a loop variable cannot leave 64 bits."""
        return self._variable(variable).high < I64_MAX

    def step(self, variable: Variable, binding: nodes.Node) -> Interval | None:
        """What a binding adds to the variable; None if it is no such binding or may overflow."""
        match binding:
            case nodes.AddAssign(value=value):
                return self.of(value) if self.sum_of(variable, value).fits else None
            case nodes.Let(value=nodes.Operation() as value) | nodes.Assign(
                value=nodes.Operation() as value
            ):
                return self._step_of(variable, value)
            case _:
                return None

    def _step_of(self, variable: Variable, value: nodes.Operation) -> Interval | None:
        """The step of `v + step` and `v - step`."""
        first, *rest = value.operands
        if self._resolution.variables.get(first) is not variable or not self.exact(value).fits:
            return None
        if any(operator not in ("+", "-") for operator in value.operators):
            return None
        total = Interval(0, 0)
        for operator, operand in zip(value.operators, rest, strict=True):
            total = combine(operator, total, self.of(operand))
        return total

    def depth_of(self, owner: nodes.Function) -> int | None:
        """How deep the calls of a function to itself can nest; None if nothing bounds it."""
        return descent(self._values, self._flows, self._usage, owner)

    def _variable(self, variable: Variable) -> Interval:
        return self._values.slots.get(variable) or FULL
