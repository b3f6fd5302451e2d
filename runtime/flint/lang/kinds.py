"""Run-time kinds of values: their names and the checks for them (language.md 5.1, 5.8).

A value of no language type is a host handle. Programs see handles as opaque ints, so their
kind is `int`.
"""

from functools import partial
from types import BuiltinFunctionType, FunctionType, MethodType, NoneType
from typing import TypeVar

from flint.lang.errors import TypeMismatch

T = TypeVar("T")

CALLABLES = (FunctionType, BuiltinFunctionType, MethodType, partial)

compiled_modules: set[str] = set()
"""Names of the modules that mypyc compiled: a function value made there is an object of a class of
that module."""

_NAMES: dict[type, str] = {
    NoneType: "null",
    bool: "bool",
    int: "int",
    float: "float",
    str: "string",
    bytes: "bytes",
    list: "array",
    dict: "map",
}


def is_callable(value: object) -> bool:
    """Whether the value is a function of the language (a callable host handle is not)."""
    return isinstance(value, CALLABLES) or is_compiled_closure(value)


def is_compiled_closure(value: object) -> bool:
    """Whether the value is a function that a function of a compiled module made."""
    return type(value).__module__ in compiled_modules


def is_handle(value: object) -> bool:
    """Whether the value is an opaque object of the host."""
    return type(value) not in _NAMES and not is_callable(value)


def handle_number(value: object) -> int:
    """The number that a program sees in the place of a host object: 0 for none, below 0 for one
    that is known to be absent, otherwise the object's own or 1.
    """
    if value is None or type(value) is int:
        return value or 0
    number = getattr(value, "handle", 1)
    return number if type(number) is int else 1


def type_name(value: object) -> str:
    """The result of the built-in `type`: null, int, float, bool, string, bytes, array, ..."""
    name = _NAMES.get(type(value))
    if name is None:
        return "callable" if is_callable(value) else "int"
    return name


def number(value: object) -> float:
    """Convert an int or float to float; `TypeMismatch("number")` for anything else."""
    if type(value) is float:
        return value
    if type(value) is int:
        return float(value)
    raise TypeMismatch("number")


def expect(value: object, kind: type) -> None:
    """Raise `TypeMismatch` unless the value is exactly of that Python type."""
    if type(value) is not kind:
        raise TypeMismatch(_NAMES[kind])


def matches(value: object, kind: str) -> bool:
    """Coarse check of a value against a declared type such as `int`, `number`, `map?`."""
    if kind.endswith("?"):
        return value is None or matches(value, kind[:-1])
    if kind == "number":
        return type(value) is int or type(value) is float
    return type_name(value) == kind


def checked_operand(value: T, kind: str) -> T:
    """The operand itself; the language's error unless it is of its static type."""
    if not matches(value, kind):
        raise TypeMismatch(kind)
    return value


def checked_argument(value: T, kind: str) -> T:
    """The argument itself; the language's error unless it fits its declared type."""
    if not matches(value, kind):
        raise TypeMismatch("callable argument schema")
    return value


def checked_result(value: T, kind: str) -> T:
    """A function's result itself; the language's error unless it fits its declared type."""
    if not matches(value, kind):
        raise TypeMismatch("callable return schema")
    return value
