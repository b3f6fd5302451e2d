"""Which texts a SentencePiece vocabulary can spell; on others llama.cpp ends the process."""

from __future__ import annotations

from collections.abc import Collection

_SPACE = "\u2581"  # how these vocabularies write a blank


class Spelling:
    """The characters and bytes of a vocabulary, kept only if some byte has no token."""

    def __init__(self, words: Collection[bytes]) -> None:
        self._missing = frozenset(
            byte
            for byte in range(256)
            if b"<0x%02X>" % byte not in words and bytes([byte]) not in words
        )
        self._characters = frozenset(words if self._missing else ())

    def unspellable(self, text: str) -> str | None:
        """A character that has neither a token nor tokens for its bytes, if there is one."""
        if not self._missing:
            return None
        characters = set(text.replace(" ", _SPACE)) | {_SPACE}
        return next((c for c in sorted(characters) if not self._has(c.encode())), None)

    def _has(self, character: bytes) -> bool:
        return character in self._characters or self._missing.isdisjoint(character)
