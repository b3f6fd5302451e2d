"""The builtins that programs of the differential tests use (language reference 6.1 to 6.3)."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Final

from tests.oracle import values
from tests.oracle.values import Fault, Unsupported, Value


def call(name: str, arguments: list[Value], output: list[str]) -> Value:
    """Call a global builtin; what it prints goes to `output`."""
    match name:
        case "print" | "println":
            return _print(name, arguments, output)
        case "type":
            return values.type_name(arguments[0])
        case "assert":
            if not values.truth(arguments[0]):
                raise Fault("host error: assertion failed")
            return None
        case "string_contains":
            return arguments[1] in arguments[0]
        case _:
            raise Unsupported(name)


def _print(name: str, arguments: list[Value], output: list[str]) -> Value:
    text = values.display(arguments[0]) if len(arguments) == 1 else _fill(arguments)
    if name == "println":
        text += "\n"
    output.append(text)
    return arguments[0] if name == "print" and len(arguments) == 1 else text


def _fill(arguments: list[Value]) -> str:
    """A template with nothing but `{}` in it."""
    if not arguments:
        return ""
    template, *rest = arguments
    pieces = template.split("{}")
    if any(mark in piece for piece in pieces for mark in "{}") or len(pieces) != len(rest) + 1:
        raise Unsupported("format placeholders")
    shown = [values.display(value) for value in rest]
    return "".join(a + b for a, b in zip(pieces, [*shown, ""], strict=True))


def member(namespace: str, name: str, arguments: list[Value]) -> Value:
    """Call a function of a builtin namespace: the basics of `math`."""
    function = _MATH.get(name) if namespace == "math" else None
    if function is None:
        raise Unsupported(f"{namespace}::{name}")
    return function(*arguments)


def _abs(value: Value) -> Value:
    return values.wrap(abs(value)) if type(value) is int else abs(value)


def _extreme(choose: Callable[[Any, Any], Any]) -> Callable[[Value, Value], Value]:
    def apply(left: Value, right: Value) -> Value:
        if values.both_ints(left, right):
            return choose(left, right)
        a, b = values.as_floats(left, right)
        if math.isnan(a):
            return b
        return a if math.isnan(b) else choose(a, b)

    return apply


def _sqrt(value: Value) -> float:
    return math.sqrt(value) if value >= 0 else math.nan


_MATH: Final[dict[str, Callable[..., Value]]] = {
    "abs": _abs,
    "min": _extreme(min),
    "max": _extreme(max),
    "sqrt": _sqrt,
}
