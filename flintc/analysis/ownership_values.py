"""Ownership in expressions: what is used, moved and taken, and what a value may be bound as.

Language reference 4.2 to 4.5. Blocks inside expressions are left to `ownership_flow`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final

from flintc.analysis import ownership_report as report
from flintc.analysis.ownership_calls import Calls, is_literal_field
from flintc.analysis.ownership_captures import CaptureUse, capture_uses
from flintc.analysis.ownership_facts import DYNAMIC, SLICE, WILD, Facts, FieldBits, Store
from flintc.analysis.ownership_report import History
from flintc.analysis.parts import parts
from flintc.analysis.symbols import Capture, Resolution, Scope, Variable, VariableTarget
from flintc.problems import Problem
from flintc.source import Span
from flintc.syntax import nodes


@dataclass(frozen=True, slots=True)
class Value:
    """What a variable that is bound to the value takes over from it."""

    movable: bool = False
    collection: bool = False
    plain: bool = False
    copyable: int = 0


_OTHER: Final = Value()
_MOVABLE: Final = Value(movable=True)
_COLLECTION: Final = Value(collection=True)
_PLAIN: Final = Value(plain=True)


def common(values: Iterable[Value | None]) -> Value:
    """The value of branches, of which None are never finished."""
    reached = [value for value in values if value is not None]
    return Value(
        bool(reached) and all(value.movable for value in reached),
        bool(reached) and all(value.collection for value in reached),
        bool(reached) and all(value.plain for value in reached),
    )


@dataclass(frozen=True, slots=True)
class Finding:
    """A problem, and the variable or field that it is about."""

    place: report.Place
    problem: Problem


@dataclass(slots=True)
class Shared:
    """What the bodies of a program have in common."""

    resolution: Resolution
    calls: Calls
    bits: FieldBits = field(default_factory=FieldBits)


class ExpressionOwnership(ABC):
    """The expressions of one body. `inner` are the bodies that were reached inside it, each with
    what it inherits."""

    def __init__(self, shared: Shared, scope: Scope, inherited: Mapping[Variable, Facts]) -> None:
        self.shared = shared
        self.resolution = shared.resolution
        self.scope = scope
        self.store = Store(scope, inherited)
        self.history = History()
        self.findings: list[Finding] = []
        self.inner: list[tuple[Scope, dict[Variable, Facts]]] = []
        self.being_bound: Variable | None = None  # by a closure, which may call itself by it

    @abstractmethod
    def value_block(self, block: nodes.ValueBlock) -> Value:
        """Visit a block that ends in a value."""

    def value(self, node: nodes.Node) -> Value:
        """Visit an expression whose value is used: read, passed, compared, bound, …"""
        handler = _HANDLERS.get(type(node))
        if handler is not None:
            return handler(self, node)
        self.values(parts(node))
        return _OTHER

    def values(self, parts: Iterable[nodes.Node]) -> list[Value]:
        return [self.value(part) for part in parts]

    def maybe(self, visit: Callable[[], object]) -> None:
        """Visit what is perhaps not evaluated."""
        self.store.begin()
        visit()
        self.store.merge([self.store.end(), {}])

    # -- uses ----------------------------------------------------------------------------

    def found(self, place: report.Place, problem: Problem) -> None:
        if self.store.reachable:
            self.findings.append(Finding(place, problem))

    def use(self, variable: Variable, span: Span) -> Facts:
        """A use of the whole variable."""
        facts = self.touch(variable, span)
        if facts.taken:
            event = self.history.before((variable, None), span)
            for bit in _bits(facts.taken):
                event = self.history.before((variable, bit), span) or event
            problem = report.partially_moved(variable, span, event)
            self.found((variable, None), problem)
            facts = replace(facts, taken=0)
            self.store.set(variable, facts)
        return facts

    def touch(self, variable: Variable, span: Span) -> Facts:
        """A use of the variable or of one of its fields. Problems are reported once."""
        facts = self.store.get(variable)
        if not facts.available:
            self.found((variable, None), report.unavailable(variable, span, assigns=False))
        elif facts.moved:
            event = self.history.before((variable, None), span)
            self.found((variable, None), report.moved(variable, span, event))
        else:
            return facts
        facts = replace(facts, available=True, moved=False)
        self.store.set(variable, facts)
        return facts

    def move(self, variable: Variable, span: Span, reason: report.Reason) -> None:
        """The value leaves the variable, which shares it with no other from then on."""
        self.history.note((variable, None), span, reason)
        self.store.detach(variable)
        self.store.set(variable, replace(self.store.get(variable), moved=True))

    def has_fields(self, variable: Variable) -> bool:
        """Whether moves of single fields count: for named locals of the body (4.1)."""
        return variable.scope is self.scope and variable.kind in ("let", "loop")

    # -- fields --------------------------------------------------------------------------

    def field(self, node: nodes.Member | nodes.Index | nodes.Slice, takes: bool) -> Value:
        """A field of a variable, taken out or only looked at (4.4)."""
        variable = self.resolution.variables.get(node.container)
        if variable is None:
            self.values(parts(node))
            return _OTHER
        whole = isinstance(node, nodes.Slice)  # a slice needs the length
        facts = (self.use if whole else self.touch)(variable, node.container.span)
        bit = self._field_bit(node)
        if not self.has_fields(variable):
            return _OTHER
        facts = self.store.get(variable)
        conflict = facts.taken & (bit | WILD) if bit > WILD else facts.taken
        if conflict:
            self._conflict(variable, node, bit, conflict)
        elif bit & facts.copyable:
            return _PLAIN
        elif takes:
            self.history.note((variable, bit), node.span, "taken")
            self.store.set(variable, replace(facts, taken=facts.taken | bit))
        return _OTHER

    def _field_bit(self, node: nodes.Member | nodes.Index | nodes.Slice) -> int:
        """The bit of a field's key, which is evaluated."""
        if isinstance(node, nodes.Slice):
            self.values(bound for bound in (node.start, node.end) if bound is not None)
            return SLICE
        if isinstance(node, nodes.Index):
            self.value(node.key)
        return self.key_bit(node.name if isinstance(node, nodes.Member) else node.key)

    def key_bit(self, key: nodes.Node) -> int:
        match key:
            case nodes.Ident():
                return self.shared.bits.of(key.name)
            case nodes.StringLiteral() | nodes.IntLiteral():
                return self.shared.bits.of(key.value)
            case _:
                return DYNAMIC

    def _conflict(
        self,
        variable: Variable,
        node: nodes.Member | nodes.Index | nodes.Slice,
        bit: int,
        conflict: int,
    ) -> None:
        event = None
        for taken in _bits(conflict):
            event = self.history.before((variable, taken), node.span) or event
        self.found((variable, bit), report.field_moved(node.span.text, node.span, event))

    def place(self, node: nodes.Expr) -> Value:
        """The operand of `&` and `.copy()`: it stays where it is."""
        if not isinstance(node, nodes.Member | nodes.Index | nodes.Slice):
            return self.value(node)
        if _is_field(node):
            return self.field(node, takes=False)
        self.place(node.container)
        self.values(part for part in parts(node) if part is not node.container)
        return _OTHER

    def summand(self, node: nodes.Expr) -> Value:
        """An operand of `+` takes no field."""
        if isinstance(node, nodes.Member | nodes.Index | nodes.Slice) and _is_field(node):
            return self.field(node, takes=False)
        return self.value(node)

    # -- expressions ---------------------------------------------------------------------

    def name(self, node: nodes.Name) -> Value:
        variable = self.resolution.variables.get(node)
        if variable is None:
            return _OTHER
        facts = self.use(variable, node.span)
        return Value(facts.movable, facts.collection, facts.plain, facts.copyable)

    def access(self, node: nodes.Member | nodes.Index | nodes.Slice) -> Value:
        if _is_field(node):
            return self.field(node, takes=True)
        self.values(parts(node))
        return _OTHER

    def call(self, node: nodes.Call) -> Value:
        target = self.resolution.targets.get(node)
        if isinstance(target, VariableTarget):
            self.use(target.variable, node.path[0].span)
        given_back = self.shared.calls.given_back(node)
        result = _OTHER
        for at, argument in enumerate(node.args):
            value = self.value(argument)
            if argument is given_back and value.collection:
                result = _COLLECTION
            if value.movable and self.shared.calls.consumes(node, at):
                self.move_name(argument, node.span, "passed")
        return result

    def move_name(self, node: nodes.Expr, span: Span, reason: report.Reason) -> None:
        """Move a variable whose value leaves it as a whole."""
        variable = self.resolution.variables.get(node) if isinstance(node, nodes.Name) else None
        if variable is not None and not self.store.get(variable).aliases:
            self.move(variable, span, reason)

    def operation(self, node: nodes.Operation) -> Value:
        if node.operators[0] in ("&&", "||"):
            self.value(node.operands[0])
            self.maybe(lambda: self.values(node.operands[1:]))
            return _PLAIN
        plain = True
        for at, operand in enumerate(node.operands):
            is_summand = node.operators[max(at - 1, 0)] == "+"
            plain &= (self.summand if is_summand else self.value)(operand).plain
        return _PLAIN if plain or node.operators[0] not in "+-*/%" else _OTHER

    def unary(self, node: nodes.Unary) -> Value:
        if node.operator in ("&", "&mut"):
            return self._fresh(self.place(node.operand))
        value = self.value(node.operand)
        return _PLAIN if value.plain or node.operator == "!" else _OTHER

    def copy(self, node: nodes.Copy) -> Value:
        return self._fresh(self.place(node.value))

    def _fresh(self, value: Value) -> Value:
        return Value(collection=value.collection, plain=value.plain)

    def unwrap_or(self, node: nodes.UnwrapOr) -> Value:
        self.value(node.value)
        self.maybe(lambda: self.value(node.default))
        return _OTHER

    def map_literal(self, node: nodes.MapLiteral) -> Value:
        copyable = 0
        for entry in node.entries:
            self.value(entry.key)
            plain = self.value(entry.value).plain
            bit = self.key_bit(entry.key)
            if bit > WILD:
                copyable = copyable | bit if plain else copyable & ~bit
        return Value(collection=True, copyable=copyable)

    def array_literal(self, node: nodes.ArrayLiteral) -> Value:
        self.values(node.items)
        return _COLLECTION

    # -- branches ------------------------------------------------------------------------

    def branches(self, visits: Iterable[Callable[[], Value]]) -> Value:
        """Visit what is evaluated in turn, exactly one of it."""
        values: list[Value | None] = []
        paths = []
        for visit in visits:
            self.store.begin()
            value = visit()
            paths.append(self.store.end())
            values.append(None if paths[-1] is None else value)
        self.store.merge(paths)
        return common(values)

    def if_expression(self, node: nodes.IfExpr) -> Value:
        self.value(node.condition)
        return self.branches([lambda: self.value(node.then), lambda: self.value(node.orelse)])

    def match(self, node: nodes.Match) -> Value:
        self.value(node.scrutinee)
        return self.branches([lambda arm=arm: self.value(arm.body) for arm in node.arms])

    # -- captures ------------------------------------------------------------------------

    def closure(self, node: nodes.Closure) -> Value:
        head = Span(node.span.file, node.span.start, node.body.span.start)
        self.capture(node, head)
        return _OTHER

    def capture(self, node: nodes.Function | nodes.Closure, span: Span) -> None:
        """A body is created and takes what it uses from this one (4.5)."""
        scope = self.resolution.scopes.get(node)
        if scope is None:
            return
        inherited: dict[Variable, Facts] = {}
        for variable, (use, at) in capture_uses(self.resolution, scope).items():
            if variable is self.being_bound or scope.captures.get(variable) is Capture.OWNED:
                continue
            facts = self.use(variable, span)
            inherited[variable] = Facts(
                movable=facts.movable, collection=facts.collection, plain=facts.plain
            )
            if use is CaptureUse.MOVE and (facts.movable or facts.collection):
                self.move(variable, at.span, "captured")
        self.inner.append((scope, inherited))


def _is_field(node: nodes.Member | nodes.Index | nodes.Slice) -> bool:
    """Whether the node reads a field of what is directly a name."""
    optional = not isinstance(node, nodes.Slice) and node.optional
    return isinstance(node.container, nodes.Name) and not optional


def _bits(mask: int) -> Iterable[int]:
    while mask:
        bit = mask & -mask
        yield bit
        mask ^= bit


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
    nodes.StringLiteral: lambda self, node: _MOVABLE,
    nodes.BytesLiteral: lambda self, node: _MOVABLE,
    nodes.IntLiteral: lambda self, node: _PLAIN,
    nodes.FloatLiteral: lambda self, node: _PLAIN,
    nodes.BoolLiteral: lambda self, node: _PLAIN,
    nodes.NullLiteral: lambda self, node: _PLAIN,
}
