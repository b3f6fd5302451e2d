"""Streaming decoders from tokens to text (host-functions.md 4.8)."""

from __future__ import annotations

import codecs
from typing import ClassVar

from flint.runtime.context import current
from flint.runtime.host import host
from flint.runtime.llama.handles import LlamaResource
from flint.runtime.llama.model import Model, require_token, require_tokenizer
from flint.runtime.llama.native import vocabularies
from flint.runtime.llama.values import library_error

_new_utf8_decoder = codecs.getincrementaldecoder("utf-8")
_BYTE_ORDER_MARK = "\ufeff"


class Decoder(LlamaResource):
    """Keeps the bytes of a character that is not complete yet."""

    kind: ClassVar[str] = "decoder"

    def __init__(self) -> None:
        super().__init__()
        self._utf8 = _new_utf8_decoder("replace")
        self._at_start = True

    def push(self, piece: bytes) -> str:
        """The text that the bytes complete; a byte-order mark at the start is dropped."""
        text = self._utf8.decode(piece)
        if self._at_start and text:
            self._at_start = False
            text = text.removeprefix(_BYTE_ORDER_MARK)
        return text


@host
def decoder_init() -> Decoder:
    """Return a decoder for one stream of tokens."""
    return Decoder()


@host
def decoder_push(decoder: Decoder, model: Model, token: int, special: bool) -> str:
    """Return the text that `token` completes, empty within a character of several tokens.

    `special` gives control tokens their text; without it they have none, which is an error.
    """
    require_tokenizer(model.weights)
    piece = vocabularies.piece(model.weights.vocab, require_token(model.weights, token), special)
    if not piece:
        raise library_error(f"unknown token type: token {token} has no text")
    text = decoder.push(piece)
    current().emit(text)
    return text


@host
def decoder_free(decoder: Decoder) -> bool:
    """Free the decoder; the bytes of an unfinished character are dropped."""
    decoder.close()
    return True
