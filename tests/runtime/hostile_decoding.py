"""Programs with impossible sizes, batches and samplers."""

from __future__ import annotations

from flint.runtime import llama
from tests.runtime.hostile import batch_of, context_of, greedy, load, places, refused

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
    _, model = load(str(places.model))
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
