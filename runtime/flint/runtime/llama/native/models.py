"""Loading models, and what they say about themselves. Pointers are ints."""

from __future__ import annotations

import ctypes
from collections.abc import Callable

from flint.runtime.llama.native import library


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
    c = library.c()
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
    library.c().llama_model_free(model)


def vocabulary(model: int) -> int:
    pointer: int = library.c().llama_model_get_vocab(model)
    return pointer


def n_ctx_train(model: int) -> int:
    return int(library.c().llama_model_n_ctx_train(model))


def is_encoder_decoder(model: int) -> bool:
    return bool(
        library.c().llama_model_has_encoder(model) and library.c().llama_model_has_decoder(model)
    )


def attention_cache_bytes(model: int, n_ctx: int) -> int:
    """Size of the key/value cache for `n_ctx` tokens, at llama.cpp's default of 16 bit."""
    c = library.c()
    heads = c.llama_model_n_head(model)
    width = c.llama_model_n_embd(model) * c.llama_model_n_head_kv(model) // heads if heads else 0
    return int(n_ctx * c.llama_model_n_layer(model) * 2 * width * 2)
