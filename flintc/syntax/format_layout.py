"""Lines and indentation of formatted text (language reference 10.5, "Newlines")."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from flintc.syntax.format_items import Delimiter, Item, Role
from flintc.syntax.format_spacing import gap

WIDTH: Final = 100
_INDENT: Final = " " * 4
# What continues a line after the `}` of a block.
_CONTINUES: Final = frozenset({"else", ";", ",", ".", "?"})
_CONTINUES_VALUE: Final = frozenset({"(", "["})


@dataclass(slots=True)
class _Enclosing:
    """An open delimiter; `broken` once its contents are indented."""

    item: Item
    broken: bool


class _Layout:
    def __init__(self, items: Sequence[Item]) -> None:
        self.items = items
        self.parts: list[str] = []
        self.column = 0
        self.indent = 0
        self.open: list[_Enclosing] = []
        self.previous: Item | None = None  # token or comment
        self.break_due = False  # the latest token ends its line

    def run(self) -> str:
        next_tokens = _next_tokens(self.items)
        for index, item in enumerate(self.items[:-1]):
            self._place(item, self.items[index + 1], next_tokens[index])
        if self.parts:
            self.parts.append("\n")
        return "".join(self.parts)

    def _place(self, item: Item, follower: Item, next_token: Item) -> None:
        newlines = self._newlines(item, follower, next_token) if self.previous else 0
        if newlines:
            self.break_due = False
            self._break_innermost()
        if item.role is Role.CLOSE and self.open:
            self.indent -= self.open.pop().broken
        self._separate(item, newlines)
        self._write(item.text)
        self.previous = item
        if item.role is not Role.COMMENT:
            self._after(item, next_token)

    # -- line breaks -------------------------------------------------------------------------

    def _newlines(self, item: Item, follower: Item, next_token: Item) -> int:
        """How many line feeds come before the item: 0, 1, or 2 for a blank line."""
        assert self.previous is not None
        forced = self._is_forced(item, follower, next_token)
        kept = min(item.newlines, 2) if self._keeps_break(item) else 0
        return max(int(forced), kept)

    def _is_forced(self, item: Item, follower: Item, next_token: Item) -> bool:
        previous = self.previous
        assert previous is not None
        if previous.is_line_comment or item.is_multiline_comment:
            return True
        if item.role is Role.COMMENT:
            stays = item.is_line_comment or not _leads(follower, next_token)
            return self.break_due and not stays
        if item.role is Role.CLOSE:
            return bool(self.open) and self.open[-1].broken
        return self.break_due

    def _keeps_break(self, item: Item) -> bool:
        """Whether a line break of the source before the item stays one."""
        previous = self.previous
        assert previous is not None
        if item.role is Role.COMMENT:
            return item.is_line_comment or previous.role is not Role.BINARY
        if item.second_half or item.in_angles or item.role is Role.ANGLE_OPEN:
            return False
        if Role.BINARY in (item.role, previous.role):
            return False
        return not (item.role is Role.CLOSE and previous is item.partner)

    def _break_innermost(self) -> None:
        if self.open and not self.open[-1].broken:
            self.open[-1].broken = True
            self.indent += 1

    def _after(self, token: Item, next_token: Item) -> None:
        """Open delimiters, and decide whether the line ends after this token."""
        self.break_due = False
        if token.role is Role.OPEN:
            self._open(token)
        elif token.role is Role.CLOSE:
            self.break_due = token.delimiter in (Delimiter.BLOCK, Delimiter.STRUCT) and (
                not _continues(token, next_token)
            )
        elif token.role is Role.COMMA:
            self.break_due = bool(self.open) and _has_lines(self.open[-1])
        else:
            self.break_due = token.role is Role.SEMICOLON

    def _open(self, token: Item) -> None:
        assert token.delimiter is not None
        is_empty = token.partner is not None and token.partner.index == token.index + 1
        wide = not token.delimiter.is_body and self._is_too_wide(token)
        self.break_due = wide or (token.delimiter.is_body and not is_empty)
        self.open.append(_Enclosing(token, self.break_due))
        self.indent += self.break_due

    def _is_too_wide(self, token: Item) -> bool:
        """Whether a list does not fit on the line; the reference counts each comma twice."""
        partner = token.partner
        if partner is None or not token.has_commas:
            return False
        width = partner.offset + 1 - token.offset + partner.commas - token.commas
        return self.column - 1 + width > WIDTH

    # -- text --------------------------------------------------------------------------------

    def _separate(self, item: Item, newlines: int) -> None:
        if newlines:
            self.parts.append("\n" * newlines + _INDENT * self.indent)
            self.column = len(_INDENT) * self.indent
        elif self.previous is not None:
            self._write(item.space)

    def _write(self, text: str) -> None:
        self.parts.append(text)
        _, feed, last_line = text.rpartition("\n")
        self.column = len(last_line) if feed else self.column + len(text)


def _has_lines(opened: _Enclosing) -> bool:
    """Whether each part between commas has its line."""
    return opened.broken and opened.item.delimiter is not Delimiter.BLOCK


def _continues(closer: Item, next_token: Item) -> bool:
    """Whether a token stays on the line of the `}` before it."""
    if next_token.kind in _CONTINUES or next_token.role in (Role.BINARY, Role.DOT):
        return True
    if next_token.role is Role.CLOSE:
        return True  # breaks the line itself where it has to
    return next_token.kind in _CONTINUES_VALUE and not closer.ends_statement


def _leads(follower: Item, next_token: Item) -> bool:
    """Whether a comment stands before more of its line, so that it belongs to that."""
    if follower.newlines or follower.is_line_comment:
        return False
    return next_token.role not in (Role.CLOSE, Role.END)


def _next_tokens(items: Sequence[Item]) -> list[Item]:
    """For each item the first token after it."""
    found = [items[-1]] * len(items)
    for index in range(len(items) - 2, -1, -1):
        after = items[index + 1]
        found[index] = found[index + 1] if after.role is Role.COMMENT else after
    return found


def lay_out(items: Sequence[Item]) -> str:
    """The text of items with roles, ending with one line feed; empty if there are none."""
    _measure(items)
    return _Layout(items).run()


def _measure(items: Sequence[Item]) -> None:
    """Spaces, columns and commas before each item on one endless line."""
    offset = commas = 0
    previous: Item | None = None
    for item in items:
        if previous is not None:
            item.space = gap(previous, item)
            offset += len(item.space)
        item.offset, item.commas = offset, commas
        offset += len(item.text)
        commas += item.role in (Role.COMMA, Role.INNER_COMMA)
        previous = item
