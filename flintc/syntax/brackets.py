"""Which bracket closes which, found in one pass so that look-ahead never has to search."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from flintc.syntax.tokens import Token

_CLOSER: Final = {"(": ")", "[": "]", "{": "}"}
_CLOSERS: Final = frozenset(_CLOSER.values())


def match_brackets(tokens: Sequence[Token]) -> dict[int, int]:
    """Index of the closing token for the index of each opening one that has a partner.

    In broken text braces win over the other brackets, and `;` ends open parentheses: a missing
    `)` then spoils one statement, not the rest of the file.
    """
    partners: dict[int, int] = {}
    open_: list[int] = []
    for index, token in enumerate(tokens):
        kind = token.kind
        if kind in _CLOSER:
            open_.append(index)
        elif kind in _CLOSERS:
            if kind == "}":
                _drop_to_brace(tokens, open_)
            if open_ and _CLOSER[tokens[open_[-1]].kind] == kind:
                partners[open_.pop()] = index
        elif kind == ";" and open_ and not _in_for_header(tokens, open_[-1]):
            _drop_to_brace(tokens, open_)
    return partners


def _drop_to_brace(tokens: Sequence[Token], open_: list[int]) -> None:
    while open_ and tokens[open_[-1]].kind != "{":
        open_.pop()


def _in_for_header(tokens: Sequence[Token], opener: int) -> bool:
    """`for (…; …; …)` of other languages: one mistake, reported once."""
    return tokens[opener].kind == "(" and opener > 0 and tokens[opener - 1].kind == "for"
