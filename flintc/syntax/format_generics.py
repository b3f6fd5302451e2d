"""Which `<` and `>` are the brackets of type arguments.

The formatter does not parse, so it goes by the tokens: a group holds only what types consist of,
and something that may follow a type comes after it (language reference 10.5).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from flintc.syntax.format_items import Item
from flintc.syntax.tokens import NAME

_INSIDE: Final = frozenset({NAME, "null", ",", "...", "?", "fn", "-"})
_AFTER: Final = frozenset({"(", "{", "[", "=", ",", ")", "]", "}", ">", ";", "?", "..."})
_CLOSER: Final = {"(": ")", "[": "]"}


def angle_pairs(tokens: Sequence[Item]) -> list[tuple[int, int]]:
    """Indices of the opening and closing bracket of every group, inner groups first."""
    pairs: list[tuple[int, int]] = []
    open_: list[int] = []  # a `<` that may be a bracket, and the other brackets within
    for index, token in enumerate(tokens):
        kind = token.kind
        if kind == "<" and index and tokens[index - 1].kind in (NAME, ":"):
            open_.append(index)
        elif not open_ or _stays_open(tokens, index, open_):
            continue
        elif kind == ">" and tokens[open_[-1]].kind == "<" and _may_follow(tokens, open_, index):
            pairs.append((open_.pop(), index))
        else:
            open_.clear()
    return pairs


def _stays_open(tokens: Sequence[Item], index: int, open_: list[int]) -> bool:
    """Whether a token other than an angle bracket may stand in the innermost group."""
    kind = tokens[index].kind
    if kind in _INSIDE:
        return kind != "-" or tokens[index + 1].kind == ">"
    if kind == ">":
        return tokens[index - 1].kind == "-"
    if kind in _CLOSER:
        open_.append(index)
        return kind == "[" or tokens[index - 1].kind == "fn"
    if kind in _CLOSER.values() and _CLOSER.get(tokens[open_[-1]].kind) == kind:
        open_.pop()
        return True
    return False


def _may_follow(tokens: Sequence[Item], open_: list[int], index: int) -> bool:
    after = tokens[index + 1].kind
    is_call = tokens[open_[-1] - 1].kind == ":"
    return after == "(" if is_call else after in _AFTER
