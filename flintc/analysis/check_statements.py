"""Statements: what they bind, and how the types of variables meet after branches and loops.

Language reference 3.5, 3.11, 3.12.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from flintc.analysis import check_values as v
from flintc.analysis.check_calls import CallChecker
from flintc.analysis.check_containers import key_type, literal_key
from flintc.analysis.check_report import Place, Report, one_type_for
from flintc.analysis.check_state import Slot
from flintc.analysis.check_values import Kind, Value
from flintc.analysis.symbols import Resolution, Typing, Variable
from flintc.analysis.types import (
    STRING,
    UNKNOWN,
    Array,
    Map,
    Object,
    Optional,
    StructRef,
    Tuple,
    Type,
    TypeParameter,
)
from flintc.problems import Label
from flintc.source import Span
from flintc.syntax import nodes

_MANY: Final = 1000  # fields of an undeclared map from which on it is only a map
_MAX_TURNS: Final = 3
_FIXED: Final = ("int", "float", "number", "bool", "string", "bytes", "callable")


class StatementChecker(CallChecker):
    """Checks statements in the order of the text."""

    def __init__(self, resolution: Resolution, typing: Typing, report: Report) -> None:
        super().__init__(resolution, typing, report)
        self.turns: dict[nodes.Block, int] = {}  # that loops were looked at more than once

    def statements(self, statements: tuple[nodes.Statement, ...]) -> None:
        for statement in statements:
            handler = _STATEMENTS.get(type(statement))
            resolved = statement in self.resolution.variables
            if handler is not None and (resolved or not isinstance(statement, _NAMING)):
                handler(self, statement)

    # -- bindings ------------------------------------------------------------------------

    def let(self, node: nodes.Let) -> None:
        variable = self.resolution.variables[node]
        declared = self.resolution.annotation(node.annotation)
        with self.report.explaining(variable):
            value = self.value(node.value)
        if declared is None:
            self.generic_value(node.value)
        else:
            where = node.annotation.span if node.annotation is not None else None
            self.check(node.value, value, declared, Place(f"`{node.name.name}`", where))
        slot = self.slot(value, declared)
        self.state.bind(variable, slot.value, slot.declared)

    def assign(self, node: nodes.Assign) -> None:
        variable = self.resolution.variables[node]
        declared = self.state.declared(variable)
        with self.report.explaining(variable):
            value = self.value(node.value)
        if declared is None:
            self.state.bind(variable, value)
            return
        self.check(node.value, value, declared, Place(f"`{variable.name}`", variable.span))
        self.state.bind(variable, self.slot(value, declared).value, declared)

    def add_assign(self, node: nodes.AddAssign) -> None:
        variable = self.resolution.variables[node]
        before, value = self.state.get(variable), self.plain(node.value, "it can be added")
        for known, span in ((before, node.name.span), (value, node.value.span)):
            if known.read != v.ANY and known.read.name not in v.NUMERIC:
                title = f"`+=` adds numbers, not {v.describe(known)}"
                help = f"write `{variable.name} = {variable.name} + …;`"
                self.report.error("E_ARGUMENT_TYPE", title, span, help)
        declared = self.state.declared(variable)
        kind = v.numeric(before.read, value.read)
        if declared is None:
            self.state.bind(variable, v.operator_result(kind))
        else:
            place = Place(f"`{variable.name}`", variable.span)
            self.check(node.value, v.operator_result(kind), declared, place)

    def member_assign(self, node: nodes.MemberAssign) -> None:
        self._int_index(node, STRING, node.member.span)
        self._store(node, node.member.name, self.value(node.value))

    def index_assign(self, node: nodes.IndexAssign) -> None:
        key = self.value(node.index)
        self._int_index(node, key_type(key), node.index.span)
        self._store(node, literal_key(node.index), self.value(node.value))

    def _int_index(
        self, node: nodes.MemberAssign | nodes.IndexAssign, key: Type | None, span: Span
    ) -> None:
        container = self.state.get(self.resolution.variables[node])
        if container.kind.name == "array":
            self.int_key(key, v.type_of(container), span)

    def _store(
        self, node: nodes.MemberAssign | nodes.IndexAssign, key: object, value: Value
    ) -> None:
        """A changed element changes the type of an undeclared variable (3.3, 3.4)."""
        variable = self.resolution.variables[node]
        container = self.state.get(variable)
        if container.kind.name in _FIXED:
            title = f"elements of a value of type {v.describe(container)} cannot be assigned"
            self.report.error("E_ARGUMENT_TYPE", title, node.name.span)
        schema = container.schema
        item = schema.element if isinstance(schema, Array) else None
        item = schema.value if isinstance(schema, Map) else item
        if item is not None:
            self.closures(node.value, item)
        declared = self.state.declared(variable)
        if declared is not None:
            self.state.bind(variable, container, declared)
            return
        kind = _with_element(container.kind, value.read)
        part = _with_part(schema, key, value)
        self.state.bind(variable, Value(kind, part, container.optional, container.declared))

    # -- branches ------------------------------------------------------------------------

    def expression(self, node: nodes.ExprStatement) -> None:
        self.value(node.value)

    def if_(self, node: nodes.If) -> None:
        self.value(node.condition)
        ends: list[dict[Variable, Slot]] = []
        with self.state.branch(ends), self.refined_by(node.condition):
            self.statements(node.then.statements)
        with self.state.branch(ends):
            if isinstance(node.orelse, nodes.If):
                self.if_(node.orelse)
            elif node.orelse is not None:
                self.statements(node.orelse.statements)
        self._meet(ends, node.condition.span, "the branches")

    def _meet(self, ends: list[dict[Variable, Slot]], span: Span, what: str) -> None:
        for variable, left, right in self.state.meet(ends):
            if self.lenient and v.ANY in (left.read, right.read):
                continue
            kinds = v.describe(left), v.describe(right)
            title = f"{what} leave `{variable.name}` with different types: {' and '.join(kinds)}"
            label = Label(variable.span, "bound here")
            help = one_type_for(variable, left.read.name, right.read.name)
            if kinds[0].rstrip("?") == kinds[1].rstrip("?"):
                help = "an assigned optional is optional again: give the plain value its own name"
            self.report.error("E_BRANCH_TYPES", title, span, help, label)
            self.report.explained.add(variable)

    # -- loops ---------------------------------------------------------------------------

    def while_(self, node: nodes.While) -> None:
        self.value(node.condition)
        self._loop(node.body, node.condition.span)  # conditions of loops do not refine (3.6)

    def _loop(self, body: nodes.Block, span: Span) -> None:
        """The body of a loop, again when a turn tells more of variables that it reads first."""
        changed = self._turn(body, span)
        while changed and self.turns.get(body, 0) < _MAX_TURNS:
            self.turns[body] = self.turns.get(body, 0) + 1
            changed = self._turn(body, span)

    def _turn(self, body: nodes.Block, span: Span) -> bool:
        """Whether the variables after a turn, or none, differ from those before it."""
        ends: list[dict[Variable, Slot]] = []
        with self.state.branch(ends):
            self.statements(body.statements)
        before = {variable: self.state.slots.get(variable) for variable in ends[0]}
        ends.append({})  # the loop may not run at all
        self._meet(ends, span, "the turns of the loop")
        slots = self.state.slots
        return any(known not in (None, slots.get(one)) for one, known in before.items())

    def for_range(self, node: nodes.ForRange) -> None:
        variable = self.resolution.variables[node]
        start = self.plain(node.start, "it can start a range")
        self.state.bind(variable, Value(start.read, start.schema))
        self.plain(node.end, "it can end a range")
        self.state.bind(variable, v.operator_result(v.add(start.read, v.INT_KIND)))
        self._loop(node.body, node.name.span)

    def for_map(self, node: nodes.ForMap) -> None:
        source = self.state.get(self.resolution.variables[node])
        if source.kind.name not in ("map", v.ANY.name):
            title = f"a map loop goes over a map, not {v.describe(source)}"
            self.report.error("E_ARGUMENT_TYPE", title, node.source.span)
        key, value = (self.resolution.variables[ident] for ident in (node.key, node.value))
        self.state.put(key, Slot(v.of(key.declared or UNKNOWN)))
        self.state.put(value, Slot(v.of(value.declared or UNKNOWN, declared=True)))
        self._loop(node.body, node.key.span)


def _with_element(container: Kind, item: Kind) -> Kind:
    """The kind of a container after a store."""
    if container.name not in ("array", "map") or container.element is None:
        return container
    if container.element in (v.NOT_YET, item.name):
        return Kind(container.name, item.name if item.name in v.SIMPLE else None)
    return Kind(container.name)


def _with_part(schema: Type | None, key: object, value: Value) -> Type | None:
    """The schema of a container after a store (3.4)."""
    part = value.schema if value.schema is not None else UNKNOWN
    if isinstance(schema, (StructRef, TypeParameter, Optional)) or schema is None:
        return schema
    if isinstance(schema, Object):
        if not isinstance(key, str) or len(schema.fields) > _MANY:
            return Map(part)
        return Object((*((name, t) for name, t in schema.fields if name != key), (key, part)))
    if isinstance(schema, Tuple):
        return _with_item(schema, key, part)
    if isinstance(schema, Array):
        if schema.element is UNKNOWN and key is None:
            return Tuple((part,))
        return schema if schema.element == part else Array(UNKNOWN)
    if isinstance(schema, Map):
        return schema if schema.value == part else Map(UNKNOWN)
    return schema


def _with_item(schema: Tuple, key: object, part: Type) -> Type:
    if isinstance(key, int) and key < len(schema.items):
        return Tuple((*schema.items[:key], part, *schema.items[key + 1 :]), schema.rest)
    items = {*schema.items, part} | ({schema.rest} if schema.rest is not None else set())
    return Array(part) if len(items) == 1 else Array(UNKNOWN)


# Statements that name a variable; one whose name means nothing has been reported.
_NAMING: Final = (
    nodes.Assign,
    nodes.AddAssign,
    nodes.MemberAssign,
    nodes.IndexAssign,
    nodes.ForMap,
)

_Handler = Callable[[StatementChecker, Any], None]
_STATEMENTS: Final[dict[type[nodes.Node], _Handler]] = {
    nodes.Let: StatementChecker.let,
    nodes.Assign: StatementChecker.assign,
    nodes.AddAssign: StatementChecker.add_assign,
    nodes.MemberAssign: StatementChecker.member_assign,
    nodes.IndexAssign: StatementChecker.index_assign,
    nodes.ExprStatement: StatementChecker.expression,
    nodes.If: StatementChecker.if_,
    nodes.While: StatementChecker.while_,
    nodes.ForRange: StatementChecker.for_range,
    nodes.ForMap: StatementChecker.for_map,
}
