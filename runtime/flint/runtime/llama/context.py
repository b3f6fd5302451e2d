"""Contexts: a model's working memory, and decoding in it (host-functions.md 4.5)."""

from __future__ import annotations

from typing import ClassVar

from flint.runtime.c_values import int32, uint32
from flint.runtime.host import Count, Refused, host
from flint.runtime.llama.backend import Backend
from flint.runtime.llama.batch import Batch
from flint.runtime.llama.handles import LlamaResource
from flint.runtime.llama.model import Model, Weights, require_token
from flint.runtime.llama.native import contexts, library, models
from flint.runtime.llama.values import library_error
from flint.runtime.machine import memory_limit, usable_cpus

_DECODE_ERRORS = {1: "decode 1, no KV-cache slot: the context is full"}
_N_CTX_MAX = 2**31 - 256  # llama.cpp rounds up to a multiple of 256


class ContextParams(LlamaResource):
    """Sizes in tokens, and thread counts (for single tokens, for batches)."""

    kind: ClassVar[str] = "context params"

    def __init__(self) -> None:
        super().__init__()
        self.n_ctx, self.n_batch, self.n_ubatch = contexts.default_context_sizes()
        self.n_threads, self.n_threads_batch = map(_capped_threads, contexts.default_threads())


class Context(LlamaResource):
    """A context of a model; `outputs` are the batch indexes that have logits since `decode`."""

    kind: ClassVar[str] = "context"

    def __init__(self, pointer: int, weights: Weights) -> None:
        super().__init__()
        self.pointer = pointer
        self.weights = weights.share()
        self.n_ctx, self.n_batch, self.n_ubatch = contexts.context_sizes(pointer)
        self.n_sequences = contexts.sequence_limit(pointer)
        self.decodes = contexts.has_memory(pointer)
        self.outputs: set[int] = set()

    def has_logits(self, index: int) -> bool:
        """Whether that token of the last batch has logits; -1 is the last one with logits."""
        if index not in self.outputs and not -len(self.outputs) <= index < 0:
            return False
        # Models that only encode may give embeddings instead.
        return self.decodes or contexts.has_logits(self.pointer, index)

    def _release(self) -> None:
        contexts.free_context(self.pointer)
        self.weights.drop()


@host
def context_params_init(backend: Backend) -> ContextParams:
    """Return parameters with llama.cpp's defaults: n_ctx 512, n_batch 2048, n_ubatch 512."""
    return ContextParams()


@host
def context_params_set_sizes(
    params: ContextParams, n_ctx: int, n_batch: int, n_ubatch: int
) -> bool:
    """Set sizes in tokens: context (0: the model's), longest batch, part of it computed at once.

    `n_ubatch` 0 is as much as `n_batch`.
    """
    sizes = uint32("n_ctx", n_ctx), uint32("n_batch", n_batch), uint32("n_ubatch", n_ubatch)
    if n_batch == 0:
        raise Refused("n_batch 0 leaves no room for a token")
    params.n_ctx, params.n_batch, params.n_ubatch = sizes
    return True


@host
def context_params_set_threads(params: ContextParams, n_threads: int, n_threads_batch: int) -> bool:
    """Set how many threads compute single tokens and batches.

    At most the processors that this process may use: more make llama.cpp slower.
    """
    params.n_threads = _threads("n_threads", n_threads)
    params.n_threads_batch = _threads("n_threads_batch", n_threads_batch)
    return True


@host
def context_new(model: Model, backend: Backend, params: ContextParams) -> Context:
    """Create a context for `model`. Consumes `params`, also when it fails."""
    params.close("consumed by context_new")
    weights = model.weights
    if models.is_encoder_decoder(weights.pointer):
        raise library_error("context not created: encoder-decoder models are not supported")
    _require_memory(weights, params.n_ctx)
    library.complaints()
    pointer = contexts.new_context(
        weights.pointer,
        n_ctx=params.n_ctx,
        n_batch=params.n_batch,
        n_ubatch=params.n_ubatch,
        n_threads=params.n_threads,
        n_threads_batch=params.n_threads_batch,
    )
    if pointer is None:
        raise library_error("context not created", library.complaints())
    return Context(pointer, weights)


@host
def context_n_ctx(context: Context) -> Count:
    """Return the size of the context in tokens, which llama.cpp rounds up."""
    return context.n_ctx


@host
def context_decode(context: Context, batch: Batch) -> bool:
    """Run the model on the batch, whose tokens join the context.

    Logits for `sampler_sample` are those of this batch, until the next call.
    """
    context.outputs = set()
    _require_decodable(context, batch)
    library.complaints()
    code = contexts.decode(
        context.pointer, batch.tokens, batch.positions, batch.sequences, batch.logits
    )
    if code != 0:
        raise library_error(_DECODE_ERRORS.get(code, f"decode {code}"), library.complaints())
    context.outputs = {index for index, wanted in enumerate(batch.logits) if wanted}
    return True


@host
def context_free(context: Context) -> bool:
    """Free the context."""
    context.close()
    return True


def _threads(name: str, value: int) -> int:
    if int32(name, value) < 1:
        raise Refused(f"{name} {value} is below 1")
    return _capped_threads(value)


def _capped_threads(wanted: int) -> int:
    return min(wanted, usable_cpus())


def _require_memory(weights: Weights, n_ctx: int) -> None:
    """Refuse a cache that cannot fit: the kernel would kill the process while filling it."""
    wanted = n_ctx or models.n_ctx_train(weights.pointer)
    size, limit = models.attention_cache_bytes(weights.pointer, wanted), memory_limit()
    if wanted > _N_CTX_MAX or (limit is not None and size > limit):
        raise library_error(
            f"context not created: n_ctx {wanted} needs about {size / 2**30:.0f} GiB"
        )


def _require_decodable(context: Context, batch: Batch) -> None:
    """Every condition that llama.cpp asserts, or would report without saying what is wrong."""
    count = len(batch.tokens)
    if count == 0:
        raise library_error("decode -1, empty batch")
    limit = context.n_batch if context.decodes else min(context.n_batch, context.n_ubatch)
    if count > limit:
        raise library_error(f"the batch has {count} tokens, the context takes {limit} at a time")
    for token in batch.tokens:
        require_token(context.weights, token)
    for sequence in batch.sequences:
        if not 0 <= sequence < context.n_sequences:
            raise Refused(f"sequence {sequence}: the context has {context.n_sequences}, from 0")
