"""Static types of RustScript values (language reference 3.1, 3.2), compared by structure.

There is one object for each primitive type and one for UNKNOWN, so these are compared with `is`.
"""

from __future__ import annotations

import collections.abc as abc
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

PrimitiveName: TypeAlias = Literal["int", "float", "number", "bool", "string", "bytes", "null"]


@dataclass(frozen=True, slots=True, eq=False)
class Primitive:
    name: PrimitiveName


@dataclass(frozen=True, slots=True, eq=False)
class Unknown:
    """Nothing is known: a host result without signature, `json::decode`, a failed merge."""


@dataclass(frozen=True, slots=True)
class Array:
    """`array<T>`; an empty literal is `Array(UNKNOWN)`."""

    element: Type


@dataclass(frozen=True, slots=True)
class Tuple:
    """`[A, B, R...]`: an array whose first items have known types."""

    items: tuple[Type, ...]
    rest: Type | None = None


@dataclass(frozen=True, slots=True)
class Map:
    """`map<T>`; an empty literal is `Map(UNKNOWN)`."""

    value: Type


@dataclass(frozen=True, slots=True)
class Object:
    """The fields of a brace map whose keys are all string literals."""

    fields: tuple[tuple[str, Type], ...]

    def field(self, name: str) -> Type | None:
        return next((type_ for key, type_ in self.fields if key == name), None)


@dataclass(frozen=True, slots=True)
class StructRef:
    """A struct schema by name; its fields are in the module's struct table."""

    name: str
    args: tuple[Type, ...] = ()


@dataclass(frozen=True, slots=True)
class Callable:
    """`params` is None for a closure whose parameters are not known."""

    params: tuple[Type, ...] | None
    result: Type


@dataclass(frozen=True, slots=True)
class Optional:
    inner: Type


@dataclass(frozen=True, slots=True)
class TypeParameter:
    name: str


@dataclass(frozen=True, slots=True)
class Handle:
    """A host object that scripts see as an int: `namespace` and class of `flint.runtime`,
    e.g. `Handle("llama", "Model")`; `optional` when 0 (None in Python) may stand for none.

    The namespace of a class in a user's module is that module's name behind a dot."""

    namespace: str
    name: str
    optional: bool = False

    @property
    def user_module(self) -> str | None:
        return self.namespace[1:] if self.namespace.startswith(".") else None


Type: TypeAlias = (
    Primitive
    | Unknown
    | Array
    | Tuple
    | Map
    | Object
    | StructRef
    | Callable
    | Optional
    | TypeParameter
    | Handle
)

INT: Final = Primitive("int")
FLOAT: Final = Primitive("float")
NUMBER: Final = Primitive("number")
BOOL: Final = Primitive("bool")
STRING: Final = Primitive("string")
BYTES: Final = Primitive("bytes")
NULL: Final = Primitive("null")
UNKNOWN: Final = Unknown()


def rebuilt(type_: Type, change: abc.Callable[[Type], Type]) -> Type:
    """A type with its direct parts replaced; the same object where `change` leaves them."""
    if isinstance(type_, (Primitive, Unknown, TypeParameter, Handle)):
        return type_
    if isinstance(type_, Array):
        item = change(type_.element)
        return type_ if item is type_.element else Array(item)
    if isinstance(type_, Map):
        item = change(type_.value)
        return type_ if item is type_.value else Map(item)
    if isinstance(type_, Optional):
        item = change(type_.inner)
        return type_ if item is type_.inner else Optional(item)
    if isinstance(type_, StructRef):
        return StructRef(type_.name, tuple(map(change, type_.args))) if type_.args else type_
    if isinstance(type_, Tuple):
        rest = None if type_.rest is None else change(type_.rest)
        return Tuple(tuple(map(change, type_.items)), rest)
    if isinstance(type_, Object):
        return Object(tuple((name, change(field)) for name, field in type_.fields))
    params = None if type_.params is None else tuple(map(change, type_.params))
    return Callable(params, change(type_.result))


def is_array(type_: Type) -> bool:
    return isinstance(type_, (Array, Tuple))


def is_map(type_: Type) -> bool:
    return isinstance(type_, (Map, Object, StructRef))


def is_numeric(type_: Type) -> bool:
    return type_ in (INT, FLOAT, NUMBER)


def strip_optional(type_: Type) -> Type:
    return type_.inner if isinstance(type_, Optional) else type_
