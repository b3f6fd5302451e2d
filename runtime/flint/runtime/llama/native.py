"""The only module that touches llama-cpp-python: its low-level C API behind Python values.

Nothing here checks what a program passes; callers do, since llama.cpp aborts the process where it
asserts. Pointers are ints. The library is loaded at the first call, not at import.
"""

from __future__ import annotations

import atexit
import ctypes
import functools
import threading
from array import array
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

from flint.runtime.ggml_library import GgmlLibrary, prepare_environment
from flint.runtime.host import Refused
from flint.runtime.native_log import NativeLog

NO_TOKEN = -1
VOCAB_NONE, VOCAB_SENTENCEPIECE = 0, 1

_LEVEL_ERROR, _LEVEL_CONTINUE = 4, 5
# Measured need: below 400 bytes of stack for a byte of text.
_SHALLOW_TEXT, _STACK_PER_BYTE, _SMALLEST_STACK = 4096, 1024, 2**24
_PIECE_BYTES = 64


@functools.cache
def _c() -> Any:
    """llama-cpp-python's module of C functions, with its log under our control."""
    prepare_environment()
    try:
        from llama_cpp import llama_cpp
    except ImportError as error:
        raise Refused("llama-cpp-python is not installed: pip install 'flintc[llama]'") from error
    except (OSError, RuntimeError) as error:
        raise Refused("the library of llama-cpp-python cannot be loaded") from error
    llama_cpp.llama_log_set(_log_callback(llama_cpp), ctypes.c_void_p(0))
    # The callback must not be called once the interpreter is going down.
    no_callback = ctypes.cast(0, llama_cpp.llama_log_callback)
    atexit.register(llama_cpp.llama_log_set, no_callback, ctypes.c_void_p(0))
    return llama_cpp


# ---- log ----------------------------------------------------------------------------------------

_stack_lock = threading.Lock()
_last_level = 0


@functools.cache
def _log() -> NativeLog:
    return NativeLog()


@functools.cache
def _log_callback(llama_cpp: Any) -> Any:
    log = _log()

    def add(level: int, text: bytes, _user_data: object) -> None:
        global _last_level
        _last_level = _last_level if level == _LEVEL_CONTINUE else level
        line = text.decode("utf-8", "replace")
        log.add(line, line, is_error=_last_level == _LEVEL_ERROR)

    return llama_cpp.llama_log_callback(add)


def complaints() -> list[str]:
    """The error lines that llama.cpp logged since the last call."""
    return _log().complaints()


# ---- backend ------------------------------------------------------------------------------------


def backend_init() -> None:
    _c().llama_backend_init()


def backend_free() -> None:
    _c().llama_backend_free()


def ggml() -> GgmlLibrary:
    """The ggml inside llama.cpp's own library."""
    return GgmlLibrary(_c()._lib)


def supports_gpu_offload() -> bool:
    return bool(_c().llama_supports_gpu_offload())


# ---- model --------------------------------------------------------------------------------------


def load_model(
    path: bytes,
    *,
    gpu_layers: int | None,
    main_gpu: int,
    mmap: bool,
    mlock: bool,
    cpu_only: bool,
    on_progress: Callable[[float], None] | None,
) -> int | None:
    """Load a GGUF file; None if llama.cpp refuses it. `gpu_layers` None is its own default.

    `on_progress` is called with the part that is loaded, up to 1.0; what it raises ends the load.
    """
    c = _c()
    params = c.llama_model_default_params()
    if gpu_layers is not None:
        params.n_gpu_layers = gpu_layers
    params.main_gpu = main_gpu
    params.load_mode = (c.LLAMA_LOAD_MODE_MMAP if mmap else 0) | (
        c.LLAMA_LOAD_MODE_MLOCK if mlock else 0
    )
    no_devices = (ctypes.c_void_p * 1)()
    if cpu_only:
        params.n_gpu_layers = 0
        params.devices = ctypes.cast(no_devices, ctypes.c_void_p)
    if on_progress is None:
        return c.llama_model_load_from_file(path, params) or None
    raised: list[BaseException] = []
    # Also keeps the callback alive during the load.
    params.progress_callback = c.llama_progress_callback(_reporting(on_progress, raised))
    pointer = c.llama_model_load_from_file(path, params) or None
    if raised:
        if pointer is not None:
            free_model(pointer)
        raise raised[0]
    return pointer


def _reporting(
    on_progress: Callable[[float], None], raised: list[BaseException]
) -> Callable[[float, object], bool]:
    """A callback for llama.cpp, which nothing may be raised through."""

    def report(part: float, _user_data: object) -> bool:
        try:
            on_progress(part)
        except BaseException as error:  # also Ctrl-C, which comes to light here
            raised.append(error)
        return not raised

    return report


def free_model(model: int) -> None:
    _c().llama_model_free(model)


def vocabulary(model: int) -> int:
    pointer: int = _c().llama_model_get_vocab(model)
    return pointer


def n_ctx_train(model: int) -> int:
    return int(_c().llama_model_n_ctx_train(model))


def is_encoder_decoder(model: int) -> bool:
    return bool(_c().llama_model_has_encoder(model) and _c().llama_model_has_decoder(model))


def attention_cache_bytes(model: int, n_ctx: int) -> int:
    """Size of the key/value cache for `n_ctx` tokens, at llama.cpp's default of 16 bit."""
    c = _c()
    heads = c.llama_model_n_head(model)
    width = c.llama_model_n_embd(model) * c.llama_model_n_head_kv(model) // heads if heads else 0
    return int(n_ctx * c.llama_model_n_layer(model) * 2 * width * 2)


# ---- vocabulary ---------------------------------------------------------------------------------


def vocabulary_size(vocab: int) -> int:
    return int(_c().llama_vocab_n_tokens(vocab))


def has_tokenizer(vocab: int) -> bool:
    return bool(_c().llama_vocab_type(vocab) != VOCAB_NONE)


def spells_by_bytes(vocab: int) -> bool:
    """Whether characters without a token are written as tokens for their bytes."""
    return bool(_c().llama_vocab_type(vocab) == VOCAB_SENTENCEPIECE)


def lacks_token_it_adds(vocab: int) -> bool:
    """Whether tokenizing with special tokens would need one that the vocabulary does not have."""
    c = _c()
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
        count = _c().llama_tokenize(vocab, text, len(text), ids, room, add_special, True)
        if count >= 0:
            return array("i", ids[:count])
        room = -count


def piece(vocab: int, token: int, special: bool) -> bytes:
    """The bytes of a token, empty for control tokens unless `special`."""
    room = _PIECE_BYTES
    while True:
        buffer = ctypes.create_string_buffer(room)
        count = _c().llama_token_to_piece(vocab, token, buffer, room, 0, special)
        if count >= 0:
            return buffer.raw[:count]
        room = -count


def is_eog(vocab: int, token: int) -> bool:
    return bool(_c().llama_vocab_is_eog(vocab, token))


# ---- chat ---------------------------------------------------------------------------------------


def chat_template(model: int, name: bytes | None) -> bytes | None:
    """The template stored in the model under that name, or its main one."""
    template: bytes | None = _c().llama_model_chat_template(model, name)
    return template


def apply_chat_template(
    template: bytes, messages: Sequence[tuple[bytes, bytes]], add_assistant: bool
) -> bytes | int:
    """The prompt, or llama.cpp's negative code if it does not know the template."""
    c = _c()
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


# ---- context ------------------------------------------------------------------------------------


def new_context(
    model: int, *, n_ctx: int, n_batch: int, n_ubatch: int, n_threads: int, n_threads_batch: int
) -> int | None:
    """A context for the model; None if llama.cpp refuses."""
    params = _c().llama_context_default_params()
    params.n_ctx, params.n_batch, params.n_ubatch = n_ctx, n_batch, n_ubatch
    params.n_threads, params.n_threads_batch = n_threads, n_threads_batch
    return _c().llama_init_from_model(model, params) or None


def default_context_sizes() -> tuple[int, int, int]:
    """n_ctx, n_batch and n_ubatch."""
    params = _c().llama_context_default_params()
    return params.n_ctx, params.n_batch, params.n_ubatch


def default_threads() -> tuple[int, int]:
    """For single tokens and for batches."""
    params = _c().llama_context_default_params()
    return params.n_threads, params.n_threads_batch


def free_context(context: int) -> None:
    _c().llama_free(context)


def context_sizes(context: int) -> tuple[int, int, int]:
    """n_ctx, n_batch and n_ubatch as llama.cpp settled them."""
    c = _c()
    return c.llama_n_ctx(context), c.llama_n_batch(context), c.llama_n_ubatch(context)


def sequence_limit(context: int) -> int:
    return int(_c().llama_n_seq_max(context))


def has_memory(context: int) -> bool:
    """False for models that only encode; these take a batch in one piece."""
    return bool(_c().llama_get_memory(context))


def decode(
    context: int,
    tokens: array[int],
    positions: array[int],
    sequences: array[int],
    logits: bytearray,
) -> int:
    """Run the model on a batch with one sequence id a token; llama_decode's return code."""
    c, count = _c(), len(tokens)
    ints = ctypes.c_int32 * count
    first_sequence, width = sequences.buffer_info()[0], sequences.itemsize
    rows = (ctypes.c_void_p * count)(*range(first_sequence, first_sequence + count * width, width))
    batch = c.llama_batch(
        n_tokens=count,
        token=ints.from_buffer(tokens),
        pos=ints.from_buffer(positions),
        n_seq_id=ints(*[1] * count),
        seq_id=ctypes.cast(rows, ctypes.POINTER(ctypes.POINTER(ctypes.c_int32))),
        logits=(ctypes.c_int8 * count).from_buffer_copy(logits),
    )
    return int(c.llama_decode(context, batch))


# ---- sampling -----------------------------------------------------------------------------------


def new_sampler_chain(no_perf: bool) -> int:
    params = _c().llama_sampler_chain_default_params()
    params.no_perf = no_perf
    pointer: int = _c().llama_sampler_chain_init(params)
    return pointer


def add_to_chain(chain: int, component: str, *settings: float) -> None:
    """Append `llama_sampler_init_<component>(*settings)`, which the chain then owns."""
    c = _c()
    c.llama_sampler_chain_add(chain, getattr(c, f"llama_sampler_init_{component}")(*settings))


def has_logits(context: int, index: int) -> bool:
    """Whether the batch token has logits; only to be asked about tokens that were decoded."""
    return bool(_c().llama_get_logits_ith(context, index))


def sample(chain: int, context: int, index: int) -> int:
    return int(_c().llama_sampler_sample(chain, context, index))


def accept(chain: int, token: int) -> None:
    _c().llama_sampler_accept(chain, token)


def free_sampler(chain: int) -> None:
    _c().llama_sampler_free(chain)
