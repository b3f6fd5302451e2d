"""Where the lines of a module come from that are no statements: comments, docstrings, `else:`.

Comments are carried over as text, so they are found again by their words: the first few, at the
place nearest to the code that follows.
"""

from __future__ import annotations

import ast
import io
import tokenize
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from typing import Final

from flintc.emit.comments import comment_lines
from flintc.problems import Problems
from flintc.source import SourceFile
from flintc.source_map import Row
from flintc.syntax import lexer

_KEY_WORDS: Final = 3  # of a comment's line; folding long lines leaves at least these together

Place = tuple[int, int]
Pair = tuple[int, int]


def line_origins(text: str, tree: ast.Module, source: str, rows: Sequence[Row]) -> list[Pair]:
    """Pairs of a line of `text`, whose tree is `tree`, and the line of `source`, in order."""
    origins = _Origins(source, rows)
    pairs = dict(_pairs(_documentation(tree), origins))
    pairs |= _pairs(_comments(text), origins)
    for line in _else_lines(text):
        if (place := origins.of_else(line)) is not None:
            pairs[line] = place
    return sorted(pairs.items())


def _pairs(lines: Iterator[tuple[int, str]], origins: _Origins) -> dict[int, int]:
    found: dict[int, int] = {}
    before = None
    for number, text in lines:
        before = origins.of_comment(number, text, before)
        if before is not None:
            found[number] = before
    return found


def _documentation(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """The lines of all docstrings."""
    for node in ast.walk(tree):
        if isinstance(node, (ast.Module, ast.FunctionDef, ast.ClassDef)):
            text = ast.get_docstring(node, clean=False)
            if text is not None:
                yield from enumerate(text.split("\n"), start=node.body[0].lineno)


def _comments(text: str) -> Iterator[tuple[int, str]]:
    """The comments on lines of their own."""
    for number, line in enumerate(text.split("\n"), start=1):
        if line.lstrip().startswith("#"):
            yield number, line.lstrip().removeprefix("#")


def _else_lines(text: str) -> Iterator[int]:
    if "else:" not in text:
        return
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.string == "else" and not token.line[: token.start[1]].strip():
            yield token.start[0]


class _Origins:
    """The comments and `else` of a script, and the order of the module's statements."""

    def __init__(self, source: str, rows: Sequence[Row]) -> None:
        file = SourceFile("", source)
        tokens, comments = lexer.tokenize(file, Problems())
        self.text: dict[int, str] = {}
        self.by_key: dict[str, list[int]] = {}
        for comment in comments:
            self._read(file, comment.span.start, comment_lines(comment), comment.text)
        self.elses = [file.utf8_place(token.start) for token in tokens if token.text == "else"]
        self.first: dict[int, Place] = {}  # by line of the module
        for row in rows:
            self.first.setdefault(row.output.line, (row.script.line, row.script.column))
        self.begun = sorted(self.first)

    def _read(self, file: SourceFile, start: int, cleaned: list[str], raw: str) -> None:
        first = file.line_at(start) + _lead(raw)
        for number, text in enumerate(cleaned, start=first):
            self.text[number] = " ".join(text.split())
            self.by_key.setdefault(_key(text), []).append(number)

    def of_comment(self, number: int, text: str, before: int | None) -> int | None:
        """The line of a comment, at line `number` of the module; `before` is that of the last."""
        words = " ".join(text.split())
        if not words:
            return None
        near = self._code_after(number)[0]
        fitting = self.by_key.get(_key(words), ())
        found = [line for line in _nearest(fitting, near) if self.text[line].startswith(words)]
        if found:
            return min(found, key=lambda line: abs(line - near))
        return before if before is not None and words in self.text[before] else None

    def of_else(self, number: int) -> int | None:
        before, after = self._code_before(number), self._code_after(number)
        last = bisect_left(self.elses, after) - 1
        if last >= 0 and self.elses[last] > before:
            return self.elses[last][0]
        return after[0]

    def _code_after(self, number: int) -> Place:
        at = bisect_right(self.begun, number)
        return self.first[self.begun[at]] if at < len(self.begun) else (1, 0)

    def _code_before(self, number: int) -> Place:
        at = bisect_left(self.begun, number) - 1
        return self.first[self.begun[at]] if at >= 0 else (1, 0)


def _lead(raw: str) -> int:
    """The lines of a block comment before its first word, which `comment_lines` leaves out."""
    lines = raw.removeprefix("/*").lstrip("*").splitlines()
    return next((at for at, line in enumerate(lines) if line.strip(" \t*")), 0)


def _key(text: str) -> str:
    return " ".join(text.split()[:_KEY_WORDS])


def _nearest(lines: Sequence[int], near: int) -> Sequence[int]:
    """A few of the sorted `lines` around `near`."""
    at = bisect_left(lines, near)
    return lines[max(at - 2, 0) : at + 2]
