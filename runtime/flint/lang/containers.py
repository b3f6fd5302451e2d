"""Indexing, membership, slices and updates of strings, bytes, arrays and maps (5.6, 5.7).

Containers are plain Python objects. The compiler copies a list or dict (`own`) wherever
sharing could be seen, so updates happen in place.
"""

from typing import Any, TypeVar

from flint.lang.errors import HostError, TypeMismatch
from flint.lang.keys import from_map_key, map_key

T = TypeVar("T")

S = TypeVar("S", str, bytes, list[Any])

Sequence = str | bytes | list[Any]

_SEQUENCE_NAMES: dict[type, str] = {str: "string", bytes: "bytes", list: "array"}
_CONTAINER = "bytes/array/map/string"


def item(container: object, key: object) -> Any:
    """`container[key]` for a container of any kind."""
    kind = type(container)
    if kind is dict:
        return map_item(container, key)  # type: ignore[arg-type]
    if kind not in _SEQUENCE_NAMES:
        raise TypeMismatch(_CONTAINER)
    return _element(container, key)  # type: ignore[arg-type]


def array_item(items: list[T], index: int) -> T:
    """`items[index]` of an array."""
    if 0 <= index < len(items):
        return items[index]
    raise _bad_index(items, index)


def string_item(text: str, index: int) -> str:
    """The character (code point) at `index`."""
    if 0 <= index < len(text):
        return text[index]
    raise _bad_index(text, index)


def bytes_item(data: bytes, index: int) -> int:
    """The byte at `index`, 0 to 255."""
    if 0 <= index < len(data):
        return data[index]
    raise _bad_index(data, index)


def present(value: T | None) -> T:
    """An optional field that is read as a plain value; `HostError` when there is none."""
    if value is None:
        raise HostError("map key not found")
    return value


def map_item(entries: dict[Any, T], key: object) -> T:
    """`entries[key]`; `HostError` when the key is absent."""
    try:
        return entries[map_key(key)]
    except KeyError:
        raise HostError("map key not found") from None


def optional_item(container: object, key: object) -> Any:
    """`container?.[key]`: null wherever there is nothing to read."""
    if type(container) is dict:
        return container.get(map_key(key))
    if type(container) is list or type(container) is str:
        return container[key] if type(key) is int and 0 <= key < len(container) else None
    return None


def set_item(container: object, key: object, value: object) -> None:
    """Update in place: replace, append at the length, or delete the key of a null value."""
    if type(container) is list:
        index = key if type(key) is int else _index(key)
        if 0 <= index < len(container):
            container[index] = value
        elif index == len(container):
            container.append(value)
        else:
            raise _bad_index(container, index)
    elif type(container) is dict:
        store(container, map_key(key), value)
    else:
        raise TypeMismatch("array/map")


def store(entries: dict[object, object], key: object, value: object) -> None:
    """Put a value under an already converted key; null removes the key."""
    if value is None:
        entries.pop(key, None)
    else:
        entries[key] = value


def has(container: object, key: object) -> bool:
    """`container.has(key)`: index in range of an array or bytes, or key of a map."""
    if type(container) is dict:
        return map_key(key) in container
    if type(container) is not list and type(container) is not bytes:
        raise TypeMismatch("bytes/array/map")
    return 0 <= _index(key) < len(container)


def keys(container: object) -> list[Any]:
    """`container.keys`: the indices of an array, the keys of a map in insertion order."""
    if type(container) is list:
        return list(range(len(container)))
    if type(container) is dict:
        return [from_map_key(key) for key in container]
    raise TypeMismatch("array/map")


def length(container: object) -> int:
    """`container.length`: characters, bytes, elements or entries."""
    if type(container) is dict or type(container) in _SEQUENCE_NAMES:
        return len(container)  # type: ignore[arg-type]
    raise TypeMismatch(_CONTAINER)


def slice_(container: S, start: object, end: object) -> S:
    """`container[start:end]`; None is a bound left out.

    Only a negative end counts from the back. A negative start, or one past the end, gives an
    empty value.
    """
    if type(container) not in _SEQUENCE_NAMES:
        raise TypeMismatch("bytes/array/string")
    first = 0 if start is None else _index(start)
    last = len(container) if end is None else _index(end)
    if last < 0:
        last += len(container)
    return container[first : max(last, 0)] if first >= 0 else container[:0]


def without_nulls(entries: dict[Any, Any]) -> Any:
    """The entries of a map literal: null values are not stored. Changes and returns the map."""
    for key in [key for key, value in entries.items() if value is None]:
        del entries[key]
    return entries


def map_items(entries: object) -> list[tuple[str, Any]]:
    """The entries a map loop runs over, taken at its start; all keys must be strings."""
    if type(entries) is not dict:
        raise TypeMismatch("map")
    if any(type(key) is not str for key in entries):
        raise HostError("borrowed map iteration requires string keys")
    return list(entries.items())


def own(value: T) -> T:
    """A shallow copy of an array or map, anything else as it is."""
    if type(value) is list or type(value) is dict:
        return value.copy()  # type: ignore[attr-defined,no-any-return]
    return value


def _index(value: object) -> int:
    if type(value) is not int:
        raise TypeMismatch("int")
    return value


def _element(sequence: Sequence, key: object) -> object:
    index = _index(key)
    if 0 <= index < len(sequence):
        return sequence[index]
    raise _bad_index(sequence, index)


def _bad_index(sequence: Sequence, index: int) -> HostError:
    name = _SEQUENCE_NAMES[type(sequence)]
    if index < 0:
        return HostError(f"{name} index must be non-negative")
    return HostError(f"{name} index {index} out of bounds")
