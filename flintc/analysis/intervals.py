"""Intervals of ints, and what arithmetic and comparisons make of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

I64_MIN: Final = -(2**63)
I64_MAX: Final = 2**63 - 1
_LENGTH_MAX: Final = 2**40  # elements that memory can hold, with room to spare

Comparison: TypeAlias = Literal["<", "<=", ">", ">=", "==", "!="]

MIRRORED: Final[dict[str, Comparison]] = {
    "<": ">",
    "<=": ">=",
    ">": "<",
    ">=": "<=",
    "==": "==",
    "!=": "!=",
}
NEGATED: Final[dict[str, Comparison]] = {
    "<": ">=",
    "<=": ">",
    ">": "<=",
    ">=": "<",
    "==": "!=",
    "!=": "==",
}


@dataclass(slots=True, init=False, unsafe_hash=True)  # not frozen, which costs more to create
class Interval:
    """All ints from `low` to `high`, both included; never changed."""

    low: int
    high: int

    def __init__(self, low: int, high: int) -> None:  # written out for mypyc
        self.low = low
        self.high = high

    def join(self, other: Interval) -> Interval:
        return Interval(min(self.low, other.low), max(self.high, other.high))

    def meet(self, other: Interval) -> Interval | None:
        """What both hold; None if that is nothing."""
        low, high = max(self.low, other.low), min(self.high, other.high)
        return Interval(low, high) if low <= high else None

    def within(self, limit: int) -> bool:
        return -limit <= self.low and self.high <= limit

    @property
    def fits(self) -> bool:
        """Whether every value is a signed 64-bit int."""
        return self.low >= I64_MIN and self.high <= I64_MAX


FULL: Final = Interval(I64_MIN, I64_MAX)
LENGTH: Final = Interval(0, _LENGTH_MAX)


def joined(left: Interval | None, right: Interval | None) -> Interval | None:
    if left is None or right is None:
        return right if left is None else left
    return left.join(right)


def where(values: Interval, comparison: Comparison, bound: Interval) -> Interval | None:
    """The values that compare so with some value of `bound`; None if there is none."""
    low, high = values.low, values.high
    match comparison:
        case "<" | "<=":
            high = min(high, bound.high - (comparison == "<"))
        case ">" | ">=":
            low = max(low, bound.low + (comparison == ">"))
        case "==":
            low, high = max(low, bound.low), min(high, bound.high)
        case "!=" if bound.low == bound.high:
            low += low == bound.low
            high -= high == bound.low
    return Interval(low, high) if low <= high else None


def combine(operator: str, left: Interval, right: Interval) -> Interval:
    """The exact results of an operator."""
    match operator:
        case "+":
            return Interval(left.low + right.low, left.high + right.high)
        case "-":
            return Interval(left.low - right.high, left.high - right.low)
        case "*":
            corners = [a * b for a in (left.low, left.high) for b in (right.low, right.high)]
            return Interval(min(corners), max(corners))
        case "/":
            return _quotient(left, right)
        case "%":
            return _remainder(left if left.fits else FULL, right if right.fits else FULL)
        case _:
            return FULL


def negated(values: Interval) -> Interval:
    return Interval(-values.high, -values.low)


def _quotient(left: Interval, right: Interval) -> Interval:
    if not (left.fits and right.fits):
        return FULL
    size = max(abs(left.low), abs(left.high))
    if left.low >= 0 and right.low >= 0:
        return Interval(left.low // max(1, right.high), left.high // max(1, right.low))
    return Interval(-size, min(size, I64_MAX))


def _remainder(left: Interval, right: Interval) -> Interval:
    limit = max(abs(right.low), abs(right.high)) - 1
    limit = max(0, min(limit, max(abs(left.low), abs(left.high))))
    return Interval(0 if left.low >= 0 else -limit, 0 if left.high <= 0 else limit)
