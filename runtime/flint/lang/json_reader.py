"""A strict JSON reader that says where a text is wrong (language.md 6.7).

Python's own `json` takes duplicate keys, lone surrogates, NaN and infinite numbers, and its
hooks know no position.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from json.decoder import JSONDecodeError, scanstring  # type: ignore[attr-defined]

from flint.lang.integers import INT_MAX, INT_MIN

MAX_DEPTH = 128

_SPACE = re.compile(r"[ \t\n\r]*")
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?")
_WORDS: dict[str, object] = {"true": True, "false": False, "null": None}
_WORD = re.compile("true|false|null")
_SURROGATE = re.compile("[\ud800-\udfff]")


class JsonFault(Exception):
    """Why a text is not JSON; `str()` ends with `at line L column C`."""


def read_json(text: str) -> object:
    """Parse a whole text: objects become dicts (nulls kept), large integers floats."""
    return _Reader(text).document()


class _Reader:
    def __init__(self, text: str) -> None:
        self._text = text
        self._position = 0
        self._depth = 0

    def document(self) -> object:
        value = self._value()
        self._skip_space()
        if self._position < len(self._text):
            raise self._fault("trailing characters")
        return value

    def _value(self) -> object:
        character = self._peek()
        if character == "{":
            return self._nested(self._object)
        if character == "[":
            return self._nested(self._array)
        if character == '"':
            return self._string()
        if character == "-" or character.isdecimal():
            return self._number()
        return self._word()

    def _nested(self, read: Callable[[], object]) -> object:
        self._depth += 1
        if self._depth > MAX_DEPTH:
            raise self._fault("recursion limit exceeded")
        self._position += 1
        value = read()
        self._depth -= 1
        return value

    def _object(self) -> dict[object, object]:
        entries: dict[object, object] = {}
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
        value = _number_value(match)
        if math.isinf(value):
            raise self._fault("number out of range")
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
        line = self._text.count("\n", 0, end) + 1
        column = end - self._text.rfind("\n", 0, end)
        return JsonFault(f"{detail} at line {line} column {column}")


def _number_value(match: re.Match[str]) -> int | float:
    """An int where it fits 64 bits; `-0` keeps its sign as a float."""
    text = match.group()
    if match.group(1) or match.group(2) or text == "-0" or len(text) > 20:
        return float(text)
    value = int(text)
    return value if INT_MIN <= value <= INT_MAX else float(value)
