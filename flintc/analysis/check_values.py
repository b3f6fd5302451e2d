"""What the checker tracks for a value: a kind, perhaps a schema, and whether it is optional.

Kinds are deliberately coarse: they are those of the language's own rules, and what a program may do
depends on them (language reference 3.2, 3.4, 3.6).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final, NamedTuple

from flintc.analysis.lattice import inner_types
from flintc.analysis.type_names import type_name
from flintc.analysis.types import (
    BOOL,
    BYTES,
    FLOAT,
    INT,
    NULL,
    NUMBER,
    STRING,
    UNKNOWN,
    Array,
    Callable,
    Handle,
    Map,
    Object,
    Optional,
    Primitive,
    StructRef,
    Tuple,
    Type,
    rebuilt,
)
from flintc.syntax import nodes


class Kind(NamedTuple):
    """`element` is the simple kind of all items, NOT_YET for an empty literal, None for others."""

    name: str
    element: str | None = None


NOT_YET: Final = "?"
SIMPLE: Final = ("null", "int", "float", "bool", "string", "bytes")
ANY: Final = Kind("unknown")
NULL_KIND: Final = Kind("null")
INT_KIND: Final = Kind("int")
FLOAT_KIND: Final = Kind("float")
NUMBER_KIND: Final = Kind("number")
BOOL_KIND: Final = Kind("bool")
STRING_KIND: Final = Kind("string")
BYTES_KIND: Final = Kind("bytes")
CALLABLE_KIND: Final = Kind("callable")
_ARRAY_KIND: Final = Kind("array")
_MAP_KIND: Final = Kind("map")
NUMERIC: Final = ("int", "float", "number")


@dataclass(slots=True, init=False, unsafe_hash=True)  # not frozen, which costs more to create
class Value:
    """`declared` says that the value comes from a place with a written type, and `nullable` that it
    is an optional field, which counts as plain until a part of it is read; `closure` is the closure
    that a callable is known to be."""

    kind: Kind
    schema: Type | None
    optional: bool
    declared: bool
    nullable: bool
    closure: nodes.Closure | None

    def __init__(  # written out for mypyc
        self,
        kind: Kind,
        schema: Type | None = None,
        optional: bool = False,
        declared: bool = False,
        nullable: bool = False,
        closure: nodes.Closure | None = None,
    ) -> None:
        self.kind = kind
        self.schema = schema
        self.optional = optional
        self.declared = declared
        self.nullable = nullable
        self.closure = closure

    @property
    def read(self) -> Kind:
        """The kind where a plain value is needed: an optional one has none."""
        return ANY if self.optional else self.kind

    def plain(self) -> Value:
        """The same value where it is known not to be null."""
        return replace(self, optional=False) if self.optional else self


_SCALARS: Final[dict[str, Type]] = {
    "int": INT,
    "float": FLOAT,
    "number": NUMBER,
    "bool": BOOL,
    "string": STRING,
    "bytes": BYTES,
    "null": NULL,
}
_KINDS: Final = {name: Kind(name) for name in _SCALARS}
UNKNOWN_VALUE: Final = Value(ANY)


def of(type_: Type, declared: bool = False) -> Value:
    """A value of a known type."""
    if isinstance(type_, Optional):
        return Value(kind_of(type_), type_.inner, optional=True, declared=declared)
    return Value(kind_of(type_), None if type_ is UNKNOWN else type_, declared=declared)


def type_of(value: Value) -> Type:
    """The type of a value, as far as it is known."""
    if value.schema is not None:
        return value.schema
    containers: dict[str, Type] = {"array": Array(UNKNOWN), "map": Map(UNKNOWN)}
    return containers.get(value.kind.name, scalar(value.kind))


def operator_result(kind: Kind) -> Value:
    """Operators give a kind but no schema (3.4)."""
    return Value(kind)


def kind_of(type_: Type) -> Kind:
    """The kind of a schema; arrays and maps do not keep the kind of their elements (3.2)."""
    if isinstance(type_, Primitive):
        return _KINDS[type_.name]
    if isinstance(type_, Optional):
        return kind_of(type_.inner)
    if isinstance(type_, Handle):
        return INT_KIND
    if isinstance(type_, (Array, Tuple)):
        return _ARRAY_KIND
    if isinstance(type_, (Map, Object, StructRef)):
        return _MAP_KIND
    return CALLABLE_KIND if isinstance(type_, Callable) else ANY


def scalar(kind: Kind) -> Type:
    """The schema of a scalar kind, else UNKNOWN."""
    return _SCALARS.get(kind.name, UNKNOWN)


def merge(left: Kind, right: Kind) -> Kind:
    """The kind of a value that is one or the other."""
    if left == right:
        return left
    if left.name == right.name and left.name in ("array", "map"):
        return Kind(left.name, _merge_elements(left.element, right.element))
    if {left.name, right.name} <= set(NUMERIC) and NUMBER_KIND in (left, right):
        return NUMBER_KIND
    return ANY


def _merge_elements(left: str | None, right: str | None) -> str | None:
    if left == NOT_YET:
        return right
    return left if right in (left, NOT_YET) else None


def compatible(left: Kind, right: Kind) -> bool:
    """Whether two branches may have these kinds."""
    if ANY in (left, right):
        return left == right
    return NULL_KIND in (left, right) or merge(left, right) != ANY


def callables_differ(left: Value, right: Value) -> bool:
    """Whether two functions cannot stand for each other (3.8)."""
    one, other = left.schema, right.schema
    if not isinstance(one, Callable) or not isinstance(other, Callable):
        return False
    if one.params is None or other.params is None:
        return False
    if len(one.params) != len(other.params):
        return True
    pairs = zip((*one.params, one.result), (*other.params, other.result), strict=True)
    return not all(_alike(first, second) for first, second in pairs)


def _alike(left: Type, right: Type) -> bool:
    if left == right or UNKNOWN in (left, right):
        return True
    return NUMBER in (left, right) and {left, right} <= {INT, FLOAT, NUMBER}


def container_kind(name: str, elements: list[Kind]) -> Kind:
    """The kind of an array or map literal."""
    if not elements:
        return Kind(name, NOT_YET)
    first = elements[0].name
    same = first in SIMPLE and all(kind.name == first for kind in elements)
    return Kind(name, first if same else None)


def element_kind(kind: Kind) -> Kind:
    return ANY if kind.element in (None, NOT_YET) else Kind(kind.element or "")


# -- operators (3.3) -----------------------------------------------------------------------


def add(left: Kind, right: Kind) -> Kind:
    if STRING_KIND in (left, right):
        return STRING_KIND
    if left == BYTES_KIND and right == BYTES_KIND:
        return BYTES_KIND
    if left.name == "array" and right.name == "array":
        return merge(left, right)
    return numeric(left, right)


def numeric(left: Kind, right: Kind) -> Kind:
    if left.name not in NUMERIC or right.name not in NUMERIC:
        return ANY
    if FLOAT_KIND in (left, right):
        return FLOAT_KIND
    return NUMBER_KIND if NUMBER_KIND in (left, right) else INT_KIND


# -- schemas -------------------------------------------------------------------------------


def erase(type_: Type) -> Type:
    """The type as a program sees it: handles are ints."""
    return INT if isinstance(type_, Handle) else rebuilt(type_, erase)


def is_concrete(type_: Type) -> bool:
    """Whether nothing in a type is unknown."""
    if type_ is UNKNOWN or (isinstance(type_, Callable) and type_.params is None):
        return False
    return all(map(is_concrete, inner_types(type_)))


def same_or_none(left: Type | None, right: Type | None) -> Type | None:
    """The schema of two branches, null agreeing with anything (3.4)."""
    if left == right or right is NULL:
        return left
    return right if left is NULL else None


def schema_of(value: Value) -> Type:
    """The schema of a part of a literal; there the kind of a scalar is enough."""
    if value.schema is None:
        return scalar(value.read)
    return Optional(value.schema) if value.optional else value.schema


def describe(value: Value) -> str:
    """A value's type in messages."""
    known = type_name(value.schema) if value.schema is not None else value.kind.name
    return known + ("?" if value.optional else "")
