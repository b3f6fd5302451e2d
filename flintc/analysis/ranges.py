"""Interval analysis of ints: which arithmetic cannot leave 64 bits.

Values wrap (language reference 5.2), so arithmetic needs a wrap unless its exact result provably
fits. Variables get one interval each, over all their bindings. A counter, bound only to bounded
values and to itself plus or minus a small constant, counts as bounded: to overflow it would have to
run for 2^51 steps, which is years of run time.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from flintc.analysis.symbols import HostTarget, Resolution, Typing, Variable
from flintc.analysis.types import BYTES, INT
from flintc.analysis.usage import Usage
from flintc.syntax import nodes

I64_MIN: Final = -(2**63)
I64_MAX: Final = 2**63 - 1
_LENGTH_MAX: Final = 2**40  # elements that memory can hold, with room to spare
_COUNTER: Final = 2**62
_COUNTER_START: Final = 2**61
_STEP: Final = 2**10
_EXACT_ROUNDS: Final = 3
_ROUNDS: Final = 8


@dataclass(frozen=True, slots=True)
class Interval:
    """All ints from `low` to `high`, both included."""

    low: int
    high: int

    def join(self, other: Interval) -> Interval:
        return Interval(min(self.low, other.low), max(self.high, other.high))

    def within(self, limit: int) -> bool:
        return -limit <= self.low and self.high <= limit

    @property
    def fits(self) -> bool:
        """Whether every value is a signed 64-bit int."""
        return self.low >= I64_MIN and self.high <= I64_MAX


FULL: Final = Interval(I64_MIN, I64_MAX)
LENGTH: Final = Interval(0, _LENGTH_MAX)


class Ranges:
    """Intervals of variables and expressions of one program."""

    def __init__(self, resolution: Resolution, typing: Typing, usage: Usage) -> None:
        self.resolution = resolution
        self.typing = typing
        self.usage = usage
        self.variables: dict[Variable, Interval] = {}
        self._exact: dict[nodes.Node, Interval] = {}
        self._solve()

    def of(self, node: nodes.Node) -> Interval:
        """The values that an int expression can have (after wrapping)."""
        exact = self.exact(node)
        return exact if exact.fits else FULL

    def is_non_negative(self, node: nodes.Node) -> bool:
        return self.of(node).low >= 0

    def exact(self, node: nodes.Node) -> Interval:
        """The values of `+ - *` trees before any wrapping; a tree is wrapped as a whole."""
        known = self._exact.get(node)
        if known is None:
            known = self._compute(node)
            self._exact[node] = known
        return known

    def sum_of(self, variable: Variable, added: nodes.Node) -> Interval:
        """The exact values of `variable + added`."""
        return combine("+", self.variables.get(variable, FULL), self.of(added))

    def loop_step_fits(self, variable: Variable) -> bool:
        """Whether adding one to a loop variable cannot leave 64 bits."""
        return self.variables.get(variable, FULL).high < I64_MAX

    # -- variables -----------------------------------------------------------------------

    def _solve(self) -> None:
        """Rounds of joining all bindings; what still grows after them is unbounded."""
        candidates = [
            (variable, uses.bindings)
            for variable, uses in self.usage.of_variable.items()
            if variable.type == INT and variable.kind in ("let", "loop") and uses.bindings
        ]
        for number in range(_ROUNDS):
            self._exact.clear()
            changed = False
            for variable, bindings in candidates:
                changed |= self._update(variable, bindings, widen=number >= _EXACT_ROUNDS)
            if not changed:
                return
        for variable, _ in candidates:  # some chain did not settle: assume nothing
            self.variables[variable] = FULL
        self._exact.clear()

    def _update(self, variable: Variable, bindings: list[nodes.Node], widen: bool) -> bool:
        old = self.variables.get(variable)
        new = old
        start: Interval | None = None
        for binding in bindings:
            bound = self._bound(variable, binding)
            if bound is None:
                continue
            new = bound if new is None else new.join(bound)
            if self._is_count(variable, binding):
                continue
            if isinstance(binding, nodes.ForRange):
                bound = self.of(binding.start)
            start = bound if start is None else start.join(bound)
        if start is not None and new != start and not start.within(_COUNTER_START):
            new = FULL  # counting from there may overflow
        if new is None or new == old:
            return False
        self.variables[variable] = new if new.fits and not widen else FULL
        return self.variables[variable] != old

    def _is_count(self, variable: Variable, binding: nodes.Node) -> bool:
        if isinstance(binding, nodes.Let | nodes.Assign):
            return self._own_step(variable, binding.value) is not None
        return isinstance(binding, nodes.AddAssign)

    def _bound(self, variable: Variable, binding: nodes.Node) -> Interval | None:
        match binding:
            case nodes.ForRange():
                return self._loop(variable, binding)
            case nodes.AddAssign():
                return self._counted(self.of(binding.value))
            case nodes.Let() | nodes.Assign():
                step = self._own_step(variable, binding.value)
                return self._counted(step) if step is not None else self.of(binding.value)
            case _:
                return FULL

    def _loop(self, variable: Variable, loop: nodes.ForRange) -> Interval:
        start, end = self.of(loop.start), self.of(loop.end)
        if self.usage.of(variable).is_bound_inside(loop.body.span):
            return start.join(Interval(start.low, _COUNTER))  # the body moves it, the loop adds one
        last = end.high + 1 if loop.inclusive else end.high
        return Interval(start.low, max(start.high, last))

    def _counted(self, step: Interval) -> Interval | None:
        """What adding `step` again and again gives, as long as anyone can wait."""
        if step.low < -_STEP or step.high > _STEP:
            return FULL
        if step == Interval(0, 0):
            return None
        return Interval(
            -_COUNTER if step.low < 0 else step.low, _COUNTER if step.high > 0 else step.high
        )

    def _own_step(self, variable: Variable, value: nodes.Node) -> Interval | None:
        """The step of `v = v + step` and `v = v - step`."""
        if not isinstance(value, nodes.Operation) or value.operators[0] not in ("+", "-"):
            return None
        first, *rest = value.operands
        if self.resolution.variables.get(first) is not variable:
            return None
        low = high = 0
        for operator, operand in zip(value.operators, rest, strict=True):
            step = self.of(operand)
            low += step.low if operator == "+" else -step.high
            high += step.high if operator == "+" else -step.low
        return Interval(low, high)

    # -- expressions ---------------------------------------------------------------------

    def _compute(self, node: nodes.Node) -> Interval:
        match node:
            case nodes.IntLiteral():
                return Interval(node.value, node.value)
            case nodes.Name():
                return self._name(node)
            case nodes.Length():
                return LENGTH
            case nodes.Call():
                return self._call(node)
            case nodes.Index() if self.typing.of(node.container) == BYTES:
                return Interval(0, 255)
            case nodes.Copy():
                return self.exact(node.value)
            case nodes.Unary(operator="-", operand=operand) if self.typing.of(operand) == INT:
                inner = self.exact(operand)
                return Interval(-inner.high, -inner.low)
            case nodes.Unary(operator="&" | "&mut"):
                return self.exact(node.operand)
            case nodes.IfExpr():
                return self._branches(node)
            case nodes.Operation() if self.typing.of(node) == INT:
                return self._operation(node)
            case _:
                return FULL

    def _name(self, node: nodes.Name) -> Interval:
        variable = self.resolution.variables.get(node)
        if variable is None or variable.type != INT or variable.kind not in ("let", "loop"):
            return FULL
        return self.variables.get(variable, Interval(0, 0))

    def _call(self, node: nodes.Call) -> Interval:
        target = self.resolution.targets.get(node)
        counts = isinstance(target, HostTarget) and target.function and target.function.counts
        return LENGTH if counts else FULL

    def _branches(self, node: nodes.IfExpr) -> Interval:
        orelse = node.orelse.value if isinstance(node.orelse, nodes.ValueBlock) else node.orelse
        return self.of(node.then.value).join(self.of(orelse))

    def _operation(self, node: nodes.Operation) -> Interval:
        result = self.exact(node.operands[0])
        for operator, operand in zip(node.operators, node.operands[1:], strict=True):
            result = combine(operator, result, self.exact(operand))
        return result


def combine(operator: str, left: Interval, right: Interval) -> Interval:
    match operator:
        case "+":
            return Interval(left.low + right.low, left.high + right.high)
        case "-":
            return Interval(left.low - right.high, left.high - right.low)
        case "*":
            corners = [a * b for a in (left.low, left.high) for b in (right.low, right.high)]
            return Interval(min(corners), max(corners))
        case "/":
            return _quotient(left, right)
        case "%":
            return _remainder(left if left.fits else FULL, right if right.fits else FULL)
        case _:
            return FULL


def _quotient(left: Interval, right: Interval) -> Interval:
    if not (left.fits and right.fits):
        return FULL
    size = max(abs(left.low), abs(left.high))
    same_sign = left.low >= 0 and right.low >= 0
    return Interval(0 if same_sign else -size, min(size, I64_MAX))


def _remainder(left: Interval, right: Interval) -> Interval:
    limit = max(abs(right.low), abs(right.high)) - 1
    limit = max(0, min(limit, max(abs(left.low), abs(left.high))))
    return Interval(0 if left.low >= 0 else -limit, 0 if left.high <= 0 else limit)
