"""The interval of an expression, from those of the variables and functions in it."""

from __future__ import annotations

from collections.abc import Iterator

from flintc.analysis.callees import Callees
from flintc.analysis.flows import Elements, Slot
from flintc.analysis.guards import Guards
from flintc.analysis.intervals import (
    FULL,
    LENGTH,
    Interval,
    combine,
    joined,
    negated,
    where,
)
from flintc.analysis.parts import choices
from flintc.analysis.symbols import HostTarget, Resolution, Typing
from flintc.analysis.types import BYTES, INT
from flintc.syntax import nodes


class Values:
    """`slots` has the interval of every slot that is followed, None until something flows there.

    None as the value of an expression says the same: it has not been seen to be evaluated.
    """

    def __init__(
        self, resolution: Resolution, typing: Typing, guards: Guards, callees: Callees
    ) -> None:
        self.resolution = resolution
        self.typing = typing
        self.guards = guards
        self.callees = callees
        self.slots: dict[Slot, Interval | None] = {}
        self._settled: dict[nodes.Node, Interval | None] | None = None

    def settle(self) -> None:
        """The slots do not change any more: an expression keeps its interval."""
        self._settled = {}

    def of(self, node: nodes.Node) -> Interval | None:
        """The values after wrapping."""
        exact = self.exact(node)
        return exact if exact is None or exact.fits else FULL

    def exact(self, node: nodes.Node) -> Interval | None:
        """The values of `+ - *` trees before any wrapping; a tree is wrapped as a whole."""
        if self._settled is None:
            return self._exact(node)
        if node not in self._settled:
            self._settled[node] = self._exact(node)
        return self._settled[node]

    def _exact(self, node: nodes.Node) -> Interval | None:
        if isinstance(node, nodes.IntLiteral):
            return Interval(node.value, node.value)
        if isinstance(node, nodes.Length) or (isinstance(node, nodes.Call) and self._counts(node)):
            return LENGTH
        if isinstance(node, nodes.Operation) and self.typing.of(node) is INT:
            return self._operation(node)
        if isinstance(node, nodes.Unary) and node.operator in ("&", "&mut"):
            return self.exact(node.operand)
        if isinstance(node, nodes.Unary) and self._negates(node):
            inner = self.exact(node.operand)
            return None if inner is None else negated(inner)
        if isinstance(node, nodes.Index) and self.typing.of(node.container) is BYTES:
            return Interval(0, 255)
        options = choices(node)
        return self._any_of(options) if options else self._read(node)

    def _negates(self, node: nodes.Unary) -> bool:
        return node.operator == "-" and self.typing.of(node.operand) is INT

    def bound(self, node: nodes.Node | int) -> Interval | None:
        """The values of what a variable was compared with, whatever conditions say of those."""
        match node:
            case int():
                return Interval(node, node)
            case nodes.Name():
                return self._stored(node)
            case nodes.Operation(operators=(operator,), operands=(left, right)):
                a, b = self.bound(left), self.bound(right)
                return None if a is None or b is None else _fitting(combine(operator, a, b))
            case _:
                return self.of(node)

    def read_by(self, node: nodes.Node) -> list[Slot]:
        """The slots of which one is read by a name, a call or an index expression; none if its
        value may come from elsewhere.
        """
        variable = None
        if isinstance(node, nodes.Name):
            variable = self.resolution.variables.get(node)
            return [variable] if variable is not None and variable in self.slots else []
        if isinstance(node, nodes.Call):
            owners = self.callees.of_call(node) or ()
            return [*owners] if all(owner in self.slots for owner in owners) else []
        if isinstance(node, nodes.Index) and not node.optional:
            container = node.container
            while isinstance(container, nodes.Copy):
                container = container.value
            variable = self.resolution.variables.get(container)
        elements = None if variable is None else Elements(variable)
        return [elements] if elements is not None and elements in self.slots else []

    def _stored(self, node: nodes.Node) -> Interval | None:
        slots = self.read_by(node)
        if not slots:
            return FULL
        result: Interval | None = None
        for slot in slots:
            result = joined(result, self.slots[slot])
        return result

    def _read(self, node: nodes.Node) -> Interval | None:
        values = self._stored(node)
        for comparison, bound in self.guards.bounds.get(node, ()):
            limit = self.bound(bound)
            if values is None or limit is None:
                return None
            values = where(values, comparison, limit)
        return values

    def _any_of(self, options: tuple[nodes.Node, ...]) -> Interval | None:
        result: Interval | None = None
        for option in options:
            result = joined(result, self.exact(option) if len(options) == 1 else self.of(option))
        return result

    def _operation(self, node: nodes.Operation) -> Interval | None:
        result = self.exact(node.operands[0])
        for operator, operand in zip(node.operators, node.operands[1:], strict=True):
            right = self.exact(operand)
            if result is None or right is None:
                return None
            result = combine(operator, result, right)
        least = self.guards.differences.get(node)
        if least is not None and result is not None:
            return Interval(max(result.low, least), max(result.high, least))
        return result

    def _counts(self, node: nodes.Call) -> bool:
        target = self.resolution.targets.get(node)
        if not isinstance(target, HostTarget) or target.function is None:
            return False
        return bool(target.function.counts)


def inputs(values: Values, node: nodes.Node) -> Iterator[Slot]:
    """The slots that the value of an expression is computed from."""
    stack: list[nodes.Node | int] = [node]
    while stack:
        part = stack.pop()
        if isinstance(part, int):
            continue
        yield from values.read_by(part)
        stack.extend(bound for _, bound in values.guards.bounds.get(part, ()))
        if isinstance(part, nodes.Operation):
            stack.extend(part.operands)
        elif isinstance(part, nodes.Unary):
            stack.append(part.operand)
        else:
            stack.extend(choices(part))


def _fitting(values: Interval) -> Interval:
    return values if values.fits else FULL
