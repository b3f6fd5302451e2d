"""`bytes::`: conversions between byte strings and text, hex, base64 and arrays (6.4)."""

import base64
import binascii
from typing import Any

from flint.lang.errors import HostError
from flint.lang.kinds import expect

_HEX_DIGITS = frozenset("0123456789abcdefABCDEF")


def from_utf8(text: str) -> bytes:
    """The UTF-8 encoding of a text."""
    expect(text, str)
    return text.encode()


def to_utf8(data: bytes) -> str:
    """Decode UTF-8; `HostError` if it is malformed."""
    expect(data, bytes)
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        raise HostError(
            f"bytes::to_utf8 requires valid utf-8: {error.reason} at offset {error.start}"
        ) from None


def to_utf8_lossy(data: bytes) -> str:
    """Decode UTF-8 with U+FFFD for what is malformed."""
    expect(data, bytes)
    return data.decode(errors="replace")


def from_hex(text: str) -> bytes:
    """The bytes of hex digits in either case; `HostError` if malformed."""
    expect(text, str)
    if len(text.encode()) % 2:
        raise HostError("bytes::from_hex requires an even number of hex digits")
    for offset, digit in enumerate(text):
        if digit not in _HEX_DIGITS:
            raise HostError(
                f"bytes::from_hex encountered invalid hex digit '{digit}' at offset {offset}"
            )
    return bytes.fromhex(text)


def to_hex(data: bytes) -> str:
    """Lower-case hex digits, two a byte."""
    expect(data, bytes)
    return data.hex()


def from_base64(text: str) -> bytes:
    """Decode standard base64 with padding; `HostError` if it is not exactly that."""
    expect(text, str)
    try:
        data = base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError) as error:
        raise HostError(f"bytes::from_base64 requires valid base64: {error}") from None
    if to_base64(data) != text:  # Python tolerates stray bits and padding
        raise HostError("bytes::from_base64 requires valid base64: not in canonical form")
    return data


def to_base64(data: bytes) -> str:
    """Standard base64 with padding."""
    expect(data, bytes)
    return base64.b64encode(data).decode("ascii")


def from_array_u8(values: list[Any]) -> bytes:
    """The bytes of an array of ints 0 to 255; `HostError` names the entry that is none."""
    expect(values, list)
    for index, value in enumerate(values):
        if type(value) is not int or not 0 <= value <= 255:
            raise HostError(f"bytes::from_array_u8 entry {index} must be an int in 0..=255")
    return bytes(values)


def to_array_u8(data: bytes) -> list[Any]:
    """The bytes as an array of ints."""
    expect(data, bytes)
    return list(data)
