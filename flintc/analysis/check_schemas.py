"""Does a value fit a declared type? The structural comparison of language reference 3.9."""

from __future__ import annotations

from collections.abc import Mapping

from flintc.analysis.declared import substitute
from flintc.analysis.symbols import StructSchema
from flintc.analysis.type_names import type_name
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
    Primitive,
    StructRef,
    Tuple,
    Type,
    TypeParameter,
    Unknown,
    is_numeric,
)


class Schemas:
    """Comparison of types, with the structs of a program."""

    def __init__(self, structs: Mapping[str, StructSchema]) -> None:
        self.structs = structs
        self.known: dict[StructRef, dict[str, Type]] = {}

    def fields(self, struct: StructRef) -> dict[str, Type]:
        """The declared fields of a struct."""
        if struct not in self.known:
            schema = self.structs.get(struct.name)
            self.known[struct] = {} if schema is None else _substituted(schema, struct)
        return self.known[struct]

    def mismatch(self, expected: Type, actual: Type) -> str | None:
        """Why a value of type `actual` does not fit `expected`; None if it does."""
        return self._compare(expected, actual, "", set())

    def _compare(
        self, expected: Type, actual: Type, place: str, open_: set[tuple[Type, Type]]
    ) -> str | None:
        if expected == actual or _is_open(expected) or _is_open(actual) or actual is NULL:
            return None
        if isinstance(expected, Optional):
            return self._compare(expected.inner, actual, place, open_)
        if isinstance(actual, Optional):
            return self._compare(expected, actual.inner, place, open_)
        if (expected, actual) in open_:
            return None  # a recursive struct, being compared already
        return self._compare_plain(expected, actual, place, open_ | {(expected, actual)})

    def _compare_plain(
        self, expected: Type, actual: Type, place: str, open_: set[tuple[Type, Type]]
    ) -> str | None:
        match expected, actual:
            case Array() | Tuple(), Array() | Tuple():
                return self._compare_arrays(expected, actual, place, open_)
            case Map(), Map():
                return self._compare(expected.value, actual.value, f"{place}[…]", open_)
            case Map(), Object() | StructRef():
                wanted = dict.fromkeys(self._fields_of(actual), expected.value)
                return self._compare_fields(wanted, actual, place, open_)
            case StructRef() | Object(), Object() | StructRef():
                return self._compare_fields(self._fields_of(expected), actual, place, open_)
            case Callable(), Callable():
                return self._compare_callables(expected, actual, place, open_)
            case _:
                return None if _same_scalar(expected, actual) else _differs(place, expected, actual)

    def _fields_of(self, type_: Object | StructRef) -> dict[str, Type]:
        return dict(type_.fields) if isinstance(type_, Object) else self.fields(type_)

    def _compare_fields(
        self,
        wanted: dict[str, Type],
        actual: Object | StructRef,
        place: str,
        open_: set[tuple[Type, Type]],
    ) -> str | None:
        given = self._fields_of(actual)
        for name, type_ in wanted.items():
            if name not in given:
                return f"field `{_joined(place, name)}` is missing"
            problem = self._compare(type_, given[name], _joined(place, name), open_)
            if problem is not None:
                return problem
        return None

    def _compare_arrays(
        self,
        expected: Array | Tuple,
        actual: Array | Tuple,
        place: str,
        open_: set[tuple[Type, Type]],
    ) -> str | None:
        wanted, rest = _shape(expected)
        given, more = _shape(actual)
        for at, type_ in enumerate(wanted):
            item = given[at] if at < len(given) else more
            if item is None:
                return f"item `{place}[{at}]` is missing"
            problem = self._compare(type_, item, f"{place}[{at}]", open_)
            if problem is not None:
                return problem
        return self._compare_rest(rest, given[len(wanted) :], more, (place, len(wanted)), open_)

    def _compare_rest(
        self,
        rest: Type | None,
        given: tuple[Type, ...],
        more: Type | None,
        at: tuple[str, int],
        open_: set[tuple[Type, Type]],
    ) -> str | None:
        place, first = at
        for index, item in enumerate(given if rest is not None else ()):
            problem = self._compare(rest or UNKNOWN, item, f"{place}[{first + index}]", open_)
            if problem is not None:
                return problem
        if rest is None or more is None:
            return None
        return self._compare(rest, more, f"{place}[…]", open_)

    def _compare_callables(
        self, expected: Callable, actual: Callable, place: str, open_: set[tuple[Type, Type]]
    ) -> str | None:
        if expected.params is not None and actual.params is not None:
            if len(expected.params) != len(actual.params):
                return _differs(place, expected, actual)
            for wanted, given in zip(expected.params, actual.params, strict=True):
                if self._compare(wanted, given, place, open_) is not None:
                    return _differs(place, expected, actual)
        if self._compare(expected.result, actual.result, place, open_) is not None:
            return _differs(place, expected, actual)
        return None

    def not_json(self, type_: Type) -> str | None:
        """What of a type JSON lacks (3.10); None if nothing."""
        return self._not_json(type_, set())

    def _not_json(self, type_: Type, open_: set[StructRef]) -> str | None:
        match type_:
            case Primitive("bytes") | Callable():
                return "bytes" if isinstance(type_, Primitive) else "functions"
            case Map() | TypeParameter():
                return f"fixed form for `{type_name(type_)}`; declare a struct"
            case Optional(inner) | Array(inner):
                return self._not_json(inner, open_)
            case Tuple(items, rest):
                inner_types = items if rest is None else (*items, rest)
            case Object(fields):
                inner_types = tuple(field for _, field in fields)
            case StructRef() if type_ not in open_:
                open_.add(type_)
                inner_types = tuple(self.fields(type_).values())
            case Unknown():
                return "form for a value of unknown type"
            case _:
                return None
        return next(filter(None, (self._not_json(item, open_) for item in inner_types)), None)


def _substituted(schema: StructSchema, struct: StructRef) -> dict[str, Type]:
    args = dict(zip(schema.params, struct.args, strict=False))
    return {name: substitute(field, args) for name, field in schema.fields.items()}


def _is_open(type_: Type) -> bool:
    return type_ is UNKNOWN or isinstance(type_, TypeParameter)


def _same_scalar(expected: Type, actual: Type) -> bool:
    if isinstance(expected, Handle):
        expected = INT
    if isinstance(actual, Handle):
        actual = INT
    return expected == actual or (expected is NUMBER and is_numeric(actual))


def _shape(type_: Array | Tuple) -> tuple[tuple[Type, ...], Type | None]:
    """The types of the first items, and of any others."""
    if isinstance(type_, Array):
        return (), type_.element
    return type_.items, type_.rest


def _joined(place: str, name: str) -> str:
    return f"{place}.{name}" if place else name


def _differs(place: str, expected: Type, actual: Type) -> str:
    what = f"`{place}` is" if place else "the value is"
    return f"{what} {type_name(actual)} where {type_name(expected)} is declared"
