"""A source file's text and the positions in it.

Offsets count code points. Lines count `\n` only and columns count code points, both from 1
(language reference 1.1); `utf8_column` gives the byte column that Python's `ast` wants.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias

Place: TypeAlias = tuple[int, int, int, int]


class Position(NamedTuple):
    """Line and column, both from 1; the column counts code points."""

    line: int
    column: int


@dataclass(frozen=True, eq=False)
class SourceFile:
    """One file's text. `path` is what people see in messages; files compare by identity."""

    path: str
    text: str
    _starts: list[int] = field(init=False, repr=False)
    _wide_lines: frozenset[int] = field(init=False, repr=False)  # lines with more than ASCII

    def __post_init__(self) -> None:
        starts = [0]
        find = self.text.find
        at = find("\n")
        while at >= 0:
            starts.append(at + 1)
            at = find("\n", at + 1)
        object.__setattr__(self, "_starts", starts)
        wide: set[int] = set()
        if not self.text.isascii():
            lines = enumerate(self.text.split("\n"), start=1)
            wide = {number for number, line in lines if not line.isascii()}
        object.__setattr__(self, "_wide_lines", frozenset(wide))

    def position(self, offset: int) -> Position:
        """Line and column of a code point offset (the end of the text included)."""
        line = bisect_right(self._starts, offset)
        return Position(line, offset - self._starts[line - 1] + 1)

    def line_at(self, offset: int) -> int:
        """The line (from 1) of a code point offset."""
        return bisect_right(self._starts, offset)

    def line_start(self, line: int) -> int:
        """Offset of the first code point of a line (from 1)."""
        return self._starts[line - 1]

    def line_text(self, line: int) -> str:
        """The text of a line without its line feed."""
        start = self._starts[line - 1]
        end = self._starts[line] - 1 if line < len(self._starts) else len(self.text)
        return self.text[start:end]

    def utf8_place(self, offset: int) -> tuple[int, int]:
        """The line (from 1), and the bytes between its start and `offset` as UTF-8."""
        line = bisect_right(self._starts, offset)
        start = self._starts[line - 1]
        if line not in self._wide_lines:
            return line, offset - start
        return line, len(self.text[start:offset].encode("utf-8", "surrogatepass"))

    def utf8_range(self, start: int, end: int) -> Place:
        """The lines and UTF-8 columns of two offsets."""
        line = bisect_right(self._starts, start)
        first = self._starts[line - 1]
        is_one_line = line == len(self._starts) or end < self._starts[line]
        if is_one_line and line not in self._wide_lines:
            return line, start - first, line, end - first
        return (*self.utf8_place(start), *self.utf8_place(end))

    def utf8_column(self, offset: int) -> int:
        """Bytes between the start of the line and `offset`, as UTF-8 (from 0)."""
        return self.utf8_place(offset)[1]


class Span:
    """A half-open range of code points in one file, compared by value and never changed."""

    __slots__ = ("_place", "end", "file", "start")

    def __init__(self, file: SourceFile, start: int, end: int) -> None:
        self.file = file
        self.start = start
        self.end = end
        self._place: Place | None = None

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Span)
            and self.file is other.file
            and self.start == other.start
            and self.end == other.end
        )

    def __hash__(self) -> int:
        return hash((self.start, self.end))

    def __repr__(self) -> str:
        return f"Span({self.file.path!r}, {self.start}, {self.end})"

    @property
    def text(self) -> str:
        return self.file.text[self.start : self.end]

    @property
    def position(self) -> Position:
        return self.file.position(self.start)

    @property
    def line(self) -> int:
        return self.file.line_at(self.start)

    @property
    def place(self) -> Place:
        """The lines and UTF-8 columns of both ends, as Python's `ast` has them."""
        if self._place is None:
            self._place = self.file.utf8_range(self.start, self.end)
        return self._place

    def to(self, other: Span) -> Span:
        """The span from the start of this one to the end of `other`."""
        return Span(self.file, self.start, other.end)
