"""What ownership knows of a variable at one point of a body, and of a value that it is bound to."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from flintc.analysis.symbols import Variable


class Facts(NamedTuple):
    """What holds of one variable (language reference 4.1 to 4.7).

    `available`, `plain`, `literal` and `copyable` hold on every path to the point, the others on
    some path.
    Sets of fields are bit masks over `FieldNumbers`.
    """

    available: bool = True  # bound
    moved: bool = False
    movable: bool = False  # last bound to a string or bytes literal
    collection: bool = False  # last bound to an array or map whose other names are known
    plain: bool = False  # last bound to a number, bool or null
    literal: bool = False  # last bound to a map literal
    taken: int = 0  # fields that were moved out
    copyable: int = 0  # fields that are numbers, bools or null
    aliases: frozenset[Variable] = frozenset()  # other names of the same array or map


UNBOUND: Final = Facts(available=False)
ELSEWHERE: Final = Facts()  # parameters, bindings of patterns, captures without history


def join(one: Facts, other: Facts) -> Facts:
    """What holds where two paths meet."""
    if one == other:
        return one
    return Facts(
        one.available and other.available,
        one.moved or other.moved,
        one.movable or other.movable,
        one.collection or other.collection,
        one.plain and other.plain,
        one.literal and other.literal,
        one.taken | other.taken,
        one.copyable & other.copyable,
        one.aliases | other.aliases,
    )


# Numbers of field keys: all that are no literals are one, all slices another.
DYNAMIC: Final = 0
SLICE: Final = 1
WILD: Final = 1 << DYNAMIC | 1 << SLICE  # they may touch every field


@dataclass(slots=True)
class FieldNumbers:
    """One number for each literal field key of a program, the same one for all variables."""

    numbers: dict[str | int, int] = field(default_factory=dict)

    def of(self, key: str | int) -> int:
        return self.numbers.setdefault(key, len(self.numbers) + 2)


def numbers(fields: int) -> Iterator[int]:
    """The members of a set of fields."""
    while fields:
        yield (fields & -fields).bit_length() - 1
        fields &= fields - 1


class Value(NamedTuple):
    """What a variable takes over from the value that it is bound to: see `Facts`."""

    movable: bool = False
    collection: bool = False
    plain: bool = False
    literal: bool = False
    copyable: int = 0


OTHER: Final = Value()
MOVABLE: Final = Value(movable=True)
COLLECTION: Final = Value(collection=True)
PLAIN: Final = Value(plain=True)


def common(values: Iterable[Value]) -> Value:
    """A value that comes from one of several branches."""
    branches = list(values)
    return Value(
        bool(branches) and all(value.movable for value in branches),
        bool(branches) and all(value.collection for value in branches),
        bool(branches) and all(value.plain for value in branches),
    )
