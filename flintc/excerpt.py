"""One source line as a terminal shows it, and where a range of it lies on the screen."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from typing import Final

TAB_WIDTH: Final = 4
MAX_CHARACTERS: Final = 110  # of a line; longer ones are cut around what they are shown for
_LEAD: Final = 40  # kept before the place of interest in a cut line
_CUT: Final = "…"
_CONTROL_PICTURES: Final = 0x2400


def visible(text: str) -> str:
    """`text` without characters that a terminal would obey or cannot encode: controls,
    direction marks, lone surrogates. Each becomes one visible character."""
    if text.isprintable():
        return text
    return "".join(char if char.isprintable() else _picture(char) for char in text)


def _picture(char: str) -> str:
    code = ord(char)
    if code < 0x20:
        return chr(_CONTROL_PICTURES + code)
    return "\u2421" if code == 0x7F else "\ufffd"


def width(char: str) -> int:
    """Terminal columns of a printable character: 0 for combining marks, 2 for wide ones."""
    if char.isascii():
        return 1
    if unicodedata.category(char) in ("Mn", "Me"):
        return 0
    return 2 if unicodedata.east_asian_width(char) in ("W", "F") else 1


@dataclass(frozen=True, slots=True)
class Excerpt:
    """A line prepared for display: its `text`, and the column where each code point of
    `line[first:]` begins; the last column is that of the end."""

    text: str
    first: int
    columns: tuple[int, ...]

    def columns_of(self, start: int, end: int) -> tuple[int, int]:
        """First column and number of columns (at least 1) of the code points `start:end`."""
        last = len(self.columns) - 1
        left = self.columns[min(max(start - self.first, 0), last)]
        right = self.columns[min(max(end - self.first, 0), last)]
        return left, max(right - left, 1)


def excerpt(line: str, focus: int) -> Excerpt:
    """Expand the tabs of a line and, if it is long, cut it around code point `focus`."""
    line = line.removesuffix("\r")
    first = max(0, min(focus - _LEAD, len(line) - MAX_CHARACTERS))
    last = min(len(line), first + MAX_CHARACTERS)
    pieces = [_CUT] if first else []
    column = len(pieces)
    columns: list[int] = []
    for char in line[first:last]:
        columns.append(column)
        shown = " " * (TAB_WIDTH - column % TAB_WIDTH) if char == "\t" else visible(char)
        column += len(shown) if char == "\t" else width(shown)
        pieces.append(shown)
    columns.append(column)
    if last < len(line):
        pieces.append(_CUT)
    return Excerpt("".join(pieces), first, tuple(columns))
