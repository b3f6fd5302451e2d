"""Values between scripts and a user's Python functions: checked by annotations, and copied.

`from_script` and `to_script` turn an annotation into a conversion. The kinds correspond one to one
(docs/user-host-functions.md); an instance of a class crosses as it is, an opaque handle.
"""

from __future__ import annotations

import reprlib
import types
import typing
from collections import abc
from collections.abc import Callable
from numbers import Number
from typing import Any, TypeAlias

from flint.lang.keys import from_map_key
from flint.lang.kinds import is_callable

Convert: TypeAlias = Callable[[object], Any]
Wrap: TypeAlias = Callable[[Callable[..., Any], "list[Any]", Any], Callable[..., Any]]
"""Wraps a function that crosses: the function, its parameters' annotations, its result's."""

_SMALLEST, _LARGEST = -(2**63), 2**63 - 1
_PLAIN = (type(None), bool, float, bytes)
# Python values that look like a script's but are none; scripts must not take them for handles.
_NO_HANDLES = (Number, str, bytes, bytearray, list, dict, tuple, set, frozenset)


class Misfit(Exception):
    """A value that its annotation does not allow."""

    def __init__(self, value: object, expected: str) -> None:
        super().__init__(f"expected {expected}, got {describe(value)}")
        self.value = value
        self.expected = expected
        self.place = ""  # inside a list or dict: `[2]["name"]`

    def inside(self, key: object) -> Misfit:
        self.place = f"[{key!r}]{self.place}"
        return self


def describe(value: object) -> str:
    """A value in a message: short, with its type."""
    kind = type(value)
    if value is None:
        return "None"
    if kind in (int, float, bool, str, bytes):
        return f"{reprlib.repr(value)} ({kind.__name__})"
    module = "" if kind.__module__ == "builtins" else f"{kind.__module__}."
    return f"a {module}{kind.__qualname__}"


def from_script(annotation: Any, wrap: Wrap) -> Convert:
    """The conversion of what a script passes; `wrap` is for its functions."""
    return _conversion(annotation, wrap, _float)


def to_script(annotation: Any, wrap: Wrap) -> Convert:
    """The conversion of what a script gets. An int is no float here: scripts would see an int."""
    return _conversion(annotation, wrap, _exactly(float, "float"))


def _conversion(annotation: Any, wrap: Wrap, to_float: Convert) -> Convert:
    origin, arguments = typing.get_origin(annotation), typing.get_args(annotation)
    if annotation in (Any, object):
        return _anything
    if origin in (typing.Union, types.UnionType):
        inner = next(one for one in arguments if one is not types.NoneType)
        return _optional(_conversion(inner, wrap, to_float))
    if origin is list:
        return _list(_conversion(arguments[0], wrap, to_float))
    if origin is dict:
        return _dict(_conversion(arguments[1], wrap, to_float))
    if origin is abc.Callable or annotation in (abc.Callable, typing.Callable):
        return _function(arguments, wrap)
    return to_float if annotation is float else _scalar(annotation)


def _scalar(kind: Any) -> Convert:
    if kind is None or kind is types.NoneType:
        return _exactly(types.NoneType, "null")
    if kind in (bool, bytes):
        return _exactly(kind, kind.__name__)
    return {int: _int, str: _str}.get(kind) or _instance(kind)


def _exactly(kind: type, name: str) -> Convert:
    def convert(value: object) -> object:
        if type(value) is not kind:
            raise Misfit(value, name)
        return value

    return convert


def _int(value: object) -> int:
    if type(value) is not int:
        raise Misfit(value, "int")
    if not _SMALLEST <= value <= _LARGEST:
        raise Misfit(value, "an int of 64 bits")
    return value


def _float(value: object) -> float:
    if type(value) is not int and type(value) is not float:
        raise Misfit(value, "float")
    return float(value)


def _str(value: object) -> str:
    if type(value) is not str:
        raise Misfit(value, "string")
    if not value.isascii() and any("\ud800" <= character <= "\udfff" for character in value):
        raise Misfit(value, "string of whole characters")
    return value


def _instance(kind: type) -> Convert:
    def convert(value: object) -> object:
        if not isinstance(value, kind):
            raise Misfit(value, kind.__name__)
        return value

    return convert


def _optional(inner: Convert) -> Convert:
    return lambda value: None if value is None else inner(value)


def _list(item: Convert) -> Convert:
    def convert(value: object) -> list[object]:
        if type(value) is not list:
            raise Misfit(value, "array")
        return [_part(item, one, at) for at, one in enumerate(value)]

    return convert


def _dict(item: Convert) -> Convert:
    def convert(value: object) -> dict[str, object]:
        if type(value) is not dict:
            raise Misfit(value, "map")
        return {_name(key): _part(item, one, key) for key, one in value.items()}

    return convert


def _part(convert: Convert, value: object, key: object) -> Any:
    try:
        return convert(value)
    except Misfit as misfit:
        raise misfit.inside(key) from None


def _function(arguments: tuple[Any, ...], wrap: Wrap) -> Convert:
    params, result = arguments or (..., Any)

    def convert(value: object) -> object:
        if not is_callable(value):
            raise Misfit(value, "function")
        assert callable(value)
        return wrap(value, [] if params is ... else params, result)

    return convert


def _anything(value: object) -> object:
    """Any value of the language, or an object that scripts see as an opaque handle."""
    if type(value) in _PLAIN:
        return value
    if type(value) is int:
        return _int(value)
    if type(value) is str:
        return _str(value)
    if type(value) is list:
        return [_part(_anything, one, at) for at, one in enumerate(value)]
    if type(value) is dict:
        return {_key(key): _part(_anything, one, key) for key, one in value.items()}
    if isinstance(value, _NO_HANDLES):
        raise Misfit(value, "a value that scripts have")
    return value


def _key(key: object) -> object:
    """A key of a map of anything: strings and ints are what they are on both sides."""
    return _int(key) if type(key) is int else _name(key)


def _name(key: object) -> str:
    if type(key) is not str:
        raise Misfit(from_map_key(key), "a string as key")
    return _str(key)
