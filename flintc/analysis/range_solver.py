"""Solving for the intervals of all slots: component by component, those first that others need.

Slots that depend on each other are joined over a few rounds. What still grows then is a counter, or
widened to all ints; afterwards what conditions say brings it down again.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from flintc.analysis.components import components
from flintc.analysis.descent import descent
from flintc.analysis.flows import Flows, Slot, Source
from flintc.analysis.intervals import FULL, I64_MAX, I64_MIN, Interval, combine, joined
from flintc.analysis.parts import choices
from flintc.analysis.symbols import Variable
from flintc.analysis.types import INT
from flintc.analysis.usage import Usage
from flintc.analysis.values import Values, inputs
from flintc.syntax import nodes

_COUNTER_START: Final = 2**61
_AS_LONG_AS_ANYONE_WAITS: Final = Interval(0, 2**51)  # steps: years of run time
_EXACT_ROUNDS: Final = 4
_WIDE_ROUNDS: Final = 6
_NARROWING_ROUNDS: Final = 2
_MOST_DEPTH: Final = 64
_NO_STEP: Final = Interval(0, 0)


def solve(values: Values, flows: Flows, usage: Usage) -> None:
    """Fill `values.slots`."""
    values.slots.update(dict.fromkeys(flows.sources))
    solver = _Solver(values, flows, usage)
    graph = {slot: list(dict.fromkeys(solver.needs(slot))) for slot in flows.sources}
    for component in components(graph):
        if len(component) > 1 or component[0] in graph[component[0]]:
            solver.solve_cycle(component)
        else:
            values.slots[component[0]] = solver.value(component[0])


class _Solver:
    def __init__(self, values: Values, flows: Flows, usage: Usage) -> None:
        self.values = values
        self.slots = values.slots
        self.flows = flows
        self.sources = flows.sources
        self.usage = usage

    def needs(self, slot: Slot) -> Iterator[Slot]:
        for source in self.sources[slot]:
            if isinstance(source, nodes.AddAssign):
                yield slot
                yield from inputs(self.values, source.value)
            elif isinstance(source, nodes.ForRange):
                yield from inputs(self.values, source.start)
                yield from inputs(self.values, source.end)
                if self._moves(slot, source):
                    yield slot
            elif source is not None:
                yield from inputs(self.values, source)

    def value(self, slot: Slot) -> Interval | None:
        """Everything that flows into a slot, as far as is known."""
        result: Interval | None = None
        for source in self.sources[slot]:
            result = joined(result, self._flow(slot, source))
        return result

    def _flow(self, slot: Slot, source: Source) -> Interval | None:
        if source is None:
            return FULL
        if isinstance(source, nodes.AddAssign):
            added, old = self.values.of(source.value), self.slots[slot]
            return None if added is None or old is None else _wrapped(combine("+", old, added))
        if isinstance(source, nodes.ForRange):
            return self._loop(slot, source)
        return self.values.of(source)

    def _loop(self, slot: Slot, loop: nodes.ForRange) -> Interval | None:
        """A loop's variable ends at the first value that is out of range."""
        start, end = self.values.of(loop.start), self.values.of(loop.end)
        if start is None or end is None:
            return start
        last = end.high + 1 if loop.inclusive else end.high
        reached = Interval(start.low, max(start.high, last))
        old = self.slots[slot]
        if self._moves(slot, loop) and old is not None:
            reached = reached.join(combine("+", old, Interval(1, 1)))
        return _wrapped(reached)

    def _moves(self, slot: Slot, loop: nodes.ForRange) -> bool:
        """Whether the body of a range loop binds its variable too."""
        assert isinstance(slot, Variable)
        return self.usage.of(slot).is_bound_inside(loop.body.span)

    # -- cycles --------------------------------------------------------------------------

    def solve_cycle(self, component: list[Slot]) -> None:
        for _ in range(_EXACT_ROUNDS):
            if not self._grow(component):
                return
        if self._is_descent(component):
            return
        counted = self._counted(component)
        if counted is not None:
            self.slots.update(dict.fromkeys(component, counted))
        else:
            self._widen(component)
        self._narrow(component)

    def _grow(self, component: list[Slot], widen: bool = False) -> bool:
        """One round of joining; whether anything changed."""
        changed = False
        for slot in component:
            old = self.slots[slot]
            new = joined(old, self.value(slot))
            if new != old:
                changed = True
                self.slots[slot] = _widened(old, new) if widen else new
        return changed

    def _widen(self, component: list[Slot]) -> None:
        for _ in range(_WIDE_ROUNDS):
            if not self._grow(component, widen=True):
                return
        self.slots.update(dict.fromkeys(component, FULL))

    def _narrow(self, component: list[Slot]) -> None:
        """What really flows is within what is assumed, and within what follows from that."""
        for _ in range(_NARROWING_ROUNDS):
            for slot in component:
                old, new = self.slots[slot], self.value(slot)
                self.slots[slot] = new if old is None or new is None else old.meet(new)

    def _is_descent(self, component: list[Slot]) -> bool:
        """The result of a function that calls itself for smaller arguments only: no call needs more
        rounds than it is deep.
        """
        owner = component[0]
        if len(component) > 1 or not isinstance(owner, nodes.Function):
            return False
        depth = descent(self.values, self.flows, self.usage, owner)
        if depth is None or depth > _MOST_DEPTH:
            return False
        for _ in range(depth - _EXACT_ROUNDS + 1):
            self._grow(component)
        return True

    # -- counters ------------------------------------------------------------------------

    def _counted(self, component: list[Slot]) -> Interval | None:
        """One interval for all slots of a cycle that only ever add small constants."""
        members = set(component)
        start: Interval | None = None
        total = _NO_STEP  # of all that can be added in a run
        for slot in component:
            for source in self.sources[slot]:
                times = self._times(members, source)
                for added, value in self._additions(members, slot, source):
                    if value is not None and added:
                        total = combine("+", total, combine("*", value, times))
                    elif value is not None:
                        start = joined(start, value)
        if start is None or not start.within(_COUNTER_START) or not total.within(_COUNTER_START):
            return None
        return combine("+", start, total)

    def _times(self, members: set[Slot], source: Source) -> Interval:
        """How often a source can be evaluated in one run."""
        times = 1
        for loop in self.values.guards.loops.get(source, (None,)) if source is not None else ():
            rounds = self._rounds(members, loop)
            if rounds is None:
                return _AS_LONG_AS_ANYONE_WAITS
            times *= rounds
        return Interval(0, min(times, _AS_LONG_AS_ANYONE_WAITS.high))

    def _rounds(self, members: set[Slot], loop: nodes.Node | None) -> int | None:
        """The most rounds of a loop; None if nothing bounds them."""
        if not isinstance(loop, nodes.ForRange) or any(
            self._uses(members, bound) for bound in (loop.start, loop.end)
        ):
            return None
        start, end = self.values.of(loop.start), self.values.of(loop.end)
        variable = self.values.resolution.variables.get(loop)
        if start is None or end is None or variable is None or self._moves(variable, loop):
            return None
        return max(0, end.high - start.low + loop.inclusive)

    def _additions(
        self, members: set[Slot], slot: Slot, source: Source
    ) -> Iterator[tuple[bool, Interval | None]]:
        """What a source consists of: values from outside the cycle, and (True) what it adds to a
        slot of the cycle.
        """
        match source:
            case None:
                yield False, FULL
            case nodes.AddAssign(value=value):
                yield True, self._steady(members, value)
            case nodes.ForRange(start=start, end=end):
                yield from self._terms(members, start)
                yield from self._terms(members, end)
                yield True, Interval(0, 1)
            case _:
                yield from self._terms(members, source)

    def _terms(
        self, members: set[Slot], node: nodes.Node
    ) -> Iterator[tuple[bool, Interval | None]]:
        options = choices(node)
        if options:
            for option in options:
                yield from self._terms(members, option)
            return
        slots = self.values.read_by(node)
        if slots and members.issuperset(slots):
            yield True, _NO_STEP
            return
        if not isinstance(node, nodes.Operation) or self.values.typing.of(node) is not INT:
            yield False, self._steady(members, node)
            return
        first, *rest = node.operands
        inner = list(self._terms(members, first)) if self._uses(members, first) else None
        ring = all(operator in ("+", "-") for operator in node.operators)
        if inner is None or not ring:
            yield False, self._steady(members, node)
            return
        total: Interval | None = _NO_STEP
        for operator, operand in zip(node.operators, rest, strict=True):
            value = self._steady(members, operand)
            total = None if total is None or value is None else combine(operator, total, value)
        for added, value in inner:
            yield added, None if value is None or total is None else combine("+", value, total)

    def _uses(self, members: set[Slot], node: nodes.Node) -> bool:
        return any(slot in members for slot in inputs(self.values, node))

    def _steady(self, members: set[Slot], node: nodes.Node) -> Interval | None:
        """The value of an expression outside the cycle; anything if it is not."""
        return FULL if self._uses(members, node) else self.values.of(node)


def _wrapped(values: Interval) -> Interval:
    return values if values.fits else FULL


def _widened(old: Interval | None, new: Interval | None) -> Interval | None:
    if old is None or new is None:
        return new
    return Interval(
        old.low if new.low == old.low else I64_MIN, old.high if new.high == old.high else I64_MAX
    )
