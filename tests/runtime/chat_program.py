"""A hand-written program in the form that flintc emits; prints the tokens that it generates.

Run as a script with MODEL SYSTEM USER MAX_TOKENS N_CTX.
"""

from __future__ import annotations

from flint.runtime import llama, program


def main() -> None:
    n_ctx = program.arg_int(4)
    backend = llama.backend_init("cpu")
    model = llama.model_load(backend, llama.model_params_init(backend), program.arg(0))
    template = llama.chat_template(model, "")
    messages = llama.chat_messages_init()
    llama.chat_messages_add(messages, "system", program.arg(1))
    llama.chat_messages_add(messages, "user", program.arg(2))
    prompt = llama.apply_chat_template(model, template, messages, True)
    tokens = llama.model_tokenize(model, prompt, True)
    params = llama.context_params_init(backend)
    llama.context_params_set_sizes(params, n_ctx, n_ctx, 512)
    llama.context_params_set_threads(params, 8, 8)
    context = llama.context_new(model, backend, params)
    batch = llama.batch_init(n_ctx, 1)
    llama.batch_add_sequence(batch, tokens, 0, False)
    llama.context_decode(context, batch)
    sampler = llama.sampler_chain_init(False)
    llama.sampler_add_temp(sampler, 0.0)
    llama.sampler_add_dist(sampler, 1)
    llama.sampler_chain_build(sampler)
    decoder = llama.decoder_init()
    text = ""
    position = llama.tokens_len(tokens)
    program.start_decode_timer()
    count = 0
    while count < program.arg_int(3):
        token = llama.sampler_sample(sampler, context, -1)
        if llama.model_is_eog(model, token):
            break
        print(token)
        text += llama.decoder_push(decoder, model, token, False)
        llama.batch_clear(batch)
        llama.batch_add(batch, token, position, 0, True)
        llama.context_decode(context, batch)
        position += 1
        count += 1
    program.set_decode_token_count(count)
    program.set_text_output(text)


if __name__ == "__main__":
    raise SystemExit(program.run_main(main))
