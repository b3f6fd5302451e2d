"""Text to number as scripts expect it, stricter than Python: no blanks, no underscores.

Source: host-functions.md 1.
"""

from __future__ import annotations

import re

_INT = re.compile(r"([+-]?)([0-9]+)")
_FLOAT = re.compile(
    r"[+-]?(?:inf|infinity|nan|(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:e[+-]?[0-9]+)?)",
    re.IGNORECASE | re.ASCII,
)
_INT_MIN, _INT_MAX = -(2**63), 2**63 - 1
_INT_DIGITS = 19


def parse_int(text: str) -> int:
    """A signed 64-bit decimal int; `ValueError` with the reason."""
    match = _INT.fullmatch(text)
    if match is None:
        raise ValueError(_not_a_number(text))
    sign, digits = match[1], match[2].lstrip("0") or "0"
    # The length test comes first: Python refuses to convert thousands of digits.
    value = int(sign + digits[: _INT_DIGITS + 1])
    if value > _INT_MAX:
        raise ValueError("too large for 64 bits")
    if value < _INT_MIN:
        raise ValueError("too small for 64 bits")
    return value


def parse_float(text: str) -> float:
    """A 64-bit float; what is too large becomes infinite. `ValueError` with the reason."""
    if _FLOAT.fullmatch(text) is None:
        raise ValueError(_not_a_number(text))
    return float(text)


def _not_a_number(text: str) -> str:
    return f"{text!r} is not a number" if text else "it is empty"
