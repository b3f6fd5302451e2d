"""Text of generated tokens as soon as its characters are whole, for `--stream`."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from tokenizers import Tokenizer
from tokenizers.decoders import DecodeStream

# A step decodes everything that is pending; bytes that never make a character must not add up.
_MOST_PENDING = 256


class TokenStream:
    """Decodes one generation, without special tokens, and hands on what cannot change any more.

    After a token that the tokenizer cannot decode by itself it hands on nothing more.
    """

    def __init__(self, tokenizer: Tokenizer, on_text: Callable[[str], None]) -> None:
        self._tokenizer = tokenizer
        self._on_text = on_text
        self._decoder = DecodeStream(skip_special_tokens=True)
        self._pending = 0

    def push(self, ids: Sequence[int]) -> None:
        """Take the next tokens."""
        for token in ids:
            text = self._text(token)
            if text:
                self._on_text(text)

    def _text(self, token: int) -> str | None:
        if self._pending >= _MOST_PENDING:
            return None
        try:
            text = self._decoder.step(self._tokenizer, token)
        except Exception:  # the library has no exception class of its own
            self._pending = _MOST_PENDING
            return None
        self._pending = 0 if text else self._pending + 1
        return text
