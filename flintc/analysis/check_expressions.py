"""Types of expressions in the order of the text, and what is wrong with them.

Language reference 3.3, 3.4, 3.6, 3.8 to 3.11. Where the reference knows too little of a value to
allow something that is right (its listed quirks), this checker allows it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, Final

from flintc.analysis import check_values as v
from flintc.analysis.check_report import Report
from flintc.analysis.check_schemas import Schemas
from flintc.analysis.check_state import Slot, State
from flintc.analysis.check_values import Kind, Value
from flintc.analysis.refinement import refinement
from flintc.analysis.symbols import Resolution, Typing, Variable
from flintc.analysis.types import (
    BOOL,
    BYTES,
    FLOAT,
    INT,
    NULL,
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
from flintc.analysis.types import Callable as CallableType
from flintc.syntax import nodes

_LONG: Final = 64  # items of an array literal from which on its type is kept short
_ARITHMETIC: Final = ("-", "*", "/", "%")
_MEASURED: Final = ("string", "bytes", "array", "map")


class ExpressionChecker(ABC):
    """Checks expressions against the `State` of variables at their place."""

    def __init__(self, resolution: Resolution, typing: Typing, report: Report) -> None:
        self.resolution = resolution
        self.typing = typing
        self.report = report
        self.schemas = Schemas(resolution.structs)
        self.state = State()
        self.lenient = False  # in a generic function, where values of unknown type are allowed

    @abstractmethod
    def statements(self, statements: tuple[nodes.Statement, ...]) -> None: ...

    @abstractmethod
    def call(self, node: nodes.Call) -> Value: ...

    @abstractmethod
    def function_value(self, node: nodes.Name) -> Value: ...

    def value(self, node: nodes.Expr | nodes.ValueBlock) -> Value:
        handler = _EXPRESSIONS.get(type(node))
        return v.UNKNOWN_VALUE if handler is None else handler(self, node)

    def plain(self, node: nodes.Expr, what: str) -> Value:
        """A value that may not be optional here."""
        value = self.value(node)
        if value.optional:
            self.report.optional(what, node.span)
        return value

    # -- names and literals --------------------------------------------------------------

    def name(self, node: nodes.Name) -> Value:
        variable = self.resolution.variables.get(node)
        return self.function_value(node) if variable is None else self.state.get(variable)

    def array_literal(self, node: nodes.ArrayLiteral) -> Value:
        items = [self.value(item) for item in node.items]
        schemas = tuple(_schema(item) for item in items)
        kind = v.container_kind("array", [item.read for item in items])
        if not items or (len(items) > _LONG and len(set(schemas)) == 1):
            return Value(kind, Array(schemas[0] if items else UNKNOWN))
        return Value(kind, Tuple(schemas))

    def map_literal(self, node: nodes.MapLiteral) -> Value:
        fields: dict[str, Type] = {}
        values: list[Value] = []
        keyed = True
        for entry in node.entries:
            self.value(entry.key)
            values.append(self.value(entry.value))
            if isinstance(entry.key, nodes.StringLiteral):
                fields[entry.key.value] = _schema(values[-1])
            else:
                keyed = False
        kind = v.container_kind("map", [value.read for value in values])
        if keyed:
            return Value(kind, Object(tuple(fields.items())))
        return Value(kind, Map(_schema(values[-1])))

    def closure(self, node: nodes.Closure) -> Value:
        params = (UNKNOWN,) * len(node.params)
        return Value(v.CALLABLE_KIND, CallableType(params, UNKNOWN), closure=node)

    # -- operators -----------------------------------------------------------------------

    def operation(self, node: nodes.Operation) -> Value:
        operands = [self.value(operand) for operand in node.operands]
        for at, operand in enumerate(operands):
            if operand.optional and not _compares_null(node, at):
                self.report.optional("an operation", node.operands[at].span)
        kind = operands[0].read
        for operator, operand in zip(node.operators, operands[1:], strict=True):
            kind = _apply(operator, kind, operand.read)
        return v.operator_result(kind)

    def unary(self, node: nodes.Unary) -> Value:
        if node.operator in ("&", "&mut"):
            return self.value(node.operand)
        operand = self.plain(node.operand, "an operation")
        if node.operator == "!":
            return v.operator_result(v.BOOL_KIND)
        known = operand.read.name in v.NUMERIC
        return v.operator_result(operand.read if known else v.ANY)

    # -- blocks and branches -------------------------------------------------------------

    def value_block(self, node: nodes.ValueBlock) -> Value:
        self.statements(node.statements)
        return self.value(node.value)

    def if_expr(self, node: nodes.IfExpr) -> Value:
        self.value(node.condition)
        ends: list[dict[Variable, Slot]] = []
        with self.state.branch(ends), self.refined_by(node.condition):
            then = self.value(node.then)
        with self.state.branch(ends):
            orelse = self.value(node.orelse)
        self.state.meet(ends)
        return self._branches([(then, node.then), (orelse, node.orelse)], "the branches")

    def match(self, node: nodes.Match) -> Value:
        scrutinee = self.value(node.scrutinee)
        ends: list[dict[Variable, Slot]] = []
        results: list[tuple[Value, nodes.Node]] = []
        for arm in node.arms:
            with self.state.branch(ends):
                self._pattern(arm.pattern, scrutinee)
                results.append((self.value(arm.body), arm.body))
        self.state.meet(ends)
        return self._branches(results, "the arms")

    def _pattern(self, pattern: nodes.Pattern, scrutinee: Value) -> None:
        is_none = isinstance(pattern, nodes.NullPattern) and pattern.is_none
        if isinstance(pattern, nodes.BindPattern):
            variable = self.resolution.variables[pattern]
            self.state.put(variable, Slot(scrutinee.plain()))
        elif not is_none:
            return
        if not scrutinee.optional and scrutinee.kind not in (v.ANY, v.NULL_KIND):
            title = "`Some(…)` and `None` only match optional values"
            help = f"the value is of type {v.describe(scrutinee)}: match it without them"
            self.report.error("E_NOT_OPTIONAL", title, pattern.span, help)

    def _branches(self, results: list[tuple[Value, nodes.Node]], what: str) -> Value:
        """The value of an if-expression or match (3.3, 3.11)."""
        first = results[0][0]
        common: Type | None = first.schema
        kind, merged = first.read, first.read
        for value, node in results[1:]:
            if not self.agree(merged, value.read):
                self.report.branches(what, results[0][0], value, _result_span(node))
            common = v.same_or_none(common, value.schema)
            kind = kind if kind == value.read else v.ANY
            merged = value.read if merged == v.NULL_KIND else v.merge(merged, value.read)
        optional = any(value.optional for value, _ in results)
        inner = v.kind_of(common) if common is not None and kind == v.ANY else kind
        if optional:
            known = [value.kind for value, _ in results if value.kind != v.NULL_KIND]
            inner = known[0] if known and all(one == known[0] for one in known) else v.ANY
        return Value(inner, common, optional, all(value.declared for value, _ in results))

    def agree(self, left: Kind, right: Kind) -> bool:
        """Whether two branches go together (3.2)."""
        return v.compatible(left, right) or (self.lenient and v.ANY in (left, right))

    @contextmanager
    def refined_by(self, condition: nodes.Expr) -> Iterator[None]:
        """The part in which a condition holds (3.6)."""
        found = refinement(condition, self.resolution)
        if found is None:
            yield
            return
        variable, wanted = found
        value = self.state.get(variable).plain()
        if wanted != UNKNOWN and v.kind_of(wanted) != value.kind:
            value = Value(v.kind_of(wanted))
        with self.state.refined(variable, value):
            yield

    # -- containers ----------------------------------------------------------------------

    def member(self, node: nodes.Member) -> Value:
        container = self._container(node)
        return self._access(node, container, STRING, node.name.name)

    def index(self, node: nodes.Index) -> Value:
        container = self._container(node)
        key = self.plain(node.key, "it can be a key")
        literal = literal_key(node.key)
        return self._access(node, container, _key_type(key), literal)

    def _container(self, node: nodes.Member | nodes.Index) -> Value:
        if node.optional:
            return self.value(node.container)
        return self.plain(node.container, "its parts can be read")

    def _access(
        self,
        node: nodes.Member | nodes.Index,
        container: Value,
        key: Type | None,
        literal: object,
    ) -> Value:
        if node.optional and not container.declared and container.kind != v.NULL_KIND:
            title = "`?.` needs a value of a declared type"
            help = "bind it with its type first: `let x: T? = …;`"
            self.report.error("E_UNDECLARED_TYPE", title, node.container.span, help)
        part = self._part(node, container, key, literal)
        return replace(part, optional=True) if node.optional else part

    def _part(
        self,
        node: nodes.Member | nodes.Index,
        container: Value,
        key: Type | None,
        literal: object,
    ) -> Value:
        schema = container.schema
        if isinstance(schema, StructRef):
            return self._field(node, schema, key, literal)
        if isinstance(schema, Object):
            return _object_part(schema, container, literal)
        if isinstance(schema, Map):
            return _part_of(schema.value, container)
        if isinstance(schema, Array | Tuple):
            self._int_key(node, key, schema)
            return _part_of(_item(schema, literal), container)
        if container.kind.name in ("string", "bytes"):
            self._int_key(node, key, container.schema or STRING)
            return Value(v.STRING_KIND if container.kind == v.STRING_KIND else v.INT_KIND,
                         STRING if container.kind == v.STRING_KIND else INT)  # fmt: skip
        if container.kind.name in ("int", "float", "number", "bool", "callable"):
            title = f"a value of type {v.describe(container)} has no parts"
            self.report.error("E_NO_PARTS", title, node.container.span)
        if container.kind.name == "array":
            self._int_key(node, key, Array(UNKNOWN))
        return Value(v.element_kind(container.kind), declared=container.declared)

    def _field(
        self, node: nodes.Member | nodes.Index, struct: StructRef, key: Type | None, literal: object
    ) -> Value:
        fields = self.schemas.fields(struct)
        if key not in (None, STRING):
            title = f"fields of `{struct.name}` have names; this key is no string"
            self.report.error("E_INDEX_TYPE", title, _key_span(node))
            return v.UNKNOWN_VALUE
        if not isinstance(literal, str):
            common = set(fields.values())
            return v.of(common.pop(), declared=True) if len(common) == 1 else v.UNKNOWN_VALUE
        if literal not in fields:
            names = ", ".join(f"`{name}`" for name in list(fields)[:8]) or "none"
            title = f"struct `{struct.name}` has no field `{literal}`"
            self.report.error("E_UNKNOWN_FIELD", title, _key_span(node), f"its fields: {names}")
            return v.UNKNOWN_VALUE
        return _part_of(fields[literal], Value(v.ANY, declared=True))

    def _int_key(self, node: nodes.Member | nodes.Index, key: Type | None, container: Type) -> None:
        if key is None or key in (INT, UNKNOWN) or isinstance(key, TypeParameter):
            return
        title = f"a value of type {v.describe(v.of(container))} is indexed by int"
        self.report.error("E_INDEX_TYPE", title, _key_span(node))

    def slice(self, node: nodes.Slice) -> Value:
        container = self.plain(node.container, "a slice of it")
        for bound in (node.start, node.end):
            if bound is not None:
                self.plain(bound, "it can bound a slice")
        if container.kind.name in ("int", "float", "number", "bool", "map", "callable", "null"):
            title = f"a value of type {v.describe(container)} cannot be sliced"
            self.report.error("E_ARGUMENT_TYPE", title, node.container.span)
        schema = container.schema
        if isinstance(schema, Tuple):
            schema = _common_array(schema)
        return Value(container.kind, schema, declared=container.declared)

    def copy(self, node: nodes.Copy) -> Value:
        return self.value(node.value)

    def unwrap_or(self, node: nodes.UnwrapOr) -> Value:
        value = self.value(node.value)
        default = self.plain(node.default, "it can be a fallback")
        if not value.optional and value.kind not in (v.ANY, v.NULL_KIND):
            title = f"`.unwrap_or` needs an optional value; this is {v.describe(value)}"
            self.report.error("E_NOT_OPTIONAL", title, node.value.span, "leave it out")
        inner = value.kind if value.kind not in (v.ANY, v.NULL_KIND) else default.kind
        if not self.agree(inner, default.kind):
            self.report.branches("value and fallback", value.plain(), default, node.default.span)
        schema = value.schema if value.schema is not None else default.schema
        return Value(inner, schema)

    def length(self, node: nodes.Length) -> Value:
        self._measured(node.value, "`.length`", _MEASURED)
        return v.operator_result(v.INT_KIND)

    def has(self, node: nodes.Has) -> Value:
        self._measured(node.value, "`.has`", ("array", "bytes", "map"))
        self.plain(node.key, "it can be a key")
        return v.operator_result(v.BOOL_KIND)

    def keys(self, node: nodes.Keys) -> Value:
        kind = self._measured(node.value, "`.keys`", ("array", "map")).kind
        return Value(Kind("array", "int") if kind.name == "array" else Kind("array"))

    def _measured(self, node: nodes.Expr, what: str, allowed: tuple[str, ...]) -> Value:
        value = self.plain(node, what)
        if not value.optional and value.kind != v.ANY and value.kind.name not in allowed:
            title = f"a value of type {v.describe(value)} has no {what}"
            self.report.error("E_ARGUMENT_TYPE", title, node.span)
        return value


# -- helpers -------------------------------------------------------------------------------


def _schema(value: Value) -> Type:
    """The schema of a part of a literal; there the kind of a scalar is enough."""
    if value.schema is None:
        return v.scalar(value.read)
    return Optional(value.schema) if value.optional else value.schema


def _compares_null(node: nodes.Operation, at: int) -> bool:
    """Whether an operand is only compared with the literal null."""
    if len(node.operands) != 2 or node.operators[0] not in ("==", "!="):
        return False
    return isinstance(node.operands[1 - at], nodes.NullLiteral)


def _apply(operator: str, left: Kind, right: Kind) -> Kind:
    if operator == "+":
        return v.add(left, right)
    return v.numeric(left, right) if operator in _ARITHMETIC else v.BOOL_KIND


def literal_key(key: nodes.Expr) -> str | int | None:
    """The key that a literal writes."""
    return key.value if isinstance(key, nodes.StringLiteral | nodes.IntLiteral) else None


def _key_type(key: Value) -> Type | None:
    type_ = v.scalar(key.read)
    return None if type_ == UNKNOWN else type_


def _key_span(node: nodes.Member | nodes.Index) -> Any:
    return node.name.span if isinstance(node, nodes.Member) else node.key.span


def _part_of(type_: Type, container: Value) -> Value:
    """A read part: an optional field counts as plain, unless read by `?.` (3.6)."""
    inner = type_.inner if isinstance(type_, Optional) else type_
    return v.of(inner, declared=container.declared)


def _object_part(schema: Object, container: Value, literal: object) -> Value:
    if isinstance(literal, str):
        field = schema.field(literal)
        return v.UNKNOWN_VALUE if field is None else _part_of(field, container)
    kinds = {field for _, field in schema.fields}
    if len(kinds) == 1:
        return _part_of(kinds.pop(), container)
    return Value(v.element_kind(container.kind))


def _item(schema: Array | Tuple, literal: object) -> Type:
    if isinstance(schema, Array):
        return schema.element
    if isinstance(literal, int) and literal < len(schema.items):
        return schema.items[literal]
    common = {*schema.items, *(() if schema.rest is None else (schema.rest,))}
    if isinstance(literal, int):
        return UNKNOWN if schema.rest is None else schema.rest
    return common.pop() if len(common) == 1 else UNKNOWN


def _common_array(schema: Tuple) -> Type | None:
    common = {*schema.items, *(() if schema.rest is None else (schema.rest,))}
    return Array(common.pop()) if len(common) == 1 else None


def _result_span(node: nodes.Node) -> Any:
    return node.value.span if isinstance(node, nodes.ValueBlock) else node.span


_Handler = Callable[[ExpressionChecker, Any], Value]
_EXPRESSIONS: Final[dict[type[nodes.Node], _Handler]] = {
    nodes.IntLiteral: lambda self, node: v.of(INT),
    nodes.FloatLiteral: lambda self, node: v.of(FLOAT),
    nodes.StringLiteral: lambda self, node: v.of(STRING),
    nodes.BytesLiteral: lambda self, node: v.of(BYTES),
    nodes.BoolLiteral: lambda self, node: v.of(BOOL),
    nodes.NullLiteral: lambda self, node: v.of(NULL),
    nodes.Name: ExpressionChecker.name,
    nodes.Call: lambda self, node: self.call(node),
    nodes.Operation: ExpressionChecker.operation,
    nodes.Unary: ExpressionChecker.unary,
    nodes.ValueBlock: ExpressionChecker.value_block,
    nodes.IfExpr: ExpressionChecker.if_expr,
    nodes.Match: ExpressionChecker.match,
    nodes.Closure: ExpressionChecker.closure,
    nodes.ArrayLiteral: ExpressionChecker.array_literal,
    nodes.MapLiteral: ExpressionChecker.map_literal,
    nodes.Member: ExpressionChecker.member,
    nodes.Index: ExpressionChecker.index,
    nodes.Slice: ExpressionChecker.slice,
    nodes.Copy: ExpressionChecker.copy,
    nodes.UnwrapOr: ExpressionChecker.unwrap_or,
    nodes.Length: ExpressionChecker.length,
    nodes.Has: ExpressionChecker.has,
    nodes.Keys: ExpressionChecker.keys,
}
