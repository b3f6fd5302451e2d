"""Source comments, carried to the Python statements that come from the same place.

Comments above a statement stay above it, one behind a statement stays on its line, those above a
function become its docstring, and the first ones of a file the module's.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence
from typing import Final

from flintc.source import Span
from flintc.syntax import nodes

# Python ends a line at a carriage return too, and refuses a text with NUL.
_CONTROLS: Final = dict.fromkeys([*range(ord("\t")), *range(ord("\n"), ord(" ")), 0x7F], " ")


class Comments:
    """The comments of one module, by syntax node, and then by Python statement."""

    def __init__(self, program: nodes.Program) -> None:
        self._all = sorted(program.comments, key=lambda comment: comment.span.start)
        self._next = 0
        self._above: dict[nodes.Node, list[nodes.Comment]] = {}
        self._behind: dict[nodes.Node, nodes.Comment] = {}
        self._tails: dict[nodes.Node, list[nodes.Comment]] = {}
        self._spaced: set[nodes.Node] = set()
        self._pending: list[str] = []
        self.above: dict[ast.stmt, list[str]] = {}
        self.behind: dict[ast.stmt, str] = {}
        self.below: dict[ast.stmt, list[str]] = {}
        self.spaced: set[ast.stmt] = set()
        self.title = self._take_title(program)
        self._statements(program, program.statements, program.span.end)

    # -- reading the source ----------------------------------------------------------------

    def _take_title(self, program: nodes.Program) -> list[str]:
        """The first block of comments, if it stands before everything else."""
        first = program.statements[0].span.start if program.statements else program.span.end
        lines: list[str] = []
        last_line = 0
        while self._next < len(self._all):
            comment = self._all[self._next]
            line = comment.span.line
            if comment.span.start > first or (lines and line > last_line + 1):
                break
            lines.extend(comment_lines(comment))
            last_line = comment.span.file.line_at(comment.span.end)
            self._next += 1
        if lines and _starts_with_function(program, last_line + 1):
            self._next = 0  # the comment belongs to that function
            return []
        return lines

    def _take(self, end: int) -> list[nodes.Comment]:
        """The next comments that start before `end`."""
        start = self._next
        while self._next < len(self._all) and self._all[self._next].span.start < end:
            self._next += 1
        return self._all[start : self._next]

    def _statements(self, owner: nodes.Node, statements: Sequence[nodes.Node], end: int) -> None:
        previous: int | None = None
        for statement in statements:
            above = self._take(statement.span.start)
            first = above[0].span if above else statement.span
            if previous is not None and first.line > previous + 1:
                self._spaced.add(statement)
            self._inside(statement, above)
            if above:
                self._above[statement] = above
            previous = self._take_behind(statement)
        tail = self._take(end)
        if tail:
            self._tails[owner] = tail

    def _take_behind(self, statement: nodes.Node) -> int:
        """A comment after a statement on its last line; returns that line."""
        span = statement.span
        line = span.file.line_at(max(span.start, span.end - 1))
        if self._next < len(self._all):
            comment = self._all[self._next]
            if not comment.own_line and comment.span.line == line:
                self._behind[statement] = comment
                self._next += 1
        return line

    def _inside(self, statement: nodes.Node, above: list[nodes.Comment]) -> None:
        for block in _blocks(statement):
            above.extend(self._take(block.span.start))
            inner: list[nodes.Node] = list(block.statements)
            if isinstance(block, nodes.ValueBlock):
                inner.append(block.value)
            self._statements(block, inner, block.span.end)
        above.extend(self._take(statement.span.end))

    def has_inside(self, span: Span) -> bool:
        """Whether any comment lies within a span."""
        low, high = 0, len(self._all)
        while low < high:
            middle = (low + high) // 2
            if self._all[middle].span.start < span.start:
                low = middle + 1
            else:
                high = middle
        return low < len(self._all) and self._all[low].span.start < span.end

    # -- giving them to Python statements ----------------------------------------------------

    def attach(self, node: nodes.Node, statements: Sequence[ast.stmt]) -> None:
        """Comments and the blank line around `node` go to the statements that it became."""
        if not isinstance(node, (nodes.Function, nodes.Struct)):
            self._pending.extend(_lines(self._above.get(node, ())))
        behind = self._behind.get(node)
        if not statements:
            if behind is not None:
                self._pending.extend(comment_lines(behind))
            return
        first = statements[0]
        if self._pending:
            self.above[first] = [*self._pending, *self.above.get(first, ())]
            self._pending = []
        if behind is not None:
            self.behind.setdefault(first, " ".join(comment_lines(behind)))
        if node in self._spaced:
            self.spaced.add(first)

    def attach_tail(self, owner: nodes.Node, statements: list[ast.stmt]) -> None:
        """Comments at the end of a block go below its last statement."""
        lines = [*self._pending, *_lines(self._tails.get(owner, ()))]
        self._pending = []
        if not lines:
            return
        if not statements:
            nothing = ast.copy_location(ast.Pass(), _position(owner.span))
            statements.append(nothing)
            self.above[nothing] = lines
            return
        self.below.setdefault(statements[-1], []).extend(lines)

    def moved(self, old: ast.stmt, new: ast.stmt) -> ast.stmt:
        """`new`, which takes the place of `old` and has its comments."""
        if old in self.above:
            self.above[new] = self.above.pop(old)
        return new

    def docstring(self, node: nodes.Function | nodes.Struct) -> list[str]:
        """The lines of the comments above a function or struct."""
        return _lines(self._above.get(node, ()))


def _starts_with_function(program: nodes.Program, line: int) -> bool:
    first = program.statements[0] if program.statements else None
    return isinstance(first, nodes.Function) and first.span.line == line


def _position(span: Span) -> ast.expr:
    start = span.file.position(span.start)
    name = ast.Name("_", ast.Load())
    name.lineno = name.end_lineno = start.line
    name.col_offset = name.end_col_offset = span.file.utf8_column(span.start)
    return name


def _blocks(statement: nodes.Node) -> list[nodes.Block | nodes.ValueBlock]:
    """The blocks inside a statement whose statements stay statements in Python."""
    match statement:
        case nodes.If():
            return [statement.then, *_else_blocks(statement.orelse)]
        case nodes.While() | nodes.ForRange() | nodes.ForMap():
            return [statement.body]
        case nodes.Function() if statement.body is not None:
            return [statement.body]
        case nodes.Let() | nodes.Assign() | nodes.ExprStatement():
            return _blocks(statement.value) if isinstance(statement.value, nodes.IfExpr) else []
        case nodes.IfExpr():
            orelse = statement.orelse
            rest = _blocks(orelse) if isinstance(orelse, nodes.IfExpr) else [orelse]
            return [statement.then, *rest]
        case _:
            return []


def _else_blocks(orelse: nodes.Node | None) -> list[nodes.Block | nodes.ValueBlock]:
    if isinstance(orelse, nodes.If):
        return _blocks(orelse)
    return [orelse] if isinstance(orelse, nodes.Block) else []


def _lines(comments: Iterable[nodes.Comment]) -> list[str]:
    return [line for comment in comments for line in comment_lines(comment)]


def comment_lines(comment: nodes.Comment) -> list[str]:
    """The text of a comment without its marks, a line each; control characters become spaces."""
    text = comment.text
    if text.startswith("//"):
        return [text[2:].removeprefix("/").translate(_CONTROLS).strip()]
    lines = text.removeprefix("/*").removesuffix("*/").strip("*").splitlines()
    cleaned = [line.translate(_CONTROLS).strip().removeprefix("*").strip() for line in lines]
    while cleaned and not cleaned[0]:
        cleaned.pop(0)
    while cleaned and not cleaned[-1]:
        cleaned.pop()
    return cleaned
