"""Operators on values whose kinds are only known at run time (language.md 5.2 to 5.5)."""

import math
from typing import Any

from flint.lang.display import display
from flint.lang.errors import TypeMismatch
from flint.lang.integers import div, rem, wrap
from flint.lang.kinds import is_callable, number

_JOINABLE = (str, bytes, list)
_NUMBERS = (int, float)
_ADDABLE = "number/string or bytes/bytes or array/array"


def add(left: object, right: object) -> Any:
    """`left + right`: numbers, two bytes, two arrays, or text with text or numbers.

    Numbers beside a string are converted wherever that is known only here (5.5 lets a port do so),
    so that what a program does never hangs on how much the compiler could infer.
    """
    if type(left) is int and type(right) is int:
        return wrap(left + right)
    if type(left) is type(right) and type(left) in _JOINABLE:
        return left + right  # type: ignore[operator]
    if type(left) is str and type(right) in _NUMBERS:
        return left + display(right)
    if type(right) is str and type(left) in _NUMBERS:
        return display(left) + right
    try:
        return number(left) + number(right)
    except TypeMismatch:
        raise TypeMismatch(_ADDABLE) from None


def sub(left: object, right: object) -> Any:
    """`left - right` of two numbers."""
    if type(left) is int and type(right) is int:
        return wrap(left - right)
    return number(left) - number(right)


def mul(left: object, right: object) -> Any:
    """`left * right` of two numbers."""
    if type(left) is int and type(right) is int:
        return wrap(left * right)
    return number(left) * number(right)


def divide(left: object, right: object) -> Any:
    """`left / right` of two numbers; integer division truncates and may fail."""
    if type(left) is int and type(right) is int:
        return div(left, right)
    return fdiv(number(left), number(right))


def remainder(left: object, right: object) -> Any:
    """`left % right` of two numbers, with the sign of `left`."""
    if type(left) is int and type(right) is int:
        return rem(left, right)
    return frem(number(left), number(right))


def negate(value: object) -> Any:
    """`-value` of a number."""
    if type(value) is int:
        return wrap(-value)
    return -number(value)


def fdiv(dividend: float, divisor: float) -> float:
    """IEEE division: by zero it gives an infinity or NaN."""
    try:
        return dividend / divisor
    except ZeroDivisionError:
        if dividend == 0.0 or dividend != dividend:
            return math.nan
        return math.copysign(math.inf, dividend) * math.copysign(1.0, divisor)


def frem(dividend: float, divisor: float) -> float:
    """C `fmod`: NaN where there is no remainder, never an error."""
    try:
        return math.fmod(dividend, divisor)
    except ValueError:
        return math.nan


def less(left: object, right: object) -> bool:
    """`left < right`: two ints exactly, otherwise both as floats."""
    if type(left) is int and type(right) is int:
        return left < right
    return number(left) < number(right)


def greater(left: object, right: object) -> bool:
    """`left > right`, as `less`."""
    return less(right, left)


def less_equal(left: object, right: object) -> bool:
    """`left < right || left == right`; so `3 <= 3.0` is false."""
    return less(left, right) or equal(left, right)


def greater_equal(left: object, right: object) -> bool:
    """`left > right || left == right`."""
    return less(right, left) or equal(left, right)


def equal(left: object, right: object) -> bool:
    """`left == right`: by kind and content; callables and handles by identity. Never fails."""
    kind = type(left)
    if kind is not type(right):
        return False
    if kind is list:
        return _equal_arrays(left, right)  # type: ignore[arg-type]
    if kind is dict:
        return _equal_maps(left, right)  # type: ignore[arg-type]
    if kind in _COMPARED_BY_VALUE or is_callable(left):
        return left == right
    return left is right


_COMPARED_BY_VALUE = frozenset({int, float, bool, str, bytes, type(None)})


def _equal_arrays(left: list[object], right: list[object]) -> bool:
    return len(left) == len(right) and all(map(equal, left, right))


def _equal_maps(left: dict[object, object], right: dict[object, object]) -> bool:
    if len(left) != len(right):
        return False
    return all(key in right and equal(value, right[key]) for key, value in left.items())


def not_(value: object) -> bool:
    """`!value` of a bool."""
    if value is True:
        return False
    if value is False:
        return True
    raise TypeMismatch("bool")


def truth(value: object) -> bool:
    """The value as a condition; only a bool is one."""
    if value is True or value is False:
        return value
    raise TypeMismatch("bool")
