"""Token lists (host-functions.md 4.4)."""

from __future__ import annotations

from array import array
from typing import ClassVar

from flint.runtime.host import Count, Refused, host
from flint.runtime.llama.handles import LlamaResource


class Tokens(LlamaResource):
    """The token ids of a text."""

    kind: ClassVar[str] = "tokens"

    def __init__(self, ids: array[int]) -> None:
        super().__init__()
        self.ids = ids


@host
def tokens_len(tokens: Tokens) -> Count:
    """Return the number of tokens."""
    return len(tokens.ids)


@host
def tokens_get(tokens: Tokens, index: int) -> int:
    """Return the id of token `index`, counted from 0."""
    if index < 0:
        raise Refused(f"negative token index {index}")
    if index >= len(tokens.ids):
        raise Refused(f"no token {index}; the list has {len(tokens.ids)}")
    return tokens.ids[index]


@host
def tokens_free(tokens: Tokens) -> bool:
    """Free the list."""
    tokens.close()
    return True
