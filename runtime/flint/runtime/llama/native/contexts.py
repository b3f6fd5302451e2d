"""Contexts: decoding batches of tokens, and choosing the next token from the logits."""

from __future__ import annotations

import ctypes
from array import array

from flint.runtime.llama.native import library


def new_context(
    model: int, *, n_ctx: int, n_batch: int, n_ubatch: int, n_threads: int, n_threads_batch: int
) -> int | None:
    """A context for the model; None if llama.cpp refuses."""
    params = library.c().llama_context_default_params()
    params.n_ctx, params.n_batch, params.n_ubatch = n_ctx, n_batch, n_ubatch
    params.n_threads, params.n_threads_batch = n_threads, n_threads_batch
    return library.c().llama_init_from_model(model, params) or None


def default_context_sizes() -> tuple[int, int, int]:
    """n_ctx, n_batch and n_ubatch."""
    params = library.c().llama_context_default_params()
    return params.n_ctx, params.n_batch, params.n_ubatch


def default_threads() -> tuple[int, int]:
    """For single tokens and for batches."""
    params = library.c().llama_context_default_params()
    return params.n_threads, params.n_threads_batch


def free_context(context: int) -> None:
    library.c().llama_free(context)


def context_sizes(context: int) -> tuple[int, int, int]:
    """n_ctx, n_batch and n_ubatch as llama.cpp settled them."""
    c = library.c()
    return c.llama_n_ctx(context), c.llama_n_batch(context), c.llama_n_ubatch(context)


def sequence_limit(context: int) -> int:
    return int(library.c().llama_n_seq_max(context))


def has_memory(context: int) -> bool:
    """False for models that only encode; these take a batch in one piece."""
    return bool(library.c().llama_get_memory(context))


def decode(
    context: int,
    tokens: array[int],
    positions: array[int],
    sequences: array[int],
    logits: bytearray,
) -> int:
    """Run the model on a batch with one sequence id a token; llama_decode's return code."""
    c, count = library.c(), len(tokens)
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
    params = library.c().llama_sampler_chain_default_params()
    params.no_perf = no_perf
    pointer: int = library.c().llama_sampler_chain_init(params)
    return pointer


def add_to_chain(chain: int, component: str, *settings: float) -> None:
    """Append `llama_sampler_init_<component>(*settings)`, which the chain then owns."""
    c = library.c()
    c.llama_sampler_chain_add(chain, getattr(c, f"llama_sampler_init_{component}")(*settings))


def has_logits(context: int, index: int) -> bool:
    """Whether the batch token has logits; only to be asked about tokens that were decoded."""
    return bool(library.c().llama_get_logits_ith(context, index))


def sample(chain: int, context: int, index: int) -> int:
    return int(library.c().llama_sampler_sample(chain, context, index))


def accept(chain: int, token: int) -> None:
    library.c().llama_sampler_accept(chain, token)


def free_sampler(chain: int) -> None:
    library.c().llama_sampler_free(chain)
