"""Texts and tokens: the vocabulary of a model, and its chat templates."""

from __future__ import annotations

import ctypes
import threading
from array import array
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

from flint.runtime.host import Refused
from flint.runtime.llama.native import library

NO_TOKEN = -1
VOCAB_NONE, VOCAB_SENTENCEPIECE = 0, 1

# Measured need: below 400 bytes of stack for a byte of text.
_SHALLOW_TEXT, _STACK_PER_BYTE, _SMALLEST_STACK = 4096, 1024, 2**24
_PIECE_BYTES = 64

_stack_lock = threading.Lock()


def vocabulary_size(vocab: int) -> int:
    return int(library.c().llama_vocab_n_tokens(vocab))


def has_tokenizer(vocab: int) -> bool:
    return bool(library.c().llama_vocab_type(vocab) != VOCAB_NONE)


def spells_by_bytes(vocab: int) -> bool:
    """Whether characters without a token are written as tokens for their bytes."""
    return bool(library.c().llama_vocab_type(vocab) == VOCAB_SENTENCEPIECE)


def lacks_token_it_adds(vocab: int) -> bool:
    """Whether tokenizing with special tokens would need one that the vocabulary does not have."""
    c = library.c()
    added = (
        (c.llama_vocab_get_add_bos, c.llama_vocab_bos),
        (c.llama_vocab_get_add_eos, c.llama_vocab_eos),
        (c.llama_vocab_get_add_sep, c.llama_vocab_sep),
    )
    return any(adds(vocab) and token(vocab) == NO_TOKEN for adds, token in added)


def tokenize(vocab: int, text: bytes, add_special: bool) -> array[int]:
    """Token ids of the text; special tokens written in it are recognised.

    The regular expressions of some vocabularies recurse once a character, which would overflow
    the usual stack on long texts.
    """
    if len(text) < _SHALLOW_TEXT:
        return _tokenize(vocab, text, add_special)
    with ThreadPoolExecutor(1) as thread, _thread_stack(len(text) * _STACK_PER_BYTE):
        return thread.submit(_tokenize, vocab, text, add_special).result()


@contextmanager
def _thread_stack(size: int) -> Iterator[None]:
    """Threads that start inside the block have a stack of that size, as far as it is used."""
    with _stack_lock:
        try:
            before = threading.stack_size(max(size, _SMALLEST_STACK) // 4096 * 4096)
        except ValueError:
            raise Refused("the text is too long") from None
        try:
            yield
        except RuntimeError as error:
            raise Refused("the text is too long") from error
        finally:
            threading.stack_size(before)


def _tokenize(vocab: int, text: bytes, add_special: bool) -> array[int]:
    room = len(text) + 16
    while True:
        ids = (ctypes.c_int32 * room)()
        count = library.c().llama_tokenize(vocab, text, len(text), ids, room, add_special, True)
        if count >= 0:
            return array("i", ids[:count])
        room = -count


def piece(vocab: int, token: int, special: bool) -> bytes:
    """The bytes of a token, empty for control tokens unless `special`."""
    room = _PIECE_BYTES
    while True:
        buffer = ctypes.create_string_buffer(room)
        count = library.c().llama_token_to_piece(vocab, token, buffer, room, 0, special)
        if count >= 0:
            return buffer.raw[:count]
        room = -count


def is_eog(vocab: int, token: int) -> bool:
    return bool(library.c().llama_vocab_is_eog(vocab, token))


# ---- chat ---------------------------------------------------------------------------------------


def chat_template(model: int, name: bytes | None) -> bytes | None:
    """The template stored in the model under that name, or its main one."""
    template: bytes | None = library.c().llama_model_chat_template(model, name)
    return template


def apply_chat_template(
    template: bytes, messages: Sequence[tuple[bytes, bytes]], add_assistant: bool
) -> bytes | int:
    """The prompt, or llama.cpp's negative code if it does not know the template."""
    c = library.c()
    chat = (c.llama_chat_message * len(messages))(*messages)
    room = 1024 + 2 * sum(len(role) + len(content) for role, content in messages)
    while True:
        buffer = ctypes.create_string_buffer(room)
        count = c.llama_chat_apply_template(
            template, chat, len(messages), add_assistant, buffer, room
        )
        if count < 0:
            return int(count)
        if count <= room:
            return buffer.raw[:count]
        room = count
