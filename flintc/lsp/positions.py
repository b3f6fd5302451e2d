"""Places as the Language Server Protocol counts them: lines from 0, and columns in the units of an
encoding that client and server agree on."""

from __future__ import annotations

import re
from bisect import bisect_right
from typing import Final, Literal, TypeAlias

Encoding: TypeAlias = Literal["utf-8", "utf-16", "utf-32"]

_LINE_END: Final = re.compile(r"\r\n|\n|\r")  # the protocol's; RustScript counts `\n` only


class Positions:
    """Translates between code point offsets of one text and the protocol's positions."""

    def __init__(self, text: str, encoding: Encoding = "utf-16") -> None:
        self.text = text
        self.encoding = encoding
        ends = list(_LINE_END.finditer(text))
        self._starts = [0, *(end.end() for end in ends)]
        self._ends = [*(end.start() for end in ends), len(text)]

    def offset(self, line: int, column: int) -> int:
        """The offset of a position; one behind the end of a line or text means that end."""
        if line >= len(self._starts):
            return len(self.text)
        start, end = self._starts[line], self._ends[line]
        shown = self.text[start:end]
        if self.encoding == "utf-32" or shown.isascii():
            return min(start + column, end)
        units = 0
        for at, char in enumerate(shown, start):
            units += self._units(char)
            if units > column:
                return at
        return end

    def position(self, offset: int) -> tuple[int, int]:
        """Line and column of an offset, which may be the end of the text."""
        offset = min(offset, len(self.text))
        line = bisect_right(self._starts, offset) - 1
        return line, self._units(self.text[self._starts[line] : offset])

    def _units(self, text: str) -> int:
        if self.encoding == "utf-32" or text.isascii():
            return len(text)
        if self.encoding == "utf-8":
            return len(text.encode("utf-8", "surrogatepass"))
        return len(text.encode("utf-16-le", "surrogatepass")) // 2
