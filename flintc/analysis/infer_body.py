"""The types of one body: statements, bindings and the values that arrive in variables."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from flintc.analysis import arithmetic
from flintc.analysis.declared import coerce
from flintc.analysis.infer_calls import CallTyper
from flintc.analysis.lattice import BOTTOM, MIXED, map_value
from flintc.analysis.symbols import FunctionSymbol, Scope
from flintc.analysis.types import (
    INT,
    NULL,
    STRING,
    UNKNOWN,
    Array,
    Map,
    Object,
    StructRef,
    Tuple,
    Type,
    strip_optional,
)
from flintc.syntax import nodes


class BodyTyper(CallTyper):
    """Visits the body of a file or a function and tells `Facts` what it sees."""

    def body(self, scope: Scope) -> None:
        owner = scope.owner
        if isinstance(owner, nodes.Program):
            self.statements(owner.statements)
        elif isinstance(owner, nodes.Function) and owner.body is not None:
            self._function(self.resolution.functions[owner], owner.body)

    def _function(self, symbol: FunctionSymbol, body: nodes.ValueBlock) -> None:
        declared = self.resolution.annotation(symbol.node.result)
        self.facts.add(symbol, self.declared_type(body, declared))
        self.follow_demand(body, symbol)

    def statements(self, statements: tuple[nodes.Statement, ...]) -> None:
        for statement in statements:
            handler = _STATEMENTS.get(type(statement))
            if handler is not None and self._is_resolved(statement):
                handler(self, statement)

    def _is_resolved(self, statement: nodes.Statement) -> bool:
        """Assignments to names that mean nothing have been reported, and are left out."""
        return not isinstance(statement, _CHANGES) or statement in self.resolution.variables

    def declared(self, value: Type, declared: Type | None) -> Type:
        return value if declared is None else coerce(value, declared, self.facts)

    # -- bindings ------------------------------------------------------------------------

    def let(self, node: nodes.Let) -> None:
        declared = self.resolution.annotation(node.annotation)
        self._bind(node, node.value, declared)

    def assign(self, node: nodes.Assign) -> None:
        variable = self.resolution.variables[node]
        self._bind(node, node.value, variable.declared)

    def _bind(
        self, node: nodes.Let | nodes.Assign, value: nodes.Expr, declared: Type | None
    ) -> None:
        variable = self.resolution.variables[node]
        self.facts.add(variable, self.declared_type(value, declared))
        self.follow_demand(value, variable)

    def add_assign(self, node: nodes.AddAssign) -> None:
        variable = self.resolution.variables[node]
        result = arithmetic.add(self.facts.read(variable), self.type(node.value))
        self.facts.add(variable, self.declared(result, variable.declared))

    def member_assign(self, node: nodes.MemberAssign) -> None:
        value = self.type(node.value)
        self._store(node, node.member.name, value)

    def index_assign(self, node: nodes.IndexAssign) -> None:
        self.type(node.index)
        self.used_as_int(node.index)
        item = _item_of(self.resolution.variables[node].declared)
        value = self.declared_type(node.value, item)
        field = node.index.value if isinstance(node.index, nodes.StringLiteral) else None
        self._store(node, field, value)

    def _store(
        self, node: nodes.MemberAssign | nodes.IndexAssign, field: str | None, value: Type
    ) -> None:
        """`variable[key] = value`; nothing checks that the type is the declared one (3.9)."""
        variable = self.resolution.variables[node]
        container = strip_optional(self.facts.read(variable))
        item = _item_of(variable.declared)
        if item is not None:
            value = coerce(value, item, self.facts)
        if isinstance(container, StructRef):
            self.facts.store_field(container, field, value)
        elif isinstance(container, (Array, Tuple)):
            self.facts.add(variable, Array(value))
        elif isinstance(container, Object) and field is not None:
            self.facts.add(variable, Object(((field, _without_null(value)),)))
        elif isinstance(container, (Map, Object)):
            self.facts.add(variable, Map(_without_null(value)))
        elif container is UNKNOWN and value not in (UNKNOWN, BOTTOM):
            self.facts.add(variable, MIXED)
        self.demand(node.value, self.part(container, field, None))

    # -- control flow --------------------------------------------------------------------

    def expression(self, node: nodes.ExprStatement) -> None:
        self.type(node.value)

    def if_(self, node: nodes.If) -> None:
        at: nodes.If | nodes.Block | None = node
        while isinstance(at, nodes.If):
            self.type(at.condition)
            with self.refined_by(at.condition, at.then.span):
                self.statements(at.then.statements)
            at = at.orelse
        if at is not None:
            self.statements(at.statements)

    def while_(self, node: nodes.While) -> None:
        self.type(node.condition)
        self.statements(node.body.statements)

    def for_range(self, node: nodes.ForRange) -> None:
        variable = self.resolution.variables[node]
        start = arithmetic.plain(self.type(node.start))
        self.facts.add(variable, start)
        self.facts.add(variable, arithmetic.add(start, INT))
        self.used_as_int(node.start, node.end)
        self.type(node.end)
        self.statements(node.body.statements)

    def for_map(self, node: nodes.ForMap) -> None:
        source = self.resolution.variables.get(node)
        key, value = (self.resolution.variables[ident] for ident in (node.key, node.value))
        self.facts.add(key, STRING)
        if source is not None:
            values = self._values(strip_optional(self.facts.read(source)))
            self.facts.add(value, self.declared(values, value.declared))
        self.statements(node.body.statements)

    def _values(self, type_: Type) -> Type:
        if isinstance(type_, StructRef):
            type_ = self.facts.expand(type_)
        if isinstance(type_, (Map, Object)):
            return map_value(type_)
        return type_ if type_ is BOTTOM or type_ is UNKNOWN else MIXED


def _item_of(declared: Type | None) -> Type | None:
    """What the elements of a declared container should be."""
    if isinstance(declared, Array):
        return declared.element
    return declared.value if isinstance(declared, Map) else None


def _without_null(type_: Type) -> Type:
    """Storing null in a map removes the key (5.6)."""
    return BOTTOM if type_ is NULL else strip_optional(type_)


_CHANGES: Final = (nodes.Assign, nodes.AddAssign, nodes.MemberAssign, nodes.IndexAssign)

_Handler = Callable[[BodyTyper, Any], None]
_STATEMENTS: Final[dict[type[nodes.Node], _Handler]] = {
    nodes.Let: BodyTyper.let,
    nodes.Assign: BodyTyper.assign,
    nodes.AddAssign: BodyTyper.add_assign,
    nodes.MemberAssign: BodyTyper.member_assign,
    nodes.IndexAssign: BodyTyper.index_assign,
    nodes.ExprStatement: BodyTyper.expression,
    nodes.If: BodyTyper.if_,
    nodes.While: BodyTyper.while_,
    nodes.ForRange: BodyTyper.for_range,
    nodes.ForMap: BodyTyper.for_map,
}
