"""What llama.cpp asserts about the header of a GGUF file, checked before it sees the file."""

from __future__ import annotations

from flint.runtime.gguf_file import DamagedFile, Header
from flint.runtime.gguf_file import read_header as read_any_header

_MAX_LAYERS = 512  # LLAMA_MAX_LAYERS
_TOKENIZER = b"tokenizer.ggml.model"
_MARKS_DUPLICATES = (b"hybriddna",)  # llama.cpp makes equal tokens of these different
_NO_TEXT = (b"", b"\0")


def read_header(path: str) -> Header:
    """The header of the file; `DamagedFile` unless it is a GGUF model and seems complete."""
    header = read_any_header(path)
    try:
        _check(header)
    except DamagedFile as error:
        raise DamagedFile(f"{path}: {error}") from None
    return header


def _check(header: Header) -> None:
    layers = header.scalars.get(header.texts.get(b"general.architecture", b"") + b".block_count", 1)
    if not 1 <= layers <= _MAX_LAYERS:
        raise DamagedFile(f"damaged, the model has {layers} layers")
    for key, value in header.scalars.items():
        if key.endswith(b"epsilon") and not value >= 0:
            raise DamagedFile(f"damaged, {key.decode('utf-8', 'replace')} is {value}")
    tokens = sum(1 for token in header.tokens if token[:1] not in _NO_TEXT)
    if len(header.words()) < tokens and header.texts.get(_TOKENIZER) not in _MARKS_DUPLICATES:
        raise DamagedFile("damaged, a token occurs twice in the vocabulary")
