"""Reads of parts of values: elements, fields, slices, lengths (reference 3.4, 3.9, 3.10)."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import replace
from itertools import islice
from typing import Final

from flintc.analysis import check_values as v
from flintc.analysis.check_report import Report
from flintc.analysis.check_schemas import Schemas
from flintc.analysis.check_state import State
from flintc.analysis.check_values import Kind, Value
from flintc.analysis.suggest import did_you_mean
from flintc.analysis.symbols import Resolution, Typing
from flintc.analysis.types import (
    INT,
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
from flintc.source import Span
from flintc.syntax import nodes

_SHOWN_FIELDS: Final = 8  # in the help for a field that does not exist
_MEASURED: Final = ("string", "bytes", "array", "map")


class ContainerChecker(ABC):
    """The part of checking expressions that looks into values."""

    def __init__(self, resolution: Resolution, typing: Typing, report: Report) -> None:
        self.resolution = resolution
        self.typing = typing
        self.report = report
        self.schemas = Schemas(resolution.structs)
        self.state = State()
        self.lenient = False  # in a generic function, where values of unknown type are allowed

    @abstractmethod
    def value(self, node: nodes.Expr | nodes.ValueBlock) -> Value:
        """Check an expression and give what is known of its value."""

    def plain(self, node: nodes.Expr, what: str) -> Value:
        """A value that may not be optional here."""
        value = self.value(node)
        if value.optional:
            self.report.optional(what, node.span)
        return value

    def agree(self, left: Kind, right: Kind) -> bool:
        """Whether two branches go together (3.2)."""
        return v.compatible(left, right) or (self.lenient and v.ANY in (left, right))

    # -- containers ----------------------------------------------------------------------

    def member(self, node: nodes.Member) -> Value:
        container = self._container(node)
        return self._access(node, container, STRING, node.name.name)

    def index(self, node: nodes.Index) -> Value:
        container = self._container(node)
        key = self.plain(node.key, "it can be a key")
        literal = literal_key(node.key)
        return self._access(node, container, key_type(key), literal)

    def _container(self, node: nodes.Member | nodes.Index) -> Value:
        if node.optional:
            return self.value(node.container)
        value = self.plain(node.container, "its parts can be read")
        if value.nullable:
            self.report.optional("its parts can be read", node.container.span)
        return value

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
        if isinstance(schema, (Array, Tuple)):
            self.int_key(key, schema, _key_span(node))
            return _part_of(_item(schema, literal), container)
        if container.kind.name in ("string", "bytes"):
            self.int_key(key, container.schema or STRING, _key_span(node))
            return Value(v.STRING_KIND if container.kind == v.STRING_KIND else v.INT_KIND,
                         STRING if container.kind == v.STRING_KIND else INT)  # fmt: skip
        if container.kind.name in ("int", "float", "number", "bool", "callable"):
            title = f"a value of type {v.describe(container)} has no parts"
            self.report.error("E_NO_PARTS", title, node.container.span)
        if container.kind.name == "array":
            self.int_key(key, Array(UNKNOWN), _key_span(node))
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
            title = f"struct `{struct.name}` has no field `{literal}`"
            help = did_you_mean(literal, fields, self.report.problems) or _fields(fields)
            self.report.error("E_UNKNOWN_FIELD", title, _key_span(node), help)
            return v.UNKNOWN_VALUE
        return _part_of(fields[literal], Value(v.ANY, declared=True))

    def int_key(self, key: Type | None, container: Type, span: Span) -> None:
        if key is None or key in (INT, UNKNOWN) or isinstance(key, TypeParameter):
            return
        index = v.describe(v.of(key))
        title = f"a value of type {v.describe(v.of(container))} is indexed by int, not {index}"
        self.report.error("E_INDEX_TYPE", title, span)

    def slice(self, node: nodes.Slice) -> Value:
        container = self.plain(node.container, "a slice of it")
        for bound in (node.start, node.end):
            if bound is not None:
                limit = self.plain(bound, "it can bound a slice")
                self.int_key(key_type(limit), v.type_of(container), bound.span)
        if container.kind.name in ("int", "float", "number", "bool", "map", "callable", "null"):
            title = f"a value of type {v.describe(container)} cannot be sliced"
            self.report.error("E_ARGUMENT_TYPE", title, node.container.span)
        schema = container.schema
        if isinstance(schema, Tuple):
            schema = _common_array(schema)
        return Value(container.kind, schema, declared=container.declared)

    def length(self, node: nodes.Length) -> Value:
        self._measured(node.value, "`.length`", _MEASURED)
        return v.operator_result(v.INT_KIND)

    def has(self, node: nodes.Has) -> Value:
        value = self._measured(node.value, "`.has`", ("array", "bytes", "map"))
        key = self.plain(node.key, "it can be a key")
        if value.kind.name in ("array", "bytes"):
            self.int_key(key_type(key), v.type_of(value), node.key.span)
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


def _fields(names: Iterable[str]) -> str:
    shown = ", ".join(f"`{name}`" for name in islice(names, _SHOWN_FIELDS))
    return f"its fields: {shown or 'none'}"


def literal_key(key: nodes.Expr) -> str | int | None:
    """The key that a literal writes."""
    return key.value if isinstance(key, (nodes.StringLiteral, nodes.IntLiteral)) else None


def key_type(key: Value) -> Type | None:
    """The type of a key; None where it is not known."""
    if key.read.name in ("array", "map", "callable"):
        return Array(UNKNOWN)  # stands for all of them: no index is one
    type_ = v.scalar(key.read)
    return None if type_ is UNKNOWN else type_


def _key_span(node: nodes.Member | nodes.Index) -> Span:
    return node.name.span if isinstance(node, nodes.Member) else node.key.span


def _part_of(type_: Type, container: Value) -> Value:
    """A read part: an optional field counts as plain, unless read by `?.` (3.6)."""
    if isinstance(type_, Optional):
        return replace(v.of(type_.inner, declared=container.declared), nullable=True)
    return v.of(type_, declared=container.declared)


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
