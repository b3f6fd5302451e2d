"""Source maps: which piece of a generated module comes from which piece of its script.

docs/source-maps.md describes the file. Lines count from 1, columns from 0 in bytes of UTF-8, as
Python's `ast` counts; `code_points` and `utf8_bytes` convert columns.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, Final, NamedTuple

VERSION: Final = 2
SUFFIX: Final = ".map"  # behind the whole name of the module's file


class SourceMapError(ValueError):
    """A text is no source map of this version."""


class Piece(NamedTuple):
    """A range of one text, its end exclusive."""

    line: int
    column: int
    end_line: int
    end_column: int

    @property
    def is_empty(self) -> bool:
        return (self.line, self.column) == (self.end_line, self.end_column)

    @property
    def size(self) -> tuple[int, int]:
        """Orders nested pieces: fewer lines first, then fewer bytes."""
        return (self.end_line - self.line, self.end_column - self.column)

    def contains(self, line: int, column: int) -> bool:
        return (self.line, self.column) <= (line, column) < (self.end_line, self.end_column)


class Row(NamedTuple):
    """A statement or an expression. What flintc adds by itself has an empty piece of the script."""

    output: Piece
    script: Piece


_Half = Callable[[Row], Piece]


@dataclass(frozen=True, slots=True)
class SourceMap:
    """The map of one module.

    `source` names the script as the module's docstring does; the hashes are those of both files.
    `lines` are pairs of a line without code (a comment, `else:`) and the script's line.
    """

    source: str
    source_sha256: str
    output_sha256: str
    rows: Sequence[Row]
    lines: Sequence[tuple[int, int]]

    @property
    def last_lines(self) -> tuple[int, int]:
        """The last lines that it names, of the module and of the script."""
        outputs = [row.output.end_line for row in self.rows] + [line for line, _ in self.lines]
        scripts = [row.script.end_line for row in self.rows] + [line for _, line in self.lines]
        return max(outputs), max(scripts)

    def to_script(self, line: int, column: int | None = None) -> list[Piece]:
        """Where a place of the module comes from: one piece at a column, else one for each line
        of the script that the line comes from. Every line has at least one.
        """
        return _across(self.rows, self.lines, _output, _script, line, column)

    def of_piece(self, piece: Piece) -> Piece:
        """Where a statement or expression of the module comes from, or the smallest around it."""
        same = [row for row in self.rows if row.output == piece]
        if same:
            return min((row.script for row in same), key=lambda script: script.is_empty)
        return self.to_script(piece.line, None if piece.is_empty else piece.column)[0]

    def to_output(self, line: int, column: int | None = None) -> list[Piece]:
        """What became of a place of the script, as `to_script`."""
        rows = [row for row in self.rows if not row.script.is_empty]
        begun = {row.script.line for row in rows}
        back = [(script, output) for output, script in self.lines if script not in begun]
        return _across(rows, back, _script, _output, line, column)


def text_hash(text: str) -> str:
    return sha256(text.encode()).hexdigest()


def to_json(found: SourceMap) -> str:
    """The map as a file's text, a row a line."""
    head = {
        "version": VERSION,
        "source": found.source,
        "source_sha256": found.source_sha256,
        "output_sha256": found.output_sha256,
        "lines": found.lines,
    }
    rows = ",\n".join(json.dumps([*row.output, *row.script]) for row in found.rows)
    fields = ",\n".join(f" {json.dumps(key)}: {json.dumps(value)}" for key, value in head.items())
    return f'{{\n{fields},\n "mappings": [\n{rows}\n]}}\n'


def from_json(text: str) -> SourceMap:
    """Read a map; `SourceMapError` for any other text."""
    try:
        data = json.loads(text)
        if data["version"] != VERSION:
            raise SourceMapError(f"its version is {data['version']!r} and not {VERSION}")
        rows = [_row(numbers) for numbers in _list(data["mappings"])]
        if not rows:
            raise ValueError("no row")
        return SourceMap(
            _text(data["source"]),
            _text(data["source_sha256"]),
            _text(data["output_sha256"]),
            rows,
            [_pair(numbers) for numbers in _list(data["lines"])],
        )
    except SourceMapError:
        raise
    except (ValueError, TypeError, KeyError, RecursionError) as error:
        raise SourceMapError("it is damaged") from error


def _row(numbers: object) -> Row:
    known = _numbers(numbers, 8)
    row = Row(Piece(*known[:4]), Piece(*known[4:]))
    if any(not 1 <= each.line <= each.end_line or each.size < (0, 0) for each in row):
        raise ValueError(f"no piece: {known}")
    return row


def _pair(numbers: object) -> tuple[int, int]:
    output, script = _numbers(numbers, 2)
    if min(output, script) < 1:
        raise ValueError("lines count from 1")
    return output, script


def _numbers(value: object, count: int) -> list[int]:
    numbers = _list(value)
    if len(numbers) != count or any(type(each) is not int or each < 0 for each in numbers):
        raise ValueError(f"not {count} numbers: {numbers}")
    return numbers


def _list(value: object) -> list[Any]:
    if not isinstance(value, list):
        raise TypeError(f"no list: {value!r}")
    return value


def _text(value: object) -> str:
    if not isinstance(value, str) or "\0" in value:
        raise TypeError(f"no text: {value!r}")
    return value


def _output(row: Row) -> Piece:
    return row.output


def _script(row: Row) -> Piece:
    return row.script


def _across(
    rows: Iterable[Row],
    lines: Iterable[tuple[int, int]],
    here: _Half,
    there: _Half,
    line: int,
    column: int | None,
) -> list[Piece]:
    if column is not None:
        around = [row for row in rows if here(row).contains(line, column)]
        if around:
            return [there(min(around, key=lambda row: here(row).size))]
    return _of_line(list(rows), list(lines), here, there, line)


def _of_line(
    rows: list[Row], lines: list[tuple[int, int]], here: _Half, there: _Half, line: int
) -> list[Piece]:
    """What a line says without code, else what begins there, else what ends there, else what
    follows: an empty line belongs to the next."""
    said = [Piece(number, 0, number, 0) for own, number in lines if own == line]
    begun = said or [there(row) for row in rows if here(row).line == line]
    if begun:
        return _first_of_each_line(begun)
    ended = [row for row in rows if here(row).end_line == line]
    if ended:
        end = there(max(ended, key=lambda row: here(row).size))
        return [Piece(end.end_line, max(end.end_column - 1, 0), end.end_line, end.end_column)]
    places = {here(row).line for row in rows} | {own for own, _ in lines}
    following = min((place for place in places if place > line), default=max(places, default=line))
    return [] if following == line else _of_line(rows, lines, here, there, following)


def _first_of_each_line(pieces: list[Piece]) -> list[Piece]:
    """The leftmost piece of every line, in order; what flintc adds only where nothing else is."""
    written = [piece for piece in pieces if not piece.is_empty] or pieces
    first: dict[int, Piece] = {}
    for piece in sorted(written):
        first.setdefault(piece.line, piece)
    return list(first.values())


# -- columns -------------------------------------------------------------------------------------


def code_points(text: str, column: int) -> int:
    """The code points of a line before a byte column."""
    return len(text.encode("utf-8", "surrogatepass")[:column].decode("utf-8", "ignore"))


def utf8_bytes(text: str, column: int) -> int:
    """The bytes of a line before a column in code points."""
    return len(text[:column].encode("utf-8", "surrogatepass"))
