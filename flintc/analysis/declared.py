"""What a declared type says about a value that arrives there, and how types leave inference."""

from __future__ import annotations

from typing import Protocol

from flintc.analysis.lattice import (
    BOTTOM,
    MIXED,
    ZERO,
    element,
    inner_types,
    item_at,
    join,
    join_all,
    map_value,
    without_null,
)
from flintc.analysis.types import (
    FLOAT,
    INT,
    NULL,
    NUMBER,
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
    TypeParameter,
    rebuilt,
)


class Fields(Protocol):
    """Where the values of struct fields are collected."""

    def store(self, struct: StructRef, value: Type) -> None:
        """A value has been declared to be this struct."""

    def expand(self, struct: StructRef) -> Object:
        """The fields of a struct with the types of their values so far."""


def coerce(actual: Type, declared: Type, fields: Fields) -> Type:
    """The type of a value that is declared to be `declared`.

    What is known of the value wins: handles among declared ints, nulls among items. Where nothing
    is known of it, the declaration is trusted; where both are known and differ, it is not.
    """
    if actual is BOTTOM or actual is MIXED or actual is declared:
        return actual
    if isinstance(declared, TypeParameter) or declared is UNKNOWN:
        return actual
    if isinstance(declared, Optional):
        return join(NULL, coerce(without_null(actual), declared.inner, fields))
    if isinstance(actual, Optional) or actual is NULL:
        return join(NULL, coerce(without_null(actual), declared, fields))
    if isinstance(declared, (Array, Tuple)):
        return _coerce_array(actual, declared, fields)
    if isinstance(declared, (Map, StructRef)):
        return _coerce_map(actual, declared, fields)
    if isinstance(declared, Callable):
        return _coerce_callable(actual, declared, fields)
    return _coerce_scalar(actual, declared)


def _coerce_scalar(actual: Type, declared: Type) -> Type:
    if actual in (UNKNOWN, declared):
        return declared
    if declared in (INT, NUMBER) and (actual is ZERO or isinstance(actual, Handle)):
        return actual
    if declared is NUMBER and actual in (INT, FLOAT):
        return NUMBER
    return MIXED


def _coerce_array(actual: Type, declared: Array | Tuple, fields: Fields) -> Type:
    if actual is UNKNOWN:
        actual = Array(UNKNOWN)
    if not isinstance(actual, (Array, Tuple)):
        return MIXED
    if isinstance(declared, Array):
        return Array(coerce(element(actual), declared.element, fields))
    items = [coerce(item_at(actual, at), item, fields) for at, item in enumerate(declared.items)]
    rest = declared.rest
    if isinstance(actual, Tuple):
        beyond = join_all(actual.items[len(items) :])
        more = join(beyond, BOTTOM if actual.rest is None else actual.rest)
    else:
        more = actual.element
    return Tuple(tuple(items), more if rest is None else coerce(more, rest, fields))


def _coerce_map(actual: Type, declared: Map | StructRef, fields: Fields) -> Type:
    if isinstance(declared, StructRef):
        if actual == declared:
            return declared
        if isinstance(actual, (StructRef, Object, Map)) or actual is UNKNOWN:
            fields.store(declared, actual)
            return declared
        return MIXED
    if isinstance(actual, StructRef):
        actual = fields.expand(actual)
    if isinstance(actual, (Map, Object)):
        return Map(coerce(map_value(actual), declared.value, fields))
    return Map(coerce(UNKNOWN, declared.value, fields)) if actual is UNKNOWN else MIXED


def _coerce_callable(actual: Type, declared: Callable, fields: Fields) -> Type:
    if actual is UNKNOWN:
        return declared
    if not isinstance(actual, Callable):
        return MIXED
    return Callable(declared.params, coerce(actual.result, declared.result, fields))


def may_hold_handle(declared: Type) -> bool:
    """Whether a value of a declared type may be a handle, or have one in it."""
    if declared in (INT, NUMBER) or isinstance(declared, (TypeParameter, StructRef)):
        return True
    return any(map(may_hold_handle, inner_types(declared)))


def substitute(type_: Type, args: dict[str, Type]) -> Type:
    """The type with type parameters replaced."""
    if not args:
        return type_
    if isinstance(type_, TypeParameter):
        return args.get(type_.name, type_)
    return rebuilt(type_, lambda part: substitute(part, args))


def settle(type_: Type, declared: Type = UNKNOWN) -> Type:
    """The type as other passes see it; a declared type fills what no value has reached."""
    if isinstance(type_, Primitive) and type_ is not NULL:
        return type_
    if type_ is BOTTOM:
        return declared
    if type_ is ZERO:
        return INT
    if type_ is MIXED:
        return UNKNOWN
    if type_ is NULL and isinstance(declared, Optional):
        return declared
    if isinstance(type_, (Array, Map, Optional)):
        within = _part(declared, type(type_))
        return rebuilt(type_, lambda item: settle(item, within))
    if isinstance(type_, Callable):
        params = None if type_.params is None else tuple(settle(param) for param in type_.params)
        return Callable(params, settle(type_.result, _part(declared, Callable)))
    if isinstance(type_, Tuple) and type_.rest is BOTTOM:
        return Tuple(tuple(settle(item) for item in type_.items), None)
    return rebuilt(type_, settle)


def _part(declared: Type, kind: type) -> Type:
    """The part of a declared type below the same constructor."""
    if not isinstance(declared, kind):
        return UNKNOWN
    if isinstance(declared, Callable):
        return declared.result
    return inner_types(declared)[0]
