"""Ownership in expressions: what is used, moved and taken, and what a value may be bound as.

Language reference 4.3 to 4.5. Blocks inside expressions are left to `ownership_flow`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any, Final

from flintc.analysis.ownership_captures import CaptureUse, capture_uses
from flintc.analysis.ownership_facts import (
    COLLECTION,
    DYNAMIC,
    MOVABLE,
    OTHER,
    PLAIN,
    SLICE,
    WILD,
    Facts,
    Value,
    common,
)
from flintc.analysis.ownership_report import Reason
from flintc.analysis.ownership_uses import Uses
from flintc.analysis.parts import parts
from flintc.analysis.symbols import Capture, Variable, VariableTarget
from flintc.source import Span
from flintc.syntax import nodes


class ExpressionOwnership(Uses, ABC):
    """The expressions of one body."""

    being_bound: Variable | None = None  # by a closure, which may call itself by it

    @abstractmethod
    def value_block(self, block: nodes.ValueBlock) -> Value:
        """Visit a block that ends in a value."""

    def value(self, node: nodes.Node) -> Value:
        """Visit an expression whose value is used: read, passed, compared, bound, …"""
        handler = _HANDLERS.get(type(node))
        if handler is not None:
            return handler(self, node)
        self.values(parts(node))
        return OTHER

    def values(self, parts: Iterable[nodes.Node]) -> list[Value]:
        return [self.value(part) for part in parts]

    def maybe(self, visit: Callable[[], object]) -> None:
        """Visit what is perhaps not evaluated."""
        self.store.begin()
        visit()
        self.store.merge([self.store.end(), {}])

    # -- fields --------------------------------------------------------------------------

    def field(self, node: nodes.Member | nodes.Index | nodes.Slice, takes: bool) -> Value:
        number = self._key_number(node)
        variable = self.resolution.variables.get(node.container)
        is_plain = variable is not None and self.read_field(variable, node, number, takes)
        return PLAIN if is_plain else OTHER

    def _key_number(self, node: nodes.Member | nodes.Index | nodes.Slice) -> int:
        """The number of a field's key, which is evaluated."""
        if isinstance(node, nodes.Slice):
            self.values(bound for bound in (node.start, node.end) if bound is not None)
            return SLICE
        if isinstance(node, nodes.Index):
            self.value(node.key)
        return self.field_number(node.name if isinstance(node, nodes.Member) else node.key)

    def field_number(self, key: nodes.Node) -> int:
        if isinstance(key, nodes.Ident):
            return self.shared.fields.of(key.name)
        if isinstance(key, (nodes.StringLiteral, nodes.IntLiteral)):
            return self.shared.fields.of(key.value)
        return DYNAMIC

    def place(self, node: nodes.Expr) -> Value:
        """The operand of `&` and `.copy()`: it stays where it is."""
        if not isinstance(node, (nodes.Member, nodes.Index, nodes.Slice)):
            return self.value(node)
        if _is_field(node):
            return self.field(node, takes=False)
        self.place(node.container)
        self.values(part for part in parts(node) if part is not node.container)
        return OTHER

    def summand(self, node: nodes.Expr) -> Value:
        """An operand of `+` takes no field."""
        if isinstance(node, (nodes.Member, nodes.Index, nodes.Slice)) and _is_field(node):
            return self.field(node, takes=False)
        return self.value(node)

    # -- expressions ---------------------------------------------------------------------

    def name(self, node: nodes.Name) -> Value:
        variable = self.resolution.variables.get(node)
        if variable is None:
            return OTHER
        facts = self.use(variable, node.span)
        return Value(facts.movable, facts.collection, facts.plain, facts.literal, facts.copyable)

    def access(self, node: nodes.Member | nodes.Index | nodes.Slice) -> Value:
        if _is_field(node):
            return self.field(node, takes=True)
        self.values(parts(node))
        return OTHER

    def call(self, node: nodes.Call) -> Value:
        target = self.resolution.targets.get(node)
        if isinstance(target, VariableTarget):
            self.use(target.variable, node.path[0].span)
        given_back = self.shared.calls.given_back(node)
        result = OTHER
        for at, argument in enumerate(node.args):
            value = self.value(argument)
            if argument is given_back and value.collection:
                result = COLLECTION
            if value.movable and self.shared.calls.consumes(node, at):
                self.move_name(argument, node.span, "passed")
        return result

    def move_name(self, node: nodes.Expr, span: Span, reason: Reason) -> None:
        """Move a variable whose value leaves it as a whole."""
        variable = self.resolution.variables.get(node) if isinstance(node, nodes.Name) else None
        if variable is not None:
            self.move(variable, span, reason)

    def operation(self, node: nodes.Operation) -> Value:
        if node.operators[0] in ("&&", "||"):
            self.value(node.operands[0])
            self.maybe(lambda: self.values(node.operands[1:]))
            return PLAIN
        plain = True
        for at, operand in enumerate(node.operands):
            is_summand = node.operators[max(at - 1, 0)] == "+"
            plain &= (self.summand if is_summand else self.value)(operand).plain
        return PLAIN if plain or node.operators[0] not in "+-*/%" else OTHER

    def unary(self, node: nodes.Unary) -> Value:
        if node.operator in ("&", "&mut"):
            return self._fresh(self.place(node.operand))
        value = self.value(node.operand)
        return PLAIN if value.plain or node.operator == "!" else OTHER

    def copy(self, node: nodes.Copy) -> Value:
        return self._fresh(self.place(node.value))

    def _fresh(self, value: Value) -> Value:
        return Value(collection=value.collection, plain=value.plain)

    def unwrap_or(self, node: nodes.UnwrapOr) -> Value:
        self.value(node.value)
        self.maybe(lambda: self.value(node.default))
        return OTHER

    def map_literal(self, node: nodes.MapLiteral) -> Value:
        copyable = 0
        for entry in node.entries:
            self.value(entry.key)
            plain = self.value(entry.value).plain
            bit = 1 << self.field_number(entry.key) & ~WILD
            copyable = copyable | bit if plain else copyable & ~bit
        return Value(collection=True, literal=True, copyable=copyable)

    def array_literal(self, node: nodes.ArrayLiteral) -> Value:
        self.values(node.items)
        return COLLECTION

    # -- branches ------------------------------------------------------------------------

    def branches(self, visits: Iterable[Callable[[], Value]]) -> Value:
        """Visit what is evaluated in turn, exactly one of it."""
        values: list[Value] = []
        paths = []
        for visit in visits:
            self.store.begin()
            value = visit()
            if self.store.reachable:
                values.append(value)
            paths.append(self.store.end())
        self.store.merge(paths)
        return common(values)

    def if_expression(self, node: nodes.IfExpr) -> Value:
        self.value(node.condition)
        return self.branches([partial(self.value, node.then), partial(self.value, node.orelse)])

    def match(self, node: nodes.Match) -> Value:
        self.value(node.scrutinee)
        return self.branches([partial(self.value, arm.body) for arm in node.arms])

    # -- captures ------------------------------------------------------------------------

    def closure(self, node: nodes.Closure) -> Value:
        start = node.span.start
        head = node.span.file.text[start : node.body.span.start].rstrip()
        self.capture(node, Span(node.span.file, start, start + len(head)))
        return OTHER

    def capture(self, node: nodes.Function | nodes.Closure, head: Span) -> None:
        """A body is created and takes what it uses from this one (4.5)."""
        scope = self.resolution.scopes.get(node)
        if scope is None:
            return
        inherited: dict[Variable, Facts] = {}
        uses = capture_uses(self.resolution, scope) if scope.captures else {}
        for variable, (use, span) in uses.items():
            if variable is self.being_bound or scope.captures.get(variable) is Capture.OWNED:
                continue
            # what happens when the body is created is a matter of its first line
            facts = self.use(variable, span if span.line == head.line else head)
            inherited[variable] = Facts(
                movable=facts.movable, collection=facts.collection, plain=facts.plain
            )
            if use is CaptureUse.MOVE and (facts.movable or facts.collection):
                self.move(variable, span, "captured")
                self.store.detach(variable)
        self.inner.append((scope, inherited))


def _is_field(node: nodes.Member | nodes.Index | nodes.Slice) -> bool:
    """Whether the node reads a field of what is directly a name."""
    optional = not isinstance(node, nodes.Slice) and node.optional
    return isinstance(node.container, nodes.Name) and not optional


_Handler = Callable[[ExpressionOwnership, Any], Value]
_HANDLERS: Final[dict[type[nodes.Node], _Handler]] = {
    nodes.Name: ExpressionOwnership.name,
    nodes.Member: ExpressionOwnership.access,
    nodes.Index: ExpressionOwnership.access,
    nodes.Slice: ExpressionOwnership.access,
    nodes.Call: ExpressionOwnership.call,
    nodes.Operation: ExpressionOwnership.operation,
    nodes.Unary: ExpressionOwnership.unary,
    nodes.Copy: ExpressionOwnership.copy,
    nodes.UnwrapOr: ExpressionOwnership.unwrap_or,
    nodes.MapLiteral: ExpressionOwnership.map_literal,
    nodes.ArrayLiteral: ExpressionOwnership.array_literal,
    nodes.IfExpr: ExpressionOwnership.if_expression,
    nodes.Match: ExpressionOwnership.match,
    nodes.Closure: ExpressionOwnership.closure,
    nodes.ValueBlock: lambda self, node: self.value_block(node),
    nodes.StringLiteral: lambda self, node: MOVABLE,
    nodes.BytesLiteral: lambda self, node: MOVABLE,
    nodes.IntLiteral: lambda self, node: PLAIN,
    nodes.FloatLiteral: lambda self, node: PLAIN,
    nodes.BoolLiteral: lambda self, node: PLAIN,
    nodes.NullLiteral: lambda self, node: PLAIN,
}
