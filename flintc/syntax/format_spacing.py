"""Whether a space stands between two neighbours on a line (language reference 10.5, "Spaces")."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from flintc.syntax.format_items import Item, Role
from flintc.syntax.tokens import INT, LONG_PUNCTUATION

_TIGHT_BEFORE: Final = frozenset(
    {Role.SEMICOLON, Role.COMMA, Role.INNER_COMMA, Role.COLON, Role.SLICE_COLON, Role.QUESTION}
    | {Role.DOT, Role.PATH, Role.RANGE, Role.ANGLE_OPEN, Role.ANGLE_CLOSE, Role.BAR_CLOSE}
)
_TIGHT_AFTER: Final = frozenset(
    {Role.DOT, Role.PATH, Role.RANGE, Role.UNARY, Role.ANGLE_OPEN, Role.BAR_OPEN}
    | {Role.SLICE_COLON}
)
_OPERATORS: Final = frozenset({Role.BINARY, Role.ASSIGN, Role.ARROW})
_SPACE_BEFORE_PAREN: Final = frozenset({"if", "while", "for", "match", "in"})
_TIGHT_BEFORE_BRACKET: Final = frozenset(
    {Role.WORD, Role.CLOSE, Role.ANGLE_CLOSE, Role.QUESTION, Role.COMMENT}
)


def gap(previous: Item, item: Item) -> str:
    """A space or nothing."""
    if _is_tight(previous, item) and not merges(previous, item):
        return ""
    return " "


def _is_tight(previous: Item, item: Item) -> bool:
    if item.second_half:
        return previous.role is not Role.COMMENT
    if previous.role is Role.OPEN and not _is_body(previous):
        return not item.is_line_comment
    if item.role is Role.CLOSE:
        return not _is_body(item) or previous is item.partner
    if Role.COMMENT in (previous.role, item.role):
        return item.role in _TIGHT_BEFORE
    if item.role in _TIGHT_BEFORE or previous.role in _TIGHT_AFTER:
        return True
    if item.role in _OPERATORS or previous.role in _OPERATORS:
        return False
    return item.role is Role.OPEN and _is_tight_opener(previous, item)


def _is_body(item: Item) -> bool:
    return item.delimiter is not None and item.delimiter.is_body


def _is_tight_opener(previous: Item, item: Item) -> bool:
    if previous.role in (Role.COMMA, Role.INNER_COMMA, Role.COLON, Role.SEMICOLON):
        return False
    if item.kind == "(":
        spaced = previous.role is Role.KEYWORD and previous.text in _SPACE_BEFORE_PAREN
        return not spaced and previous.text != "import"
    return item.kind == "[" and previous.role in _TIGHT_BEFORE_BRACKET


def merges(previous: Item, item: Item) -> bool:
    """Whether two neighbours without a space would be read as something else."""
    if Role.COMMENT in (previous.role, item.role):
        return False
    if _is_word_end(previous.text[-1:]) and _is_word_end(item.text[:1]):
        return True
    if previous.text == "b" and item.text.startswith('"'):
        return True
    if item.kind == "." and previous.kind == INT:  # `1 .5` is three tokens
        return True
    return _punctuation_merges(previous.text[:3], item.text[:3])


def _is_word_end(char: str) -> bool:
    return char.isascii() and (char.isalnum() or char == "_")


@lru_cache(maxsize=4096)
def _punctuation_merges(left: str, right: str) -> bool:
    both = left + right
    return any(
        both.startswith(longer) and len(longer) > len(left)
        for longer in (*LONG_PUNCTUATION, "//", "/*")
    )
