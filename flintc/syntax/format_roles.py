"""The role of every token for the formatter, from its neighbours and the brackets around it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from flintc.syntax.format_generics import angle_pairs
from flintc.syntax.format_items import COMMENT, Delimiter, Item, Role
from flintc.syntax.tokens import BINARY_OPERATORS, BYTES, END, FLOAT, INT, KEYWORDS, NAME, STRING

_WORDS: Final = frozenset({NAME, INT, FLOAT, STRING, BYTES, "true", "false", "null"})
_DELIMITER: Final = {"(": Delimiter.PAREN, "[": Delimiter.BRACKET}
# The `{` that each keyword announces.
_BODY: Final = dict.fromkeys(("fn", "while", "for", "if", "else"), Delimiter.BLOCK) | {
    "match": Delimiter.MATCH,
    "struct": Delimiter.STRUCT,
}
_FIXED: Final = {
    ";": Role.SEMICOLON,
    "=": Role.ASSIGN,
    "=>": Role.ASSIGN,
    "..": Role.RANGE,
    "..=": Role.RANGE,
    "...": Role.RANGE,
    ".": Role.DOT,
    "?": Role.QUESTION,
    "!": Role.UNARY,
    "&": Role.UNARY,
}
_PAIRS: Final = {("-", ">"): Role.ARROW, (":", ":"): Role.PATH, ("?", "."): Role.DOT}
_VALUE_ENDS: Final = frozenset({Role.WORD, Role.CLOSE, Role.QUESTION, Role.ANGLE_CLOSE})
_IN_BARS: Final = frozenset({NAME, ",", "|"})


class _Level:
    """One open delimiter; `announced` are the bodies that its keywords lead to, the last first."""

    __slots__ = ("announced", "in_bars", "loop_header", "opener")

    def __init__(self, opener: Item | None) -> None:
        self.opener = opener
        self.announced: list[Delimiter] = []
        self.in_bars = False
        self.loop_header = False  # after `for`, before its `in`


class _Assigner:
    def __init__(self, tokens: Sequence[Item]) -> None:
        self.tokens = tokens
        self.levels = [_Level(None)]

    def run(self) -> None:
        for opening, closing in angle_pairs(self.tokens):
            self.tokens[opening].role = Role.ANGLE_OPEN
            self.tokens[closing].role = Role.ANGLE_CLOSE
        angles = 0
        for index, token in enumerate(self.tokens):
            token.in_angles = angles > 0
            if token.role is Role.WORD:  # not yet known
                token.role = self._role(index, token)
            angles += (token.role is Role.ANGLE_OPEN) - (token.role is Role.ANGLE_CLOSE)
            self._follow_bars(self.levels[-1], token)

    def _follow_bars(self, level: _Level, token: Item) -> None:
        """Keep track of whether the next token may belong to a closure's parameters."""
        continues = level.in_bars and token.kind in _IN_BARS and token.role is not Role.BAR_CLOSE
        level.in_bars = continues or token.role is Role.BAR_OPEN

    def _role(self, index: int, token: Item) -> Role:
        kind = token.kind
        previous = self.tokens[index - 1] if index else None
        pair = self._pair(index, kind)
        if pair is not None:
            return pair
        if kind in _WORDS:
            return self._word(token)
        if kind in KEYWORDS:
            return self._keyword(token, previous, self.tokens[index + 1])
        if kind in "([{":
            return self._open(token, previous)
        if kind in ")]}":
            return self._close(token)
        return self._mark(token, previous)

    def _pair(self, index: int, kind: str) -> Role | None:
        """`->`, `::` and `?.` are two tokens each."""
        after = self.tokens[index + 1] if index + 1 < len(self.tokens) else None
        if after is None or (role := _PAIRS.get((kind, after.kind))) is None:
            return None
        if after.role is not Role.WORD:  # the `>` of a group
            return None
        after.role = role
        after.second_half = True
        return role

    def _word(self, token: Item) -> Role:
        level = self.levels[-1]
        if level.loop_header and token.text == "in":
            level.loop_header = False
            return Role.KEYWORD
        return Role.WORD

    def _keyword(self, token: Item, previous: Item | None, after: Item) -> Role:
        if previous is not None and (
            (previous.role is Role.PATH and previous.second_half) or previous.role is Role.DOT
        ):
            return Role.WORD
        level = self.levels[-1]
        kind = token.kind
        is_type = kind == "fn" and after.kind == "("
        is_else_if = kind == "else" and after.kind == "if"
        if kind in _BODY and not is_type and not is_else_if:
            level.announced.append(_BODY[kind])
        level.loop_header = kind == "for"
        return Role.KEYWORD

    def _open(self, token: Item, previous: Item | None) -> Role:
        level = self.levels[-1]
        token.delimiter = _DELIMITER.get(token.kind, Delimiter.COLLECTION)
        if token.kind == "{" and level.announced and _may_precede_body(previous):
            token.delimiter = level.announced.pop()
        token.ends_statement = token.delimiter is Delimiter.STRUCT or (
            token.delimiter is Delimiter.BLOCK and previous is not None and previous.kind != "=>"
        )
        self.levels.append(_Level(token))
        return Role.OPEN

    def _close(self, token: Item) -> Role:
        """In broken text any closer closes the innermost delimiter."""
        token.delimiter = _DELIMITER.get(token.kind, Delimiter.COLLECTION)
        if len(self.levels) > 1:
            opener = self.levels.pop().opener
            assert opener is not None
            token.partner, opener.partner = opener, token
            token.delimiter, token.ends_statement = opener.delimiter, opener.ends_statement
        return Role.CLOSE

    def _mark(self, token: Item, previous: Item | None) -> Role:
        kind = token.kind
        level = self.levels[-1]
        if kind in (";", "="):
            level.announced.clear()
        if kind == ",":
            return self._comma(token, level)
        if kind == ":":
            in_bracket = level.opener is not None and level.opener.kind == "["
            return Role.SLICE_COLON if in_bracket else Role.COLON
        if kind == "|":
            return Role.BAR_CLOSE if level.in_bars else Role.BAR_OPEN
        if kind in BINARY_OPERATORS:
            return self._operator(kind, previous)
        return _FIXED.get(kind, Role.END)

    def _comma(self, token: Item, level: _Level) -> Role:
        if level.in_bars or token.in_angles:
            return Role.INNER_COMMA
        if level.opener is not None:
            level.opener.has_commas = True
        return Role.COMMA

    def _operator(self, kind: str, previous: Item | None) -> Role:
        after_value = (
            previous is not None and previous.role in _VALUE_ENDS and not previous.ends_statement
        )
        if kind == "-" and not after_value:
            return Role.UNARY
        return Role.NO_PARAMETERS if kind == "||" and not after_value else Role.BINARY


def _may_precede_body(previous: Item | None) -> bool:
    """Whether a `{` after this token can be a body: not where a value must come."""
    if previous is None:
        return False
    return previous.role in _VALUE_ENDS or previous.kind in ("=>", "else")


def assign_roles(items: Sequence[Item]) -> None:
    """Fill in everything but the widths of the items."""
    tokens = [item for item in items if item.kind != COMMENT]
    assert tokens[-1].kind == END
    _Assigner(tokens).run()
