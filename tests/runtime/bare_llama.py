"""llama.cpp driven by its C API alone, as the judge of what our functions must give."""

from __future__ import annotations

import ctypes
import json
import sys
from typing import Any

from llama_cpp import llama_cpp as c


@c.llama_log_callback  # type: ignore[untyped-decorator]
def _quiet(_level: int, _text: bytes, _data: object) -> None:
    pass


def start() -> None:
    """Make llama.cpp ready, and quiet."""
    c.llama_log_set(_quiet, ctypes.c_void_p(0))
    c.llama_backend_init()


def write_float32(path: str, target: str) -> None:
    """Write the model anew, with llama.cpp's own values of its quantised tensors."""
    start()
    params = c.llama_model_quantize_default_params()
    params.nthread, params.ftype, params.allow_requantize = 1, c.LLAMA_FTYPE_ALL_F32, True
    assert c.llama_model_quantize(path.encode(), target.encode(), ctypes.byref(params)) == 0


def words(path: str, texts: list[str], special: bool) -> list[list[int]]:
    """The ids of each text; `special` adds those that the model wants around one."""
    start()
    params = c.llama_model_default_params()
    params.vocab_only = True
    model = c.llama_model_load_from_file(path.encode(), params)
    vocab = c.llama_model_get_vocab(model)
    found = []
    for text in texts:
        data = text.encode()
        ids = (c.llama_token * (len(data) + 8))()
        count = c.llama_tokenize(vocab, data, len(data), ids, len(ids), special, True)
        found.append(list(ids[:count]))
    c.llama_model_free(model)
    return found


def greedy(
    path: str, system: str, user: str, limit: int, n_ctx: int, *, exact: bool = False
) -> dict[str, Any]:
    """Prompt, its tokens, and up to `limit` tokens by greedy choice on the CPU.

    With `exact` the cache is float32 and flash attention off: its sums are in float16.
    """
    start()
    model_params = c.llama_model_default_params()
    model_params.n_gpu_layers = 0
    model = c.llama_model_load_from_file(path.encode(), model_params)
    vocab = c.llama_model_get_vocab(model)

    chat = (c.llama_chat_message * 2)((b"system", system.encode()), (b"user", user.encode()))
    buffer = ctypes.create_string_buffer(10_000)
    template = c.llama_model_chat_template(model, None)
    size = c.llama_chat_apply_template(template, chat, 2, True, buffer, len(buffer))
    prompt = buffer.raw[:size]
    ids = (c.llama_token * 10_000)()
    count = c.llama_tokenize(vocab, prompt, len(prompt), ids, len(ids), True, True)

    params = c.llama_context_default_params()
    params.n_ctx = params.n_batch = n_ctx
    params.n_threads = params.n_threads_batch = 2
    if exact:
        params.n_threads = params.n_threads_batch = 1
        params.type_k = params.type_v = c.GGML_TYPE_F32
        params.flash_attn_type = c.LLAMA_FLASH_ATTN_TYPE_DISABLED
    context = c.llama_init_from_model(model, params)
    sampler = c.llama_sampler_init_greedy()
    assert c.llama_decode(context, c.llama_batch_get_one(ids, count)) == 0
    generated: list[int] = []
    while len(generated) < limit:
        token = c.llama_sampler_sample(sampler, context, -1)
        if c.llama_vocab_is_eog(vocab, token):
            break
        generated.append(token)
        one = (c.llama_token * 1)(token)
        assert c.llama_decode(context, c.llama_batch_get_one(one, 1)) == 0
    return {"prompt": prompt.decode(), "ids": list(ids[:count]), "generated": generated}


if __name__ == "__main__":
    path, system, user, limit, n_ctx = sys.argv[1:]
    print(json.dumps(greedy(path, system, user, int(limit), int(n_ctx))))
