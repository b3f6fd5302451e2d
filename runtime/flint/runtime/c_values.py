"""Checks of ints and texts before they reach C, where they would wrap, abort or be cut."""

from __future__ import annotations

from flint.runtime.host import Refused

INT32_MIN, INT32_MAX = -(2**31), 2**31 - 1
UINT32_MAX = 2**32 - 1


def int32(name: str, value: int) -> int:
    """The value if it fits a signed 32-bit int."""
    if value > INT32_MAX:
        raise Refused(f"{name} {value} exceeds int32")
    if value < INT32_MIN:
        raise Refused(f"{name} {value} is below int32")
    return value


def natural32(name: str, value: int) -> int:
    """The value if it fits a signed 32-bit int and is not negative."""
    if value < 0:
        raise Refused(f"{name} {value} is below 0")
    return int32(name, value)


def uint32(name: str, value: int) -> int:
    """The value if it fits an unsigned 32-bit int."""
    if value < 0:
        raise Refused(f"{name} {value} is below 0")
    if value > UINT32_MAX:
        raise Refused(f"{name} {value} exceeds uint32")
    return value


def c_text(name: str, text: str) -> bytes:
    """The text as UTF-8 for a C string."""
    if "\0" in text:
        raise Refused(f"{name} contains a NUL character at index {text.index(chr(0))}")
    try:
        return text.encode()
    except UnicodeEncodeError as error:
        raise Refused(f"{name} is not valid Unicode at index {error.start}") from None


def first_complaint(lines: list[str]) -> str:
    """The first line of a library's log of errors in parentheses; "" if there is none."""
    # The first complaint is the cause; later ones say where it was noticed.
    text = "".join(lines).strip().splitlines()
    return f" ({text[0].strip()})" if text else ""
