"""Programs that misuse host functions, each with what its error must say.

Run as a script with a model path and a scratch folder, it executes every one in a process of its
own (forked, so that the imports are paid once) and prints the outcomes as JSON.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest import mock

from flint.runtime import ggml, llama, program
from flint.runtime.ggml_library import GgmlLibrary
from flint.runtime.launch import run_main
from flint.runtime.llama.native import contexts, library, models
from tests.runtime.tiny_gguf import write_model


@dataclass(frozen=True)
class Case:
    """A program, the host function that must refuse, which error it is, and words of it."""

    main: Callable[[], object]
    function: str
    error: str
    says: str


CASES: dict[str, Case] = {}
MODEL = SCRATCH = ""


def refused(
    function: str, error: str, says: str
) -> Callable[[Callable[[], object]], Callable[[], object]]:
    """Register a program that `flint::<function>` must refuse with these words.

    `error` is the key of the error in tests/torch/host_functions.toml.
    """

    def register(main: Callable[[], object]) -> Callable[[], object]:
        CASES[main.__name__] = Case(main, function, error, says)
        return main

    return register


def scratch(name: str, data: bytes) -> str:
    path = Path(SCRATCH, name)
    path.write_bytes(data)
    return str(path)


def load(path: str, kind: str = "cpu") -> tuple[Any, Any]:
    backend = llama.backend_init(kind)
    return backend, llama.model_load(backend, llama.model_params_init(backend), path)


def context_of(n_ctx: int = 256, n_batch: int = 64, n_ubatch: int = 32) -> tuple[Any, Any, Any]:
    backend, model = load(MODEL)
    params = llama.context_params_init(backend)
    llama.context_params_set_sizes(params, n_ctx, n_batch, n_ubatch)
    return backend, model, llama.context_new(model, backend, params)


def batch_of(count: int, *, logits: bool = False, token: int = 30) -> Any:
    batch = llama.batch_init(count, 1)
    for position in range(count):
        llama.batch_add(batch, token, position, 0, logits)
    return batch


def greedy() -> Any:
    sampler = llama.sampler_chain_init(True)
    llama.sampler_add_greedy(sampler)
    llama.sampler_chain_build(sampler)
    return sampler


# ---- files that are no model --------------------------------------------------------------------


@refused("llama::model_load", "unreadable", "model not loaded: .*missing.gguf: No such file")
def missing_model() -> None:
    load(str(Path(SCRATCH, "missing.gguf")))


@refused("llama::model_load", "unreadable", ": Is a directory")
def folder_as_model() -> None:
    load(SCRATCH)


@refused("llama::model_load", "no model", "only 0 bytes")
def empty_model() -> None:
    load(scratch("empty.gguf", b""))


@refused("llama::model_load", "no model", "no GGUF file")
def text_as_model() -> None:
    load(scratch("text.gguf", b"This is a text file and no model at all.\n" * 100))


@refused("llama::model_load", "no model", "no GGUF file")
def random_bytes_as_model() -> None:
    load(scratch("random.gguf", os.urandom(4096)))


@refused("llama::model_load", "damaged", "cut short|damaged|value type")
def random_bytes_behind_a_gguf_header() -> None:
    load(scratch("header.gguf", Path(MODEL).read_bytes()[:24] + bytes(range(256)) * 64))


@refused("llama::model_load", "damaged", "cut short")
def model_cut_in_its_header() -> None:
    load(scratch("cut_header.gguf", Path(MODEL).read_bytes()[:5000]))


@refused("llama::model_load", "damaged", "cut short")
def model_cut_in_its_tensors() -> None:
    with open(MODEL, "rb") as file:
        load(scratch("cut.gguf", file.read(50_000_000)))


@refused("llama::model_load", "library", "model not loaded.*not within the file bounds")
def model_without_its_last_bytes() -> None:
    load(scratch("last.gguf", Path(MODEL).read_bytes()[:-1000]))


@refused("llama::model_load", "no model", "version 77")
def model_of_another_version() -> None:
    data = bytearray(Path(MODEL).read_bytes()[:100_000])
    data[4:8] = (77).to_bytes(4, "little")
    load(scratch("version.gguf", bytes(data)))


@refused("llama::model_load", "damaged", "cut short|damaged")
def model_with_absurd_counts() -> None:
    header = b"GGUF" + (3).to_bytes(4, "little") + (2**62).to_bytes(8, "little") * 2
    load(scratch("counts.gguf", header + bytes(1000)))


@refused("llama::model_load", "library", "model not loaded")
def model_with_nothing_in_it() -> None:
    load(scratch("nothing.gguf", b"GGUF" + (3).to_bytes(4, "little") + bytes(16)))


@refused("llama::model_load", "text", "path contains a NUL")
def nul_in_a_path() -> None:
    load("a\0b")


@refused("llama::model_load", "unreadable", "not a regular file")
def device_as_model() -> None:
    load("/dev/zero")


# ---- handles ------------------------------------------------------------------------------------


@refused("llama::model_free", "handle", r"model: no llama model with handle \d+ \(already freed\)")
def model_freed_twice() -> None:
    _, model = load(MODEL)
    llama.model_free(model)
    llama.model_free(model)


@refused("llama::model_tokenize", "handle", "no llama model .*already freed")
def model_used_after_free() -> None:
    _, model = load(MODEL)
    llama.model_free(model)
    llama.model_tokenize(model, "a", True)


@refused("llama::context_decode", "handle", "context: no llama context .*it is a llama model")
def model_where_a_context_is_needed() -> None:
    _, model = load(MODEL)
    llama.context_decode(model, batch_of(1))


@refused(
    "llama::context_decode", "handle", "context: no llama context with handle 7 .*plain number"
)
def int_where_a_context_is_needed() -> None:
    llama.context_decode(7, batch_of(1))  # type: ignore[arg-type]


@refused("llama::batch_free", "handle", "no llama batch with handle 0")
def nothing_where_a_batch_is_needed() -> None:
    llama.batch_free(None)  # type: ignore[arg-type]


@refused("llama::model_load", "handle", "params: no llama model params .*consumed by model_load")
def model_params_used_twice() -> None:
    backend = llama.backend_init("cpu")
    params = llama.model_params_init(backend)
    llama.model_load(backend, params, MODEL)
    llama.model_load(backend, params, MODEL)


@refused("llama::context_new", "handle", "params: .*consumed by context_new")
def context_params_used_twice() -> None:
    backend, model = load(MODEL)
    params = llama.context_params_init(backend)
    llama.context_new(model, backend, params)
    llama.context_new(model, backend, params)


@refused("llama::model_params_init", "handle", "no llama backend .*already freed")
def backend_used_after_free() -> None:
    backend = llama.backend_init("cpu")
    llama.backend_free(backend)
    llama.model_params_init(backend)


@refused("llama::backend_init", "second", "backend already initialised")
def two_backends() -> None:
    llama.backend_init("auto")
    llama.backend_init("auto")


@refused("llama::backend_init", "unknown", "no backend 'quantum' on this platform")
def unknown_backend() -> None:
    llama.backend_init("Quantum")


@refused("llama::sampler_sample", "handle", "no llama context .*already freed")
def sampling_from_a_freed_context() -> None:
    _, _, context = context_of()
    llama.context_decode(context, batch_of(1, logits=True))
    llama.context_free(context)
    llama.sampler_sample(greedy(), context, -1)


@refused("llama::chat_free", "handle", "no llama chat resource .*already freed")
def messages_freed_twice() -> None:
    messages = llama.chat_messages_init()
    llama.chat_free(messages)
    llama.chat_free(messages)


@refused("llama::chat_free", "handle", "no llama chat resource .*it is a llama batch")
def batch_freed_as_chat() -> None:
    llama.chat_free(batch_of(1))


@refused("llama::decoder_push", "handle", "no llama decoder .*already freed")
def decoder_used_after_free() -> None:
    _, model = load(MODEL)
    decoder = llama.decoder_init()
    llama.decoder_free(decoder)
    llama.decoder_push(decoder, model, 30, False)


@refused("llama::backend_init", "no Vulkan", "no backend 'vulkan'.*: no Vulkan device is listed")
def backend_without_its_device() -> None:
    with mock.patch.object(GgmlLibrary, "devices", return_value=iter(())):
        llama.backend_init("Vulkan")


@refused("llama::context_new", "encoder-decoder", "encoder-decoder models are not supported")
def context_of_an_encoder_decoder() -> None:
    with mock.patch.object(models, "is_encoder_decoder", return_value=True):
        context_of()


@refused("llama::context_new", "library", "context not created$")
def context_that_the_library_refuses() -> None:
    with mock.patch.object(contexts, "new_context", return_value=None):
        context_of()


# ---- sizes --------------------------------------------------------------------------------------


@refused("llama::context_new", "memory", "context not created: n_ctx 2147483648 needs about")
def context_of_two_billion() -> None:
    context_of(n_ctx=2**31)


@refused("llama::context_new", "memory", "context not created: n_ctx 4294967295")
def context_of_uint32_max() -> None:
    context_of(n_ctx=2**32 - 1, n_batch=2**32 - 1, n_ubatch=2**32 - 1)


@refused("llama::context_new", "memory", "context not created: n_ctx 100000000 ")
def context_beyond_memory() -> None:
    context_of(n_ctx=100_000_000)


@refused("llama::context_params_set_sizes", "too large", "n_ctx 4294967296 exceeds uint32")
def context_beyond_uint32() -> None:
    context_of(n_ctx=2**32)


@refused("llama::context_params_set_sizes", "negative", "n_ctx -1 is below 0")
def negative_context() -> None:
    context_of(n_ctx=-1)


@refused("llama::context_params_set_sizes", "no batch", "n_batch 0")
def no_batch_size() -> None:
    context_of(n_batch=0, n_ubatch=0)


@refused("llama::context_params_set_threads", "no threads", "n_threads 0 is below 1")
def no_threads() -> None:
    params = llama.context_params_init(llama.backend_init("cpu"))
    llama.context_params_set_threads(params, 0, 1)


@refused("llama::context_params_set_threads", "no threads", "n_threads_batch -5 is below 1")
def negative_threads() -> None:
    params = llama.context_params_init(llama.backend_init("cpu"))
    llama.context_params_set_threads(params, 1, -5)


@refused("llama::model_params_set_gpu_layers", "negative", "gpu layers -1 is below 0")
def negative_gpu_layers() -> None:
    llama.model_params_set_gpu_layers(llama.model_params_init(llama.backend_init("cpu")), -1)


@refused("llama::model_params_set_main_gpu", "too large", "main_gpu 2147483648 exceeds int32")
def main_gpu_beyond_int32() -> None:
    llama.model_params_set_main_gpu(llama.model_params_init(llama.backend_init("cpu")), 2**31)


# ---- batches and decoding -----------------------------------------------------------------------


@refused("llama::batch_init", "negative", "negative capacity -1")
def negative_capacity() -> None:
    llama.batch_init(-1, 1)


@refused("llama::batch_init", "too large", "capacity 1099511627776 exceeds int32")
def absurd_capacity() -> None:
    llama.batch_init(2**40, 1)


@refused("llama::batch_add", "full", "batch full, capacity 2")
def full_batch() -> None:
    llama.batch_add(batch_of(2), 30, 2, 0, True)


@refused("llama::batch_add", "full", "batch full, capacity 0")
def batch_without_capacity() -> None:
    llama.batch_add(llama.batch_init(0, 0), 30, 0, 0, True)


@refused("llama::batch_add_sequence", "full", "batch full, capacity 2")
def sequence_longer_than_the_batch() -> None:
    _, model = load(MODEL)
    tokens = llama.model_tokenize(model, "far too long for a batch of two", False)
    llama.batch_add_sequence(llama.batch_init(2, 1), tokens, 0, False)


@refused("llama::batch_add", "negative", "position -1 is below 0")
def negative_position() -> None:
    llama.batch_add(llama.batch_init(1, 1), 30, -1, 0, True)


@refused("llama::batch_add", "negative", "token -1 is below 0")
def negative_token() -> None:
    llama.batch_add(llama.batch_init(1, 1), -1, 0, 0, True)


@refused("llama::context_decode", "empty batch", "decode -1, empty batch")
def empty_batch() -> None:
    _, _, context = context_of()
    llama.context_decode(context, llama.batch_init(4, 1))


@refused(
    "llama::context_decode", "too long", "the batch has 65 tokens, the context takes 64 at a time"
)
def batch_larger_than_n_batch() -> None:
    _, _, context = context_of(n_batch=64)
    llama.context_decode(context, batch_of(65))


@refused("llama::context_decode", "unknown token", "token 49152 is not in the vocabulary of 49152")
def token_outside_the_vocabulary() -> None:
    _, _, context = context_of()
    llama.context_decode(context, batch_of(1, token=49152))


@refused("llama::context_decode", "unknown token", "token 2147483647 is not in the vocabulary")
def largest_token() -> None:
    _, _, context = context_of()
    llama.context_decode(context, batch_of(3, token=2**31 - 1))


@refused("llama::context_decode", "unknown sequence", "sequence 1: the context has 1")
def sequence_out_of_range() -> None:
    _, _, context = context_of()
    batch = llama.batch_init(1, 4)
    llama.batch_add(batch, 30, 0, 1, True)
    llama.context_decode(context, batch)


@refused("llama::context_decode", "library", "decode -1 .*inconsistent sequence positions")
def position_left_out() -> None:
    _, _, context = context_of()
    llama.context_decode(context, batch_of(1))
    batch = llama.batch_init(1, 1)
    llama.batch_add(batch, 30, 5, 0, True)
    llama.context_decode(context, batch)


@refused("llama::context_decode", "library", "decode -1 .*not continuous")
def positions_with_a_hole() -> None:
    _, _, context = context_of()
    batch = llama.batch_init(2, 1)
    llama.batch_add(batch, 30, 0, 0, True)
    llama.batch_add(batch, 30, 2**31 - 1, 0, True)
    llama.context_decode(context, batch)


@refused("llama::context_decode", "library", "decode -1 .*decreasing")
def positions_backwards() -> None:
    _, _, context = context_of()
    batch = llama.batch_init(2, 1)
    llama.batch_add(batch, 30, 1, 0, True)
    llama.batch_add(batch, 30, 0, 0, True)
    llama.context_decode(context, batch)


@refused("llama::context_decode", "no slot", "decode 1, no KV-cache slot")
def context_exceeded() -> None:
    _, _, context = context_of(n_ctx=256, n_batch=256)
    llama.context_decode(context, batch_of(256))
    batch = llama.batch_init(1, 1)
    llama.batch_add(batch, 30, 256, 0, True)
    llama.context_decode(context, batch)


# ---- sampling -----------------------------------------------------------------------------------


@refused("llama::sampler_sample", "no logits", "no logits at index -1; .*nothing was decoded")
def sampling_before_decoding() -> None:
    _, _, context = context_of()
    llama.sampler_sample(greedy(), context, -1)


@refused("llama::sampler_sample", "no logits", "no logits at index -1")
def sampling_without_logits() -> None:
    _, _, context = context_of()
    llama.context_decode(context, batch_of(3))
    llama.sampler_sample(greedy(), context, -1)


@refused("llama::sampler_sample", "no logits", "no logits at index 1; .*logits at 0, 2")
def sampling_at_an_index_without_logits() -> None:
    _, _, context = context_of()
    batch = llama.batch_init(3, 1)
    for position in range(3):
        llama.batch_add(batch, 30, position, 0, position != 1)
    llama.context_decode(context, batch)
    llama.sampler_sample(greedy(), context, 1)


@refused("llama::sampler_sample", "no logits", "no logits at index 9223372036854775807")
def sampling_at_an_absurd_index() -> None:
    _, _, context = context_of()
    llama.context_decode(context, batch_of(1, logits=True))
    llama.sampler_sample(greedy(), context, 2**63 - 1)


@refused("llama::sampler_sample", "no logits", "no logits at index -1")
def sampling_after_a_failed_decode() -> None:
    _, _, context = context_of()
    llama.context_decode(context, batch_of(1, logits=True))
    try:
        llama.context_decode(context, batch_of(1, logits=True))
    except Exception:
        llama.sampler_sample(greedy(), context, -1)


@refused("llama::sampler_sample", "no choice", "does not end with dist or greedy")
def chain_without_an_end() -> None:
    _, _, context = context_of()
    llama.context_decode(context, batch_of(1, logits=True))
    sampler = llama.sampler_chain_init(True)
    llama.sampler_add_greedy(sampler)
    llama.sampler_add_temp(sampler, 0.5)
    llama.sampler_chain_build(sampler)
    llama.sampler_sample(sampler, context, -1)


@refused("llama::sampler_sample", "not built", "chain not built yet")
def sampling_with_an_unbuilt_chain() -> None:
    _, _, context = context_of()
    llama.sampler_sample(llama.sampler_chain_init(True), context, -1)


@refused("llama::sampler_accept", "not built", "chain not built yet")
def accepting_with_an_unbuilt_chain() -> None:
    llama.sampler_accept(llama.sampler_chain_init(True), 30)


@refused("llama::sampler_chain_build", "empty", "chain is empty")
def empty_chain() -> None:
    llama.sampler_chain_build(llama.sampler_chain_init(True))


@refused("llama::sampler_chain_build", "built", "chain already built")
def chain_built_twice() -> None:
    llama.sampler_chain_build(greedy())


@refused("llama::sampler_add_temp", "built", "chain already built, cannot add")
def adding_to_a_built_chain() -> None:
    llama.sampler_add_temp(greedy(), 0.5)


@refused("llama::sampler_add_dist", "too large", "seed 4294967296 exceeds uint32")
def seed_beyond_uint32() -> None:
    llama.sampler_add_dist(llama.sampler_chain_init(True), 2**32)


@refused("llama::sampler_add_top_k", "too large", "k 2147483648 exceeds int32")
def top_k_beyond_int32() -> None:
    llama.sampler_add_top_k(llama.sampler_chain_init(True), 2**31)


@refused("llama::sampler_add_top_p", "negative", "min_keep -1 is below 0")
def negative_min_keep() -> None:
    llama.sampler_add_top_p(llama.sampler_chain_init(True), 0.5, -1)


@refused("llama::sampler_add_min_p", "no number", "p is not a number")
def min_p_not_a_number() -> None:
    llama.sampler_add_min_p(llama.sampler_chain_init(True), float("nan"), 1)


# ---- text ---------------------------------------------------------------------------------------


@refused("llama::model_tokenize", "text", "text contains a NUL character at index 1")
def nul_in_a_text() -> None:
    _, model = load(MODEL)
    llama.model_tokenize(model, "a\0b", True)


@refused("llama::model_tokenize", "text", "text is not valid Unicode at index 2")
def half_a_character() -> None:
    _, model = load(MODEL)
    llama.model_tokenize(model, "ab\ud800", True)


@refused("llama::chat_messages_add", "text", "content contains a NUL")
def nul_in_a_message() -> None:
    llama.chat_messages_add(llama.chat_messages_init(), "user", "\0")


@refused("llama::chat_template", "absent", "model has no such chat template: chatml")
def unknown_template() -> None:
    _, model = load(MODEL)
    llama.chat_template(model, "chatml")


@refused("llama::chat_template", "text", "name contains a NUL")
def nul_in_a_template_name() -> None:
    _, model = load(MODEL)
    llama.chat_template(model, "\0")


@refused("llama::model_tokenize", "no tokenizer", "the model has no tokenizer")
def text_for_a_model_of_numbers() -> None:
    _, model = load(write_model(Path(SCRATCH, "numbers.gguf"), tokenizer=False))
    llama.model_tokenize(model, "a", True)


@refused("llama::model_tokenize", "no spelling", "the vocabulary has no tokens for 'ü'")
def text_that_cannot_be_spelled() -> None:
    words = ["<unk>", "<s>", "</s>", "\u2581", *"abc"]
    _, model = load(write_model(Path(SCRATCH, "letters.gguf"), words))
    llama.model_tokenize(model, "abü", True)


@refused("llama::model_tokenize", "special token", "a special token that it does not have")
def text_with_a_missing_special_token() -> None:
    def ask(writer: Any) -> None:
        writer.add_bool("tokenizer.ggml.add_sep_token", True)

    _, model = load(write_model(Path(SCRATCH, "special.gguf"), change=ask))
    llama.model_tokenize(model, "a", True)


@refused("llama::apply_chat_template", "not applicable", r"template not applicable \(-1\)")
def template_of_an_unknown_kind() -> None:
    path = Path(SCRATCH, "template.gguf")
    _, model = load(write_model(path, change=lambda writer: writer.add_chat_template("{{ x }}")))
    messages = llama.chat_messages_init()
    llama.chat_messages_add(messages, "user", "a")
    llama.apply_chat_template(model, llama.chat_template(model, ""), messages, True)


@refused("llama::tokens_get", "beyond", "no token 1; the list has 1")
def token_beyond_the_list() -> None:
    _, model = load(MODEL)
    llama.tokens_get(llama.model_tokenize(model, "a", False), 1)


@refused("llama::tokens_get", "negative", "negative token index -1")
def negative_token_index() -> None:
    _, model = load(MODEL)
    llama.tokens_get(llama.model_tokenize(model, "a", False), -1)


@refused("llama::decoder_push", "no text", "unknown token type")
def control_token_as_text() -> None:
    _, model = load(MODEL)
    llama.decoder_push(llama.decoder_init(), model, 2, False)


@refused("llama::decoder_push", "unknown token", "token 49152 is not in the vocabulary")
def text_of_a_token_outside_the_vocabulary() -> None:
    _, model = load(MODEL)
    llama.decoder_push(llama.decoder_init(), model, 49152, True)


@refused("llama::decoder_push", "unknown token", "token -2 is not in the vocabulary")
def text_of_a_negative_token() -> None:
    _, model = load(MODEL)
    llama.decoder_push(llama.decoder_init(), model, -2, True)


@refused("llama::decoder_push", "no tokenizer", "the model has no tokenizer")
def text_of_a_token_of_a_model_of_numbers() -> None:
    _, model = load(write_model(Path(SCRATCH, "numbers.gguf"), tokenizer=False))
    llama.decoder_push(llama.decoder_init(), model, 1, False)


@refused("llama::model_is_eog", "too large", "token 2147483648 exceeds int32")
def end_token_beyond_int32() -> None:
    llama.model_is_eog(load(MODEL)[1], 2**31)


@refused("llama::model_is_eog", "too small", "token -2147483649 is below int32")
def end_token_below_int32() -> None:
    llama.model_is_eog(load(MODEL)[1], -(2**31) - 1)


# ---- ggml and arguments -------------------------------------------------------------------------


@refused("ggml::list_devices", "missing", "listing ggml devices failed: .*No such file")
def devices_of_a_missing_folder() -> None:
    ggml.list_devices(str(Path(SCRATCH, "missing")))


@refused(
    "ggml::load_backends",
    "no library",
    "loading ggml backends failed: no ggml library at .*libggml",
)
def devices_of_a_folder_without_library() -> None:
    ggml.load_backends(SCRATCH)


@refused("ggml::list_devices", "broken", "the library cannot be opened")
def devices_of_a_broken_library() -> None:
    folder = Path(SCRATCH, "broken")
    folder.mkdir(exist_ok=True)
    (folder / "libggml.so").write_bytes(b"no library")
    ggml.list_devices(str(folder))


@refused("ggml::load_backends", "broken", "loading ggml backends failed: the library cannot be op")
def backends_of_a_broken_library() -> None:
    folder = Path(SCRATCH, "torn")
    folder.mkdir(exist_ok=True)
    (folder / "libggml.so").write_bytes(b"\x7fELF")
    ggml.load_backends(str(folder))


@refused("ggml::list_devices", "text", "null byte")
def nul_in_a_folder() -> None:
    ggml.list_devices("a\0b")


@refused("runtime::arg", "too few", "no script argument 0; 0 given")
def missing_argument() -> None:
    program.arg(0)


# ---- running them -------------------------------------------------------------------------------


def outcome(case: Case) -> dict[str, object]:
    """Exit status (negative: a signal) and output of the program, run in a forked process."""
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        child = os.fork()
        if child == 0:
            sys.argv[1:] = []
            os.dup2(out.fileno(), 1)
            os.dup2(err.fileno(), 2)
            os._exit(run_main(case.main))
        _, status = os.waitpid(child, 0)
        out.seek(0)
        err.seek(0)
        return {
            "code": os.waitstatus_to_exitcode(status),
            "stdout": out.read().decode(),
            "stderr": err.read().decode(),
        }


if __name__ == "__main__":
    MODEL, SCRATCH = sys.argv[1:3]
    library.supports_gpu_offload()  # loads the library, before the forks
    print(json.dumps({name: outcome(case) for name, case in CASES.items()}))
