"""Merging of the types that inference works with.

Inference has three types more than programs: BOTTOM, where nothing has arrived yet; ZERO, only
ever the literal `0`, which may stand for "no handle"; and MIXED, values of several kinds. UNKNOWN
is a value of a host or of JSON: there a declared type is trusted. MIXED is not trusted, since the
value may well be something else (a handle where the program says `int`, or an element that an
unchecked assignment put there). The result is settled before anybody else sees it.
"""

from __future__ import annotations

from functools import reduce
from typing import Final

from flintc.analysis.types import (
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
    StructRef,
    Tuple,
    Type,
    TypeParameter,
    is_map,
    is_numeric,
    rebuilt,
)

BOTTOM: Final[Type] = TypeParameter("<nothing>")
ZERO: Final[Type] = TypeParameter("<zero>")
MIXED: Final[Type] = TypeParameter("<mixed>")

# Larger types say less than they cost.
_MAX_SIZE: Final = 200
_MAX_DEPTH: Final = 8
_MAX_TUPLE: Final = 16


def join(left: Type, right: Type) -> Type:
    """The type of a value that is one or the other."""
    if left is right or right is BOTTOM or left == right:
        return left
    if left is BOTTOM:
        return right
    if left is MIXED or right is MIXED:
        return MIXED
    if left is NULL or right is NULL or isinstance(left, Optional) or isinstance(right, Optional):
        return _join_optional(left, right)
    return _join_plain(left, right)


def join_all(types: list[Type] | tuple[Type, ...]) -> Type:
    return reduce(join, types, BOTTOM)


def _join_optional(left: Type, right: Type) -> Type:
    inner = join(without_null(left), without_null(right))
    return inner if inner is MIXED or inner is UNKNOWN else Optional(inner)


def without_null(type_: Type) -> Type:
    """The type of a value that is not null."""
    if isinstance(type_, Optional):
        return type_.inner
    return BOTTOM if type_ is NULL else type_


def _join_plain(left: Type, right: Type) -> Type:
    if _is_number(left) and _is_number(right):
        return INT if {left, right} <= {INT, ZERO} else NUMBER
    if isinstance(left, Handle) or isinstance(right, Handle):
        return _join_handles(left, right)
    if isinstance(left, (Array, Tuple)) and isinstance(right, (Array, Tuple)):
        return _join_arrays(left, right)
    if isinstance(left, (Map, Object)) and isinstance(right, (Map, Object)):
        return _join_maps(left, right)
    if is_map(left) and is_map(right):
        return Map(MIXED)
    if isinstance(left, Callable) and isinstance(right, Callable):
        return Callable(_join_params(left, right), join(left.result, right.result))
    return MIXED


def _join_params(left: Callable, right: Callable) -> tuple[Type, ...] | None:
    """What calls of either may pass."""
    if left.params is None or right.params is None or len(left.params) != len(right.params):
        return None
    return tuple(map(join, left.params, right.params))


def _is_number(type_: Type) -> bool:
    return type_ is ZERO or is_numeric(type_)


def _join_handles(left: Type, right: Type) -> Type:
    if not isinstance(left, Handle):
        left, right = right, left
    assert isinstance(left, Handle)
    if right is ZERO:
        return Handle(left.namespace, left.name, optional=True)
    if isinstance(right, Handle) and (left.namespace, left.name) == (right.namespace, right.name):
        return Handle(left.namespace, left.name, left.optional or right.optional)
    return MIXED


def _join_arrays(left: Array | Tuple, right: Array | Tuple) -> Type:
    if isinstance(left, Tuple) and isinstance(right, Tuple):
        same_length = len(left.items) == len(right.items)
        if same_length and left.rest is None and right.rest is None:
            pairs = zip(left.items, right.items, strict=True)
            return bounded(Tuple(tuple(join(one, other) for one, other in pairs)))
    return bounded(Array(join(element(left), element(right))))


def _join_maps(left: Map | Object, right: Map | Object) -> Type:
    if isinstance(left, Object) and isinstance(right, Object):
        fields = dict(left.fields)
        for name, type_ in right.fields:
            fields[name] = join(fields.get(name, BOTTOM), type_)
        return bounded(Object(tuple(fields.items())))
    return bounded(Map(join(map_value(left), map_value(right))))


def element(type_: Array | Tuple) -> Type:
    """The type of any item."""
    if isinstance(type_, Array):
        return type_.element
    return _any_of(type_.items if type_.rest is None else (*type_.items, type_.rest))


def map_value(type_: Map | Object) -> Type:
    """The type of any value."""
    if isinstance(type_, Map):
        return type_.value
    return _any_of(tuple(field for _, field in type_.fields))


def _any_of(types: tuple[Type, ...]) -> Type:
    """One of several items; a `0` beside a handle stays a number, so the two do not merge."""
    merged = join_all(types)
    return MIXED if isinstance(merged, Handle) and ZERO in types else merged


def tuple_of(items: list[Type], uniform: bool) -> Type:
    """The type of an array literal; `uniform` where its context declares one type for all items.

    Handles and nothing but `0` beside them are an array of optional handles.
    """
    merged = join_all(items)
    if uniform or len(items) > _MAX_TUPLE or isinstance(merged, Handle) or not items:
        return bounded(Array(merged))
    return bounded(Tuple(tuple(items)))


def commit(type_: Type) -> Type:
    """The type of a value that has been computed: a `0` in it is a number for good."""
    return INT if type_ is ZERO else commit_parts(type_)


def commit_parts(type_: Type) -> Type:
    """As `commit`, for what is inside an array, map or callable."""
    if isinstance(type_, Callable):
        return Callable(type_.params, commit(type_.result))
    if isinstance(type_, Optional):
        inner = commit_parts(type_.inner)
        return type_ if inner is type_.inner else Optional(inner)
    if isinstance(type_, (Array, Map, Tuple, Object)):
        return rebuilt(type_, commit)
    return type_


def bounded(type_: Type) -> Type:
    """The type itself, or a summary of one that would cost too much."""
    if isinstance(type_, Array) and not inner_types(type_.element):
        return type_
    budget = [_MAX_SIZE]
    if _fits(type_, _MAX_DEPTH, budget):
        return type_
    if isinstance(type_, (Array, Tuple)):
        return Array(MIXED)
    if isinstance(type_, Callable):
        return Callable(type_.params and (MIXED,) * len(type_.params), MIXED)
    return Map(MIXED) if isinstance(type_, (Map, Object)) else MIXED


def _fits(type_: Type, depth: int, budget: list[int]) -> bool:
    budget[0] -= 1
    if budget[0] < 0 or depth < 0:
        return False
    return all(_fits(part, depth - 1, budget) for part in inner_types(type_))


def inner_types(type_: Type) -> tuple[Type, ...]:
    """The types that a type is made of."""
    if isinstance(type_, Array):
        return (type_.element,)
    if isinstance(type_, Map):
        return (type_.value,)
    if isinstance(type_, Optional):
        return (type_.inner,)
    if isinstance(type_, StructRef):
        return type_.args
    if isinstance(type_, Tuple):
        return type_.items if type_.rest is None else (*type_.items, type_.rest)
    if isinstance(type_, Object):
        return tuple(field for _, field in type_.fields)
    return (*(type_.params or ()), type_.result) if isinstance(type_, Callable) else ()


def item_at(type_: Array | Tuple, index: int) -> Type:
    """The type of the item at a literal index."""
    if isinstance(type_, Array):
        return type_.element
    if index < len(type_.items):
        return type_.items[index]
    return BOTTOM if type_.rest is None else type_.rest
