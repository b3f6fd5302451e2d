"""Values of number, string and bytes literals (language reference 1.4 to 1.7)."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final, TypeAlias

from flintc.syntax.tokens import INT_MAX

# Receives code, title, offsets relative to the literal, and a help line.
Report: TypeAlias = Callable[[str, str, int, int, str | None], None]

_SIMPLE_ESCAPES: Final = {
    "n": "\n",
    "r": "\r",
    "t": "\t",
    "\\": "\\",
    '"': '"',
    "'": "'",
    "0": "\0",
}
_ESCAPE: Final = re.compile(r"\\(?:x([0-9A-Fa-f]{2})|(.))", re.DOTALL)
_NON_ASCII: Final = re.compile(r"[^\x00-\x7f]+")
# Longer than 2^64 in decimal; also keeps `int` away from its own digit limit.
_MAX_DIGITS: Final = 20


def integer(text: str, report: Report) -> int:
    """The value of a decimal or hexadecimal literal, at most 2^63; 0 after a reported problem."""
    is_hex = text[:2] in ("0x", "0X")
    digits = (text[2:] if is_hex else text).lstrip("0")
    if is_hex and len(text) == 2:
        report("E_INVALID_NUMBER", f"`{text}` has no digits", 0, 2, "write at least one hex digit")
        return 0
    value = int(digits or "0", 16 if is_hex else 10) if len(digits) <= _MAX_DIGITS else 2**64
    if value <= INT_MAX + 1:
        return value
    code = "E_INT_OUT_OF_RANGE" if value < 2**64 else "E_INVALID_NUMBER"
    title = "this integer does not fit 64 bits"
    report(code, title, 0, len(text), f"the largest integer is {INT_MAX}")
    return 0


def _escape_help(escape: str) -> str:
    if escape == "u":
        return "write the character itself, or `\\xHH` for U+0000 to U+00FF"
    if escape == "x":
        return "`\\x` takes exactly two hexadecimal digits"
    return "the escapes are \\n \\r \\t \\\\ \\\" \\' \\0 and \\xHH; write `\\\\` for a backslash"


def unescape(body: str, offset: int, report: Report) -> str:
    """The text between the quotes with its escapes replaced; `offset` is where it begins.

    A wrong escape is reported and kept as written.
    """

    def replace(found: re.Match[str]) -> str:
        if found[1]:
            return chr(int(found[1], 16))
        value = _SIMPLE_ESCAPES.get(found[2])
        if value is not None:
            return value
        shown = "\\" + (found[2] if found[2].isprintable() else repr(found[2])[1:-1])
        start = offset + found.start()
        title = f"invalid escape `{shown}`"
        report("E_INVALID_ESCAPE", title, start, start + 2, _escape_help(found[2]))
        return found[0]

    return _ESCAPE.sub(replace, body) if "\\" in body else body


def byte_string(body: str, offset: int, report: Report) -> bytes:
    """As `unescape`, for a bytes literal: other characters must be ASCII."""
    for found in _NON_ASCII.finditer(body):
        title = "a bytes literal holds ASCII characters only"
        hint = "write other bytes as `\\xHH`"
        report("E_NON_ASCII_BYTES", title, offset + found.start(), offset + found.end(), hint)
    return unescape(body, offset, report).encode("latin-1", "replace")
