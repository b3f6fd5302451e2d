"""Batches of tokens to decode (host-functions.md 4.6)."""

from __future__ import annotations

from array import array
from typing import ClassVar

from flint.runtime.c_values import int32, natural32
from flint.runtime.host import Refused, host
from flint.runtime.llama.handles import LlamaResource
from flint.runtime.llama.tokens import Tokens
from flint.runtime.llama.values import library_error


class Batch(LlamaResource):
    """Up to `capacity` tokens, each with a position, one sequence id and a wish for logits.

    Memory grows with the tokens added, so a large capacity costs nothing.
    """

    kind: ClassVar[str] = "batch"

    def __init__(self, capacity: int) -> None:
        super().__init__()
        self.capacity = capacity
        self.clear()

    def clear(self) -> None:
        """Remove all tokens."""
        self.tokens = array("i")
        self.positions = array("i")
        self.sequences = array("i")
        self.logits = bytearray()

    def require_room(self, count: int) -> None:
        """Refuse `count` more tokens if they do not fit."""
        if len(self.tokens) + count > self.capacity:
            raise library_error(f"batch full, capacity {self.capacity}")

    def add(self, token: int, position: int, sequence: int, logits: bool) -> None:
        """Append a token; all values fit 32 bits."""
        self.tokens.append(token)
        self.positions.append(position)
        self.sequences.append(sequence)
        self.logits.append(logits)


@host
def batch_init(capacity: int, n_seq_max: int) -> Batch:
    """Return an empty batch for up to `capacity` tokens.

    `n_seq_max` is the number of sequence ids that a token may have; one is used.
    """
    if capacity < 0:
        raise Refused(f"negative capacity {capacity}")
    natural32("n_seq_max", n_seq_max)
    return Batch(int32("capacity", capacity))


@host
def batch_add(batch: Batch, token: int, position: int, sequence: int, logits: bool) -> bool:
    """Append a token at `position` of `sequence`; `logits` asks for its logits."""
    natural32("token", token)
    natural32("position", position)
    natural32("sequence", sequence)
    batch.require_room(1)
    batch.add(token, position, sequence, logits)
    return True


@host
def batch_add_sequence(batch: Batch, tokens: Tokens, sequence: int, logits_all: bool) -> bool:
    """Append all tokens at positions 0, 1, 2, …, whatever the batch holds already.

    The last one's logits are asked for in any case, the others' if `logits_all`.
    """
    natural32("sequence", sequence)
    batch.require_room(len(tokens.ids))
    last = len(tokens.ids) - 1
    for position, token in enumerate(tokens.ids):
        batch.add(token, position, sequence, logits_all or position == last)
    return True


@host
def batch_clear(batch: Batch) -> bool:
    """Remove all tokens; the capacity stays."""
    batch.clear()
    return True


@host
def batch_free(batch: Batch) -> bool:
    """Free the batch."""
    batch.close()
    return True
