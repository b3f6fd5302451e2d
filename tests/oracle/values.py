"""Values of the oracle and the operations on them, straight from language reference 5.1 to 5.7.

Arrays are tuples and maps are never changed, so that values cannot be shared by mistake.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Final, TypeAlias

Value: TypeAlias = Any
Key: TypeAlias = tuple[str, object]

_NAMES: Final = {bool: "bool", int: "int", float: "float", str: "string", bytes: "bytes"}


class Fault(Exception):
    """A run-time error of the script; its text is what follows `runtime error: ` (5.12)."""


class Unsupported(Exception):
    """The program uses something that the oracle does not know."""


def mismatch(expected: str) -> Fault:
    return Fault(f"type mismatch: expected {expected}")


@dataclass(frozen=True)
class Map:
    """Entries by typed key: `1`, `1.0`, `true` and `"1"` are four keys (5.6)."""

    entries: dict[Key, tuple[Value, Value]]

    def with_entry(self, key: Value, value: Value) -> Map:
        entries = dict(self.entries)
        if value is None:
            entries.pop(typed_key(key), None)
        else:
            entries[typed_key(key)] = (key, value)
        return Map(entries)


def typed_key(key: Value) -> Key:
    if key is None:
        return ("null", None)
    if type(key) is float:
        return ("float", struct.pack(">d", key or 0.0))
    if type(key) not in _NAMES:
        raise Unsupported("a key without value identity")
    return (_NAMES[type(key)], key)


def type_name(value: Value) -> str:
    if value is None:
        return "null"
    if isinstance(value, tuple):
        return "array"
    return "map" if isinstance(value, Map) else _NAMES.get(type(value), "callable")


def truth(value: Value) -> bool:
    if type(value) is not bool:
        raise mismatch("bool")
    return value


# -- numbers ---------------------------------------------------------------------------------


def wrap(number: int) -> int:
    return (number + 2**63) % 2**64 - 2**63


def is_number(value: Value) -> bool:
    return type(value) is int or type(value) is float


def both_ints(left: Value, right: Value) -> bool:
    return type(left) is int and type(right) is int


def as_floats(left: Value, right: Value) -> tuple[float, float]:
    if not (is_number(left) and is_number(right)):
        raise mismatch("number")
    return float(left), float(right)


def divide(left: Value, right: Value) -> Value:
    if both_ints(left, right):
        _check_division(left, right, "division")
        return (1 if (left < 0) == (right < 0) else -1) * (abs(left) // abs(right))
    a, b = as_floats(left, right)
    if b != 0:
        return a / b
    if a == 0 or math.isnan(a) or math.isnan(b):
        return math.nan
    return math.copysign(math.inf, a) * math.copysign(1.0, b)


def remainder(left: Value, right: Value) -> Value:
    if both_ints(left, right):
        _check_division(left, right, "remainder")
        return (-1 if left < 0 else 1) * (abs(left) % abs(right))
    a, b = as_floats(left, right)
    return math.nan if b == 0 or math.isinf(a) else math.fmod(a, b)


def _check_division(left: int, right: int, operation: str) -> None:
    if right == 0:
        raise Fault("division by zero")
    if right == -1 and left == -(2**63):
        raise Fault(f"integer overflow in {operation}")


def negate(value: Value) -> Value:
    if not is_number(value):
        raise mismatch("number")
    return wrap(-value) if type(value) is int else -value


def _ring(operation: Callable[[Any, Any], Any]) -> Callable[[Value, Value], Value]:
    def apply(left: Value, right: Value) -> Value:
        if both_ints(left, right):
            return wrap(operation(left, right))
        return operation(*as_floats(left, right))

    return apply


def add(left: Value, right: Value) -> Value:
    """A number beside a string becomes text, which is the superset that a port may take (5.5)."""
    if type(left) is type(right) and type(left) in (str, bytes, tuple):
        return left + right
    if type(left) is str or type(right) is str:
        return _text(left) + _text(right)
    if not (is_number(left) and is_number(right)):
        raise mismatch("number/string or bytes/bytes or array/array")
    return _ring(lambda a, b: a + b)(left, right)


def _text(value: Value) -> str:
    if type(value) is str:
        return value
    if not is_number(value):
        raise mismatch("string")
    return display(value)


def less(left: Value, right: Value) -> bool:
    if both_ints(left, right):
        return bool(left < right)
    a, b = as_floats(left, right)
    return a < b


def equal(left: Value, right: Value) -> bool:
    """No conversion, no errors (5.4)."""
    if type_name(left) != type_name(right):
        return False
    if isinstance(left, tuple):
        return len(left) == len(right) and all(map(equal, left, right))
    if isinstance(left, Map):
        return left.entries.keys() == right.entries.keys() and all(
            equal(value, right.entries[key][1]) for key, (_, value) in left.entries.items()
        )
    return left is right if type_name(left) == "callable" else bool(left == right)


BINARY: Final[dict[str, Callable[[Value, Value], Value]]] = {
    "+": add,
    "-": _ring(lambda a, b: a - b),
    "*": _ring(lambda a, b: a * b),
    "/": divide,
    "%": remainder,
    "==": equal,
    "!=": lambda a, b: not equal(a, b),
    "<": less,
    ">": lambda a, b: less(b, a),
    "<=": lambda a, b: less(a, b) or equal(a, b),
    ">=": lambda a, b: less(b, a) or equal(a, b),
}


# -- containers ------------------------------------------------------------------------------


def _position(container: Value, key: Value) -> int:
    """A key as index of a sequence that is not negative."""
    if type(key) is not int:
        raise mismatch("int")
    if key < 0:
        raise Fault(f"host error: {type_name(container)} index must be non-negative")
    return key


def _out_of_bounds(container: Value, key: Value) -> Fault:
    return Fault(f"host error: {type_name(container)} index {key} out of bounds")


def item(container: Value, key: Value) -> Value:
    if isinstance(container, Map):
        if typed_key(key) not in container.entries:
            raise Fault("host error: map key not found")
        return container.entries[typed_key(key)][1]
    if not isinstance(container, str | bytes | tuple):
        raise mismatch("bytes/array/map/string")
    index = _position(container, key)
    if index >= len(container):
        raise _out_of_bounds(container, index)
    return container[index]


def optional_item(container: Value, key: Value) -> Value:
    if isinstance(container, Map):
        return container.entries.get(typed_key(key), (None, None))[1]
    if isinstance(container, str | tuple) and type(key) is int and 0 <= key < len(container):
        return container[key]
    return None


def updated(container: Value, key: Value, value: Value) -> Value:
    """What `x[key] = value` replaces x by (5.1)."""
    if isinstance(container, Map):
        return container.with_entry(key, value)
    if not isinstance(container, tuple):
        raise mismatch("array/map")
    index = _position(container, key)
    if index > len(container):
        raise _out_of_bounds(container, index)
    return (*container[:index], value, *container[index + 1 :])


def length(container: Value) -> int:
    if isinstance(container, Map):
        return len(container.entries)
    if not isinstance(container, str | bytes | tuple):
        raise mismatch("bytes/array/map/string")
    return len(container)


def has(container: Value, key: Value) -> bool:
    if isinstance(container, Map):
        return typed_key(key) in container.entries
    if not isinstance(container, bytes | tuple):
        raise mismatch("bytes/array/map")
    if type(key) is not int:
        raise mismatch("int")
    return 0 <= key < len(container)


def keys(container: Value) -> Value:
    if isinstance(container, Map):
        return tuple(key for key, _ in container.entries.values())
    if not isinstance(container, tuple):
        raise mismatch("array/map")
    return tuple(range(len(container)))


def sliced(container: Value, start: Value, end: Value) -> Value:
    """The algorithm of 5.7; null stands for a bound left out."""
    if not isinstance(container, str | bytes | tuple):
        raise mismatch("bytes/array/string")
    first = 0 if start is None else start
    last = len(container) if end is None else end
    if not both_ints(first, last):
        raise mismatch("int")
    if last < 0:
        last += len(container)
    count = last - first
    if first < 0 or count <= 0 or first >= len(container):
        return container[:0]
    return container[first : min(first + count, len(container))]


# -- texts -----------------------------------------------------------------------------------


def display(value: Value) -> str:
    """The display format of 5.11."""
    match value:
        case None:
            return "null"
        case bool():
            return "true" if value else "false"
        case float():
            return _float_text(value)
        case tuple():
            return f"[{', '.join(map(display, value))}]"
        case Map():
            shown = (f"{display(key)}: {display(item)}" for key, item in value.entries.values())
            return f"{{{', '.join(shown)}}}"
        case int() | str():
            return str(value)
        case _:
            raise Unsupported("the text of a callable or of bytes")


def _float_text(value: float) -> str:
    if math.isnan(value):
        return "NaN"
    if math.isinf(value):
        return "inf" if value > 0 else "-inf"
    text = format(Decimal(repr(value)), "f")
    return text.rstrip("0").rstrip(".") if "." in text else text


def typed(value: Value) -> dict[str, object]:
    """A value in the typed form of the conformance suite."""
    kind = type_name(value)
    match value:
        case None:
            return {"type": kind}
        case float():
            return {"type": kind, "bits": struct.pack(">d", value).hex()}
        case bytes():
            return {"type": kind, "hex": value.hex()}
        case tuple():
            return {"type": kind, "items": [typed(inner) for inner in value]}
        case Map():
            entries = [[typed(key), typed(inner)] for key, inner in value.entries.values()]
            return {"type": kind, "entries": sorted(entries, key=repr)}
        case bool() | int() | str():
            return {"type": kind, "value": value}
        case _:
            return {"type": kind}
