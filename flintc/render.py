"""Problems for people (text with carets under the source) and for programs (JSON)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby
from typing import Any, Final

from flintc.excerpt import excerpt, visible
from flintc.problems import Problem
from flintc.source import Position, SourceFile, Span

_STYLES: Final = {"error": "1;31", "warning": "1;33", "label": "1;34", "frame": "34", "bold": "1"}
_STYLES["help"] = "1;32"


@dataclass(frozen=True, slots=True)
class _Mark:
    """A range of one line to underline."""

    file: SourceFile
    position: Position
    end: int  # code points from the start of the line
    text: str
    is_primary: bool


def render_text(problem: Problem, color: bool = False) -> str:
    """The problem as lines of text, without a final line feed.

    A range over several lines is underlined in its first line only.
    """
    return "\n".join(_Renderer(problem, color).lines())


class _Renderer:
    def __init__(self, problem: Problem, color: bool) -> None:
        self.problem = problem
        self.color = color
        self.severity = problem.severity.value
        self.marks = list(_marks(problem))
        self.gutter = max((len(str(mark.position.line)) for mark in self.marks), default=1)

    def lines(self) -> Iterator[str]:
        problem = self.problem
        head = self._paint(f"{self.severity}[{problem.code}]", self.severity)
        yield f"{head}{self._paint(f': {visible(problem.title)}', 'bold')}"
        for index, (file, marks) in enumerate(groupby(self.marks, lambda mark: mark.file)):
            yield from self._frame(file, list(marks), "-->" if index == 0 else ":::")
        if problem.help:
            first, *more = problem.help.splitlines()
            yield f"{self._paint('help', 'help')}: {visible(first)}"
            yield from (f"      {visible(line)}" for line in more)

    def _frame(self, file: SourceFile, marks: list[_Mark], arrow: str) -> Iterator[str]:
        place = next((mark for mark in marks if mark.is_primary), marks[0]).position
        pad = " " * self.gutter
        where = f"{visible(file.path)}:{place.line}:{place.column}"
        yield f"{pad}{self._paint(arrow, 'frame')} {where}"
        yield self._bar()
        previous = None
        for line, group in groupby(marks, lambda mark: mark.position.line):
            if previous is not None and line > previous + 1:
                yield self._paint("...", "frame")
            yield from self._annotated(file, line, list(group))
            previous = line

    def _annotated(self, file: SourceFile, line: int, marks: list[_Mark]) -> Iterator[str]:
        focus = next((mark for mark in marks if mark.is_primary), marks[0])
        shown = excerpt(file.line_text(line), focus.position.column - 1)
        yield f"{self._paint(f'{line:>{self.gutter}} |', 'frame')} {shown.text}".rstrip()
        for mark in sorted(marks, key=lambda mark: not mark.is_primary):
            column, count = shown.columns_of(mark.position.column - 1, mark.end)
            text = ("^" if mark.is_primary else "-") * count
            if mark.text:
                text += f" {visible(mark.text)}"
            style = self.severity if mark.is_primary else "label"
            yield f"{self._bar()} {' ' * column}{self._paint(text, style)}"

    def _bar(self) -> str:
        return self._paint(f"{' ' * self.gutter} |", "frame")

    def _paint(self, text: str, style: str) -> str:
        return f"\x1b[{_STYLES[style]}m{text}\x1b[0m" if self.color else text


def _marks(problem: Problem) -> list[_Mark]:
    """What to underline: the file of the problem first, then by place."""
    if problem.span is None:
        return []
    marks = [_mark(problem.span, "", is_primary=True)]
    marks += [_mark(label.span, label.text, is_primary=False) for label in problem.labels]
    files = list(dict.fromkeys(mark.file for mark in marks))
    return sorted(marks, key=lambda mark: (files.index(mark.file), mark.position))


def _mark(span: Span, text: str, *, is_primary: bool) -> _Mark:
    start, end = _clamped(span)
    position = span.file.position(start)
    line_end = len(span.file.line_text(position.line))
    offset = end - span.file.line_start(position.line)
    return _Mark(span.file, position, min(offset, line_end), text, is_primary)


def _clamped(span: Span) -> tuple[int, int]:
    """Start and end inside the text, in this order."""
    size = len(span.file.text)
    start = min(max(span.start, 0), size)
    return start, min(max(span.end, start), size)


def to_json(problem: Problem) -> dict[str, Any]:
    """The problem as JSON values; lines and columns count from 1, the end is exclusive.

    A problem without a place has null for `file` and the positions.
    """
    return {
        "code": problem.code,
        "severity": problem.severity.value,
        "phase": problem.phase.value,
        "message": visible(problem.title),
        **_place(problem.span),
        "help": "\n".join(map(visible, problem.help.splitlines())) if problem.help else None,
        "labels": [
            {"message": visible(label.text), **_place(label.span)} for label in problem.labels
        ],
    }


def _place(span: Span | None) -> dict[str, Any]:
    if span is None:
        return dict.fromkeys(("file", "line", "column", "end_line", "end_column"))
    start, end = (span.file.position(offset) for offset in _clamped(span))
    return {
        "file": visible(span.file.path),
        "line": start.line,
        "column": start.column,
        "end_line": end.line,
        "end_column": end.column,
    }
