"""A strict JSON reader that says where a text is wrong (language.md 6.7).

Python's own reader, with hooks that refuse what it would let pass, is ten times faster; but the
hooks know no position. So the reader written here gets the texts that the other one refused.
"""

from __future__ import annotations

import math
import re
from contextlib import suppress
from json.decoder import (  # type: ignore[attr-defined]
    JSONDecodeError,
    JSONDecoder,
    scanstring,
)
from typing import NoReturn

from flint.lang.integers import INT_MAX, INT_MIN

_SPACE = re.compile(r"[ \t\n\r]*")
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?")
_WORDS: dict[str, object] = {"true": True, "false": False, "null": None}
_WORD = re.compile("true|false|null")
_SURROGATE = re.compile("[\ud800-\udfff]")
_STRING_OR_BRACKET = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"?|[\[{]|[\]}]', re.DOTALL)
_MOST_NESTED = 1000  # Python's own reader recurses in C, where nothing stops it in time
_SURROGATE_ESCAPE = re.compile(r"\\u[dD][89a-fA-F]")


class JsonFault(Exception):
    """Why a text is not JSON; `str()` ends with `at line L column C`."""


def read_json(text: str) -> object:
    """Parse a whole text: objects become dicts (nulls kept), large integers floats."""
    require_shallow(text)
    if not _SURROGATE_ESCAPE.search(text):
        with suppress(ValueError):
            return _FAST.decode(text)
    return _Reader(text).document()


def require_shallow(text: str) -> None:
    """`JsonFault` where arrays and objects are nested so deeply that reading could end Python."""
    if text.count("[") + text.count("{") <= _MOST_NESTED:
        return
    depth = 0
    for match in _STRING_OR_BRACKET.finditer(text):
        first = match[0][0]
        depth += (first in "[{") - (first in "]}")
        if depth > _MOST_NESTED:
            raise _fault_at(text, match.start(), "recursion limit exceeded")


def _fault_at(text: str, position: int, detail: str) -> JsonFault:
    line = text.count("\n", 0, position) + 1
    column = position - text.rfind("\n", 0, position)
    return JsonFault(f"{detail} at line {line} column {column}")


def _unique(pairs: list[tuple[str, object]]) -> dict[str, object]:
    entries = dict(pairs)
    if len(entries) < len(pairs):
        raise ValueError("duplicate key")
    return entries


def _refuse(constant: str) -> NoReturn:
    raise ValueError(constant)


def _finite(text: str) -> float:
    value = float(text)
    if math.isinf(value):
        raise ValueError("number out of range")
    return value


def _int_or_float(text: str) -> int | float:
    """An int where it fits 64 bits; `-0` keeps its sign as a float."""
    if len(text) < _SAFE_DIGITS and text != "-0":
        return int(text)
    value = int(text) if len(text) <= _MOST_DIGITS else INT_MAX + 1
    fits = INT_MIN <= value <= INT_MAX and text != "-0"
    return value if fits else _finite(text)


_SAFE_DIGITS = len(str(INT_MAX))
_MOST_DIGITS = len(str(INT_MIN))
_FAST = JSONDecoder(
    object_pairs_hook=_unique,
    parse_int=_int_or_float,
    parse_float=_finite,
    parse_constant=_refuse,
)


class _Reader:
    def __init__(self, text: str) -> None:
        self._text = text
        self._position = 0

    def document(self) -> object:
        value = self._value()
        self._skip_space()
        if self._position < len(self._text):
            raise self._fault("trailing characters")
        return value

    def _value(self) -> object:
        character = self._peek()
        if character == "{":
            return self._object()
        if character == "[":
            return self._array()
        if character == '"':
            return self._string()
        if character == "-" or character.isdecimal():
            return self._number()
        return self._word()

    def _object(self) -> dict[object, object]:
        entries: dict[object, object] = {}
        self._position += 1
        if self._accept("}"):
            return entries
        while True:
            self._entry(entries)
            if self._accept("}"):
                return entries
            self._require(",", "expected `,` or `}`")

    def _entry(self, entries: dict[object, object]) -> None:
        if self._peek() != '"':
            raise self._fault("key must be a string")
        start = self._position
        key = self._string()
        if key in entries:
            raise self._fault(f'duplicate key "{key}"', start)
        self._require(":", "expected `:`")
        entries[key] = self._value()

    def _array(self) -> list[object]:
        items: list[object] = []
        self._position += 1
        if self._accept("]"):
            return items
        while True:
            items.append(self._value())
            if self._accept("]"):
                return items
            self._require(",", "expected `,` or `]`")

    def _string(self) -> str:
        start = self._position
        try:
            value, self._position = scanstring(self._text, start + 1, True)
        except JSONDecodeError as error:
            raise self._fault(error.msg[:1].lower() + error.msg[1:], error.pos) from None
        if not value.isascii() and _SURROGATE.search(value):
            raise self._fault("lone surrogate in string", start)
        return str(value)

    def _number(self) -> int | float:
        match = _NUMBER.match(self._text, self._position)
        if match is None:
            raise self._fault("invalid number")
        convert = _finite if match.group(1) or match.group(2) else _int_or_float
        try:
            value = convert(match.group())
        except ValueError as error:
            raise self._fault(str(error)) from None
        self._position = match.end()
        return value

    def _word(self) -> object:
        match = _WORD.match(self._text, self._position)
        if match is None:
            raise self._fault("expected value")
        self._position = match.end()
        return _WORDS[match.group()]

    def _skip_space(self) -> None:
        match = _SPACE.match(self._text, self._position)
        self._position = match.end() if match else self._position

    def _peek(self) -> str:
        """The next character that is no white space."""
        self._skip_space()
        if self._position >= len(self._text):
            raise self._fault("unexpected end of input")
        return self._text[self._position]

    def _accept(self, character: str) -> bool:
        if self._peek() != character:
            return False
        self._position += 1
        return True

    def _require(self, character: str, complaint: str) -> None:
        if not self._accept(character):
            raise self._fault(complaint)

    def _fault(self, detail: str, position: int | None = None) -> JsonFault:
        end = self._position if position is None else position
        return _fault_at(self._text, end, detail)
