"""Decoding SmolLM2 by generated/llama_quantized.py against a bare loop on llama.cpp's C interface.

The two take turns in this process, each first in every other round.
"""

from __future__ import annotations

import ctypes
import os
import time
from collections.abc import Iterator

import llama_cpp.llama_cpp as C

import flint
from benchmarks.bench import Bench
from benchmarks.models import tool
from benchmarks.table import Figure, Row

ROUNDS = 16
MAX_TOKENS = 128
N_CTX = 512
SYSTEM = "You are a helpful assistant."
USER = "Explain in three sentences why rivers matter to cities, then name five of them."


def figures(bench: Bench) -> Iterator[Row]:
    """Decode speed in tokens per second."""
    model = str(tool("demo_model").smollm2_gguf())
    speeds = bench.race(
        {"ours": lambda: _generated(model), "bare": lambda: _bare(model)}, rounds=ROUNDS
    )
    yield Figure.of_samples(
        "decode SmolLM2 Q4_1, llama.cpp",
        speeds["ours"],
        speeds["bare"],
        "bare C loop",
        "tok/s",
        higher_is_better=True,
        goal=0.98,
    )


def _generated(model: str) -> float:
    from generated import llama_quantized

    args = [model, SYSTEM, USER, str(MAX_TOKENS), "cpu", "0", str(N_CTX), "0"]
    output = flint.ScriptRunner().run_text(llama_quantized, args)
    if not output.decode_tokens or not output.decode_elapsed:
        raise RuntimeError("the program recorded no decode speed")
    return output.decode_tokens / output.decode_elapsed


def _bare(model_path: str) -> float:
    """The same work without our runtime: the loop that the script is written after."""
    C.llama_backend_init()
    params = C.llama_model_default_params()
    params.n_gpu_layers = 0
    model = C.llama_model_load_from_file(model_path.encode(), params)
    vocab = C.llama_model_get_vocab(model)
    context = C.llama_init_from_model(model, _context_params())
    prompt = _tokens(vocab, _prompt(model))
    batch = C.llama_batch_init(N_CTX, 0, 1)
    for position, token in enumerate(prompt):
        _add(batch, token, position, position == len(prompt) - 1)
    assert C.llama_decode(context, batch) == 0
    sampler = C.llama_sampler_chain_init(C.llama_sampler_chain_default_params())
    for part in (
        C.llama_sampler_init_top_k(40),
        C.llama_sampler_init_top_p(0.95, 1),
        C.llama_sampler_init_temp(0.0),
        C.llama_sampler_init_dist(42),
    ):
        C.llama_sampler_chain_add(sampler, part)

    piece = ctypes.create_string_buffer(256)
    text = b""
    count = 0
    started = time.perf_counter()
    while count < MAX_TOKENS:
        token = C.llama_sampler_sample(sampler, context, -1)
        if C.llama_vocab_is_eog(vocab, token):
            break
        text += piece.raw[: C.llama_token_to_piece(vocab, token, piece, len(piece), 0, False)]
        batch.n_tokens = 0
        _add(batch, token, len(prompt) + count, True)
        assert C.llama_decode(context, batch) == 0
        count += 1
    # The script's clock stops at the end of its run, after it has freed everything.
    C.llama_sampler_free(sampler)
    C.llama_batch_free(batch)
    C.llama_free(context)
    C.llama_model_free(model)
    seconds = time.perf_counter() - started
    assert text
    return count / seconds


def _context_params() -> C.llama_context_params:
    params = C.llama_context_default_params()
    params.n_ctx = params.n_batch = N_CTX
    params.n_ubatch = 512
    params.n_threads = params.n_threads_batch = min(8, _usable_cpus())
    return params


def _usable_cpus() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _prompt(model: object) -> bytes:
    messages = (C.llama_chat_message * 2)()
    for message, (role, content) in zip(
        messages, (("system", SYSTEM), ("user", USER)), strict=True
    ):
        message.role, message.content = role.encode(), content.encode()
    buffer = ctypes.create_string_buffer(4096)
    template = C.llama_model_chat_template(model, None)
    size = C.llama_chat_apply_template(template, messages, 2, True, buffer, len(buffer))
    return buffer.raw[:size]


def _tokens(vocab: object, text: bytes) -> list[int]:
    buffer = (C.llama_token * N_CTX)()
    return list(buffer[: C.llama_tokenize(vocab, text, len(text), buffer, N_CTX, True, True)])


def _add(batch: C.llama_batch, token: int, position: int, logits: bool) -> None:
    at = batch.n_tokens
    batch.token[at], batch.pos[at], batch.n_seq_id[at] = token, position, 1
    batch.seq_id[at][0], batch.logits[at] = 0, logits
    batch.n_tokens = at + 1
