"""Errors of `flint::llama` that need no model (host-functions.md 4): numbers, texts, order.

Those that need one are in tests/runtime/hostile_*.py.
"""

from __future__ import annotations

import math
from array import array
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from flint.runtime import llama
from tests.torch.case import Case, Exempt, Refusal

INT32, UINT32 = 2**31, 2**32


def built() -> llama.Sampler:
    sampler = llama.sampler_chain_init(True)
    llama.sampler_add_greedy(sampler)
    llama.sampler_chain_build(sampler)
    return sampler


def chain() -> llama.Sampler:
    return llama.sampler_chain_init(True)


def batch() -> llama.Batch:
    return llama.batch_init(1, 1)


def tokens() -> llama.Tokens:
    return llama.Tokens(array("i", [5]))


def unloaded(kind: type) -> Any:
    """An object with nothing native behind it; what is refused does not get that far."""
    resource: Any = object.__new__(kind)
    resource.gone = None
    return resource


def params() -> Any:
    return unloaded(llama.ContextParams)


def refused(name: str, error: str, says: str, *args: Any) -> Refusal:
    """Functions among the arguments make them, in the run."""

    def made(_: Path) -> tuple[Any, ...]:
        return tuple(arg() if callable(arg) else arg for arg in args)

    return Refusal(f"llama::{name}", error, made, says)


def int32(name: str, label: str, *args: Any) -> Iterator[Refusal]:
    """A number that has to fit 32 bits; `...` among the arguments stands for it."""
    for error, value, says in (
        ("too large", INT32, f"{label} {INT32} exceeds int32"),
        ("too small", -INT32 - 1, f"{label} {-INT32 - 1} is below int32"),
    ):
        yield refused(name, error, says, *(value if arg is ... else arg for arg in args))


def natural(name: str, label: str, limit: int, *args: Any) -> Iterator[Refusal]:
    """A number from 0 to below `limit`."""
    kind = {INT32: "int32", UINT32: "uint32"}[limit]
    for error, value, says in (
        ("negative", -1, f"{label} -1 is below 0"),
        ("too large", limit, f"{label} {limit} exceeds {kind}"),
    ):
        yield refused(name, error, says, *(value if arg is ... else arg for arg in args))


BUILT = "chain already built, cannot add"
NUL, HALF = "a\0b", "ab\ud800"

CASES: list[Case] = []
REFUSALS: list[Refusal] = [
    refused("backend_init", "unknown", "llama library: no backend 'tpu' on this platform", "TPU"),
    refused("backend_init", "unknown", "no backend 'a\\x00b' on this platform", NUL),
    *natural("model_params_set_gpu_layers", "gpu layers", UINT32, llama.ModelParams, ...),
    *int32("model_params_set_main_gpu", "main_gpu", llama.ModelParams, ...),
    refused(
        "chat_messages_add",
        "text",
        "role contains a NUL character at index 1",
        llama.chat_messages_init,
        NUL,
        "x",
    ),
    refused(
        "chat_messages_add",
        "text",
        "content is not valid Unicode at index 2",
        llama.chat_messages_init,
        "user",
        HALF,
    ),
    refused("tokens_get", "negative", "negative token index -1", tokens, -1),
    refused("tokens_get", "beyond", "no token 1; the list has 1", tokens, 1),
    *natural("context_params_set_sizes", "n_ctx", UINT32, params, ..., 1, 1),
    *natural("context_params_set_sizes", "n_batch", UINT32, params, 1, ..., 1),
    *natural("context_params_set_sizes", "n_ubatch", UINT32, params, 1, 1, ...),
    refused("context_params_set_sizes", "no batch", "n_batch 0 leaves no room", params, 1, 0, 0),
    *int32("context_params_set_threads", "n_threads", params, ..., 1),
    *int32("context_params_set_threads", "n_threads_batch", params, 1, ...),
    refused("context_params_set_threads", "no threads", "n_threads 0 is below 1", params, 0, 1),
    refused("batch_init", "negative", "negative capacity -1", -1, 1),
    refused("batch_init", "too large", f"capacity {INT32} exceeds int32", INT32, 1),
    *natural("batch_init", "n_seq_max", INT32, 1, ...),
    *natural("batch_add", "token", INT32, batch, ..., 0, 0, True),
    *natural("batch_add", "position", INT32, batch, 0, ..., 0, True),
    *natural("batch_add", "sequence", INT32, batch, 0, 0, ..., True),
    *natural("batch_add_sequence", "sequence", INT32, batch, tokens, ..., True),
    *int32("sampler_add_top_k", "k", chain, ...),
    *natural("sampler_add_top_p", "min_keep", INT32, chain, 0.5, ...),
    *natural("sampler_add_min_p", "min_keep", INT32, chain, 0.5, ...),
    *natural("sampler_add_dist", "seed", UINT32, chain, ...),
    refused("sampler_add_top_p", "no number", "p is not a number", chain, math.nan, 1),
    refused("sampler_add_min_p", "no number", "p is not a number", chain, math.nan, 1),
    refused("sampler_add_temp", "no number", "temperature is not a number", chain, math.nan),
    refused("sampler_add_top_k", "built", BUILT, built, 40),
    refused("sampler_add_top_p", "built", BUILT, built, 0.5, 1),
    refused("sampler_add_min_p", "built", BUILT, built, 0.5, 1),
    refused("sampler_add_temp", "built", BUILT, built, 0.5),
    refused("sampler_add_dist", "built", BUILT, built, 1),
    refused("sampler_add_greedy", "built", BUILT, built),
    refused("sampler_chain_build", "built", "chain already built", built),
    refused("sampler_chain_build", "empty", "chain is empty", chain),
    *int32("sampler_accept", "token", built, ...),
]
EXEMPT = Exempt()
