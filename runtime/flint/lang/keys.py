"""Map keys: how values that Python's `dict` would confuse are kept apart (language.md 5.6).

Strings, ints, bytes and null are their own keys. Bools, floats, containers and handles are
wrapped, because to a dict `1`, `1.0` and `True` are one key and a list is none. Arrays and maps are
keys by their content (in the reference by identity, which finds none of them again).
"""

from __future__ import annotations

import struct
from types import NoneType
from typing import Final, TypeAlias

from flint.lang.errors import HostError
from flint.lang.kinds import is_callable


class BoolKey:
    """A bool as map key."""

    __slots__ = ("value",)

    def __init__(self, value: bool) -> None:
        self.value: Final = value

    def __eq__(self, other: object) -> bool:
        return type(other) is BoolKey and self.value is other.value

    def __hash__(self) -> int:
        return hash(("bool", self.value))


class FloatKey:
    """A float as map key: equal by bits, except that both zeros are one key."""

    __slots__ = ("bits", "value")

    def __init__(self, value: float) -> None:
        self.value: Final = value
        self.bits: Final = struct.pack("<d", value or 0.0)

    def __eq__(self, other: object) -> bool:
        return type(other) is FloatKey and self.bits == other.bits

    def __hash__(self) -> int:
        return hash(("float", self.bits))


class ArrayKey:
    """An array as map key, equal to one of equal items; later changes do not reach it."""

    __slots__ = ("items",)

    def __init__(self, items: list[object]) -> None:
        self.items: Final = tuple(map(map_key, items))

    @property
    def value(self) -> list[object]:
        return [from_map_key(item) for item in self.items]

    def __eq__(self, other: object) -> bool:
        return type(other) is ArrayKey and self.items == other.items

    def __hash__(self) -> int:
        return hash(("array", self.items))


class EntriesKey:
    """A map as map key: equal to one with the same entries in any order."""

    __slots__ = ("entries",)

    def __init__(self, entries: dict[MapKey, object]) -> None:
        self.entries: Final = {key: map_key(item) for key, item in entries.items()}

    @property
    def value(self) -> dict[MapKey, object]:
        return {key: from_map_key(item) for key, item in self.entries.items()}

    def __eq__(self, other: object) -> bool:
        return type(other) is EntriesKey and self.entries == other.entries

    def __hash__(self) -> int:
        return hash(("map", frozenset(self.entries.items())))


class IdentityKey:
    """A host handle as map key: equal only to itself."""

    __slots__ = ("value",)

    def __init__(self, value: object) -> None:
        self.value: Final = value

    def __eq__(self, other: object) -> bool:
        return type(other) is IdentityKey and self.value is other.value

    def __hash__(self) -> int:
        return hash(("identity", id(self.value)))


MapKey: TypeAlias = (
    "str | int | bytes | BoolKey | FloatKey | ArrayKey | EntriesKey | IdentityKey | None"
)
_WRAPPERS = (BoolKey, FloatKey, ArrayKey, EntriesKey, IdentityKey)

_PLAIN = frozenset({str, int, bytes, NoneType})


def map_key(value: object) -> MapKey:
    """The dict key that stands for a value; callables are refused with `HostError`."""
    if type(value) in _PLAIN:
        return value  # type: ignore[return-value]
    if type(value) is bool:
        return BoolKey(value)
    if type(value) is float:
        return FloatKey(value)
    if type(value) is list:
        return ArrayKey(value)
    if type(value) is dict:
        return EntriesKey(value)
    if is_callable(value):
        raise HostError("callable values are not supported as map keys")
    return IdentityKey(value)


def from_map_key(key: object) -> object:
    """The value that a dict key stands for; the inverse of `map_key`."""
    if type(key) in _PLAIN:
        return key
    return key.value if isinstance(key, _WRAPPERS) else key
