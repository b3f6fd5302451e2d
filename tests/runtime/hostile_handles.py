"""Programs with handles that were freed, consumed, or are of another kind."""

from __future__ import annotations

from unittest import mock

from flint.runtime import llama
from flint.runtime.ggml_library import GgmlLibrary
from flint.runtime.llama.native import contexts, models
from tests.runtime.hostile import batch_of, context_of, greedy, load, places, refused


@refused("llama::model_free", "handle", r"model: no llama model with handle \d+ \(already freed\)")
def model_freed_twice() -> None:
    _, model = load(str(places.model))
    llama.model_free(model)
    llama.model_free(model)


@refused("llama::model_tokenize", "handle", "no llama model .*already freed")
def model_used_after_free() -> None:
    _, model = load(str(places.model))
    llama.model_free(model)
    llama.model_tokenize(model, "a", True)


@refused("llama::context_decode", "handle", "context: no llama context .*it is a llama model")
def model_where_a_context_is_needed() -> None:
    _, model = load(str(places.model))
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
    llama.model_load(backend, params, str(places.model))
    llama.model_load(backend, params, str(places.model))


@refused("llama::context_new", "handle", "params: .*consumed by context_new")
def context_params_used_twice() -> None:
    backend, model = load(str(places.model))
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
    _, model = load(str(places.model))
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
