"""Prompts that stable-diffusion.cpp cannot take: there a bad weight ends the process.

In a prompt `(words:1.2)` weighs words. The library converts what stands between the colon and the
bracket with C++'s `stof`, whose exceptions nothing catches, and its splitting of long texts is
recursive.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from flint.runtime.c_values import c_text
from flint.runtime.host import Refused

LONGEST = 8192
_FLOAT_MIN, _FLOAT_MAX = 2.0**-126, (2 - 2.0**-23) * 2.0**127
_TOKEN = re.compile(r"\\[()\[\]\\]|\(|:([+-]?[.\d]+)\)|\)", re.ASCII)
_NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)", re.ASCII)


def prompt_bytes(label: str, text: str) -> bytes:
    """The text for the library; refused with its reason where it would not survive it."""
    encoded = c_text(label, text)
    if len(encoded) > LONGEST:
        raise Refused(f"the {label} has {len(encoded)} bytes, at most {LONGEST} are possible")
    for weight in _weights(text):
        if not _is_float(weight):
            raise Refused(
                f"the {label} has the weight {weight!r}, which is no number; write (word:1.2), "
                "or \\( and \\) for brackets that mean themselves"
            )
    return encoded


def _weights(text: str) -> Iterator[str]:
    """What the library reads as a number: it stands before the end of an open bracket."""
    depth = 0
    for token in _TOKEN.finditer(text):
        if token[0] == "(":
            depth += 1
        elif depth and token[0].endswith(")") and not token[0].startswith("\\"):
            depth -= 1
            if token[1]:
                yield token[1]


def _is_float(text: str) -> bool:
    """Whether `stof` takes the beginning of the text for a number within a C float's range."""
    number = _NUMBER.match(text)
    if number is None:
        return False
    value = abs(float(number[0]))
    return value == 0 or _FLOAT_MIN <= value <= _FLOAT_MAX
