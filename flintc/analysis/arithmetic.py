"""Result types of operators (language reference 3.3, 5.2 to 5.5)."""

from __future__ import annotations

from flintc.analysis.lattice import BOTTOM, MIXED, ZERO, bounded, element, join
from flintc.analysis.types import (
    BOOL,
    BYTES,
    FLOAT,
    INT,
    NUMBER,
    STRING,
    UNKNOWN,
    Array,
    Tuple,
    Type,
    is_numeric,
    strip_optional,
)


def apply(operator: str, left: Type, right: Type) -> Type:
    """The type of `left operator right` where it succeeds."""
    if operator == "+":
        return add(left, right)
    return numeric(left, right) if operator in ("-", "*", "/", "%") else BOOL


def add(left: Type, right: Type) -> Type:
    """`+` adds numbers, and joins texts, bytes and arrays."""
    left, right = plain(left), plain(right)
    if left is BOTTOM or right is BOTTOM:
        return BOTTOM
    if STRING in (left, right):
        return STRING
    if left is BYTES and right is BYTES:
        return BYTES
    if isinstance(left, (Array, Tuple)) and isinstance(right, (Array, Tuple)):
        return bounded(Array(join(element(left), element(right))))
    if is_numeric(left) and is_numeric(right):
        return numeric(left, right)
    return UNKNOWN if left is UNKNOWN and right is UNKNOWN else MIXED


def numeric(left: Type, right: Type) -> Type:
    """Arithmetic that only numbers have."""
    left, right = plain(left), plain(right)
    if left is BOTTOM or right is BOTTOM:
        return BOTTOM
    if FLOAT in (left, right):
        return FLOAT
    if left is INT and right is INT:
        return INT
    return UNKNOWN if UNKNOWN in (left, right) else NUMBER


def negative(operand: Type) -> Type:
    operand = plain(operand)
    return operand if operand is BOTTOM or is_numeric(operand) else NUMBER


def plain(type_: Type) -> Type:
    """An operand's own type: arithmetic with null fails, and makes an int of the literal `0`."""
    type_ = strip_optional(type_)
    return INT if type_ is ZERO else type_
