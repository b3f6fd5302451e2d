"""What a compiled module calls most of `flint.lang`, written so that mypyc makes fast C of it.

`flintc build --native` compiles a copy of this file together with each program; nothing else uses
it. The usual case is here, all others and every error are those of `flint.lang`.
"""

from typing import TypeVar

from flint.lang import calls, containers, integers
from flint.lang.errors import CALL_LIMIT

T = TypeVar("T")


def wrap(number: int) -> int:
    """`flint.lang.wrap`; mypyc compares ints of 63 bits without a call."""
    if -0x4000_0000_0000_0000 <= number <= 0x3FFF_FFFF_FFFF_FFFF:
        return number
    return integers.wrap(number)


def div(dividend: int, divisor: int) -> int:
    """`flint.lang.div`."""
    if dividend >= 0 and divisor > 0:
        return dividend // divisor
    return integers.div(dividend, divisor)


def rem(dividend: int, divisor: int) -> int:
    """`flint.lang.rem`."""
    if dividend >= 0 and divisor > 0:
        return dividend % divisor
    return integers.rem(dividend, divisor)


def array_item(items: list[T], index: int) -> T:
    """`flint.lang.array_item`."""
    if 0 <= index < len(items):
        return items[index]
    return containers.array_item(items, index)


def string_item(text: str, index: int) -> str:
    """`flint.lang.string_item`."""
    if 0 <= index < len(text):
        return text[index]
    return containers.string_item(text, index)


def bytes_item(data: bytes, index: int) -> int:
    """`flint.lang.bytes_item`."""
    if 0 <= index < len(data):
        return data[index]
    return containers.bytes_item(data, index)


def set_item(container: object, key: object, value: object) -> None:
    """`flint.lang.set_item`."""
    if type(container) is list and type(key) is int and 0 <= key < len(container):
        container[key] = value
    else:
        containers.set_item(container, key, value)


def deeper(depth: int) -> int:
    """`flint.lang.DEEPER[depth]`."""
    return depth + 1 if depth < CALL_LIMIT else calls.DEEPER[depth]
