"""Programs with texts and tokens that a vocabulary does not have, and with folders without ggml."""

from __future__ import annotations

from typing import Any

from flint.runtime import ggml, llama, program
from tests.runtime.hostile import load, places, refused
from tests.runtime.tiny_gguf import write_model

# ---- text ---------------------------------------------------------------------------------------


@refused("llama::model_tokenize", "text", "text contains a NUL character at index 1")
def nul_in_a_text() -> None:
    _, model = load(str(places.model))
    llama.model_tokenize(model, "a\0b", True)


@refused("llama::model_tokenize", "text", "text is not valid Unicode at index 2")
def half_a_character() -> None:
    _, model = load(str(places.model))
    llama.model_tokenize(model, "ab\ud800", True)


@refused("llama::chat_messages_add", "text", "content contains a NUL")
def nul_in_a_message() -> None:
    llama.chat_messages_add(llama.chat_messages_init(), "user", "\0")


@refused("llama::chat_template", "absent", "model has no such chat template: chatml")
def unknown_template() -> None:
    _, model = load(str(places.model))
    llama.chat_template(model, "chatml")


@refused("llama::chat_template", "text", "name contains a NUL")
def nul_in_a_template_name() -> None:
    _, model = load(str(places.model))
    llama.chat_template(model, "\0")


@refused("llama::model_tokenize", "no tokenizer", "the model has no tokenizer")
def text_for_a_model_of_numbers() -> None:
    _, model = load(write_model(places.scratch / "numbers.gguf", tokenizer=False))
    llama.model_tokenize(model, "a", True)


@refused("llama::model_tokenize", "no spelling", "the vocabulary has no tokens for 'ü'")
def text_that_cannot_be_spelled() -> None:
    words = ["<unk>", "<s>", "</s>", "\u2581", *"abc"]
    _, model = load(write_model(places.scratch / "letters.gguf", words))
    llama.model_tokenize(model, "abü", True)


@refused("llama::model_tokenize", "special token", "a special token that it does not have")
def text_with_a_missing_special_token() -> None:
    def ask(writer: Any) -> None:
        writer.add_bool("tokenizer.ggml.add_sep_token", True)

    _, model = load(write_model(places.scratch / "special.gguf", change=ask))
    llama.model_tokenize(model, "a", True)


@refused("llama::apply_chat_template", "not applicable", r"template not applicable \(-1\)")
def template_of_an_unknown_kind() -> None:
    path = places.scratch / "template.gguf"
    _, model = load(write_model(path, change=lambda writer: writer.add_chat_template("{{ x }}")))
    messages = llama.chat_messages_init()
    llama.chat_messages_add(messages, "user", "a")
    llama.apply_chat_template(model, llama.chat_template(model, ""), messages, True)


@refused("llama::tokens_get", "beyond", "no token 1; the list has 1")
def token_beyond_the_list() -> None:
    _, model = load(str(places.model))
    llama.tokens_get(llama.model_tokenize(model, "a", False), 1)


@refused("llama::tokens_get", "negative", "negative token index -1")
def negative_token_index() -> None:
    _, model = load(str(places.model))
    llama.tokens_get(llama.model_tokenize(model, "a", False), -1)


@refused("llama::decoder_push", "no text", "unknown token type")
def control_token_as_text() -> None:
    _, model = load(str(places.model))
    llama.decoder_push(llama.decoder_init(), model, 2, False)


@refused("llama::decoder_push", "unknown token", "token 49152 is not in the vocabulary")
def text_of_a_token_outside_the_vocabulary() -> None:
    _, model = load(str(places.model))
    llama.decoder_push(llama.decoder_init(), model, 49152, True)


@refused("llama::decoder_push", "unknown token", "token -2 is not in the vocabulary")
def text_of_a_negative_token() -> None:
    _, model = load(str(places.model))
    llama.decoder_push(llama.decoder_init(), model, -2, True)


@refused("llama::decoder_push", "no tokenizer", "the model has no tokenizer")
def text_of_a_token_of_a_model_of_numbers() -> None:
    _, model = load(write_model(places.scratch / "numbers.gguf", tokenizer=False))
    llama.decoder_push(llama.decoder_init(), model, 1, False)


@refused("llama::model_is_eog", "too large", "token 2147483648 exceeds int32")
def end_token_beyond_int32() -> None:
    llama.model_is_eog(load(str(places.model))[1], 2**31)


@refused("llama::model_is_eog", "too small", "token -2147483649 is below int32")
def end_token_below_int32() -> None:
    llama.model_is_eog(load(str(places.model))[1], -(2**31) - 1)


# ---- ggml and arguments -------------------------------------------------------------------------


@refused("ggml::list_devices", "missing", "listing ggml devices failed: .*No such file")
def devices_of_a_missing_folder() -> None:
    ggml.list_devices(str(places.scratch / "missing"))


@refused(
    "ggml::load_backends",
    "no library",
    "loading ggml backends failed: no ggml library at .*libggml",
)
def devices_of_a_folder_without_library() -> None:
    ggml.load_backends(str(places.scratch))


@refused("ggml::list_devices", "broken", "the library cannot be opened")
def devices_of_a_broken_library() -> None:
    folder = places.scratch / "broken"
    folder.mkdir(exist_ok=True)
    (folder / "libggml.so").write_bytes(b"no library")
    ggml.list_devices(str(folder))


@refused("ggml::load_backends", "broken", "loading ggml backends failed: the library cannot be op")
def backends_of_a_broken_library() -> None:
    folder = places.scratch / "torn"
    folder.mkdir(exist_ok=True)
    (folder / "libggml.so").write_bytes(b"\x7fELF")
    ggml.load_backends(str(folder))


@refused("ggml::list_devices", "text", "null byte")
def nul_in_a_folder() -> None:
    ggml.list_devices("a\0b")


@refused("runtime::arg", "too few", "no script argument 0; 0 given")
def missing_argument() -> None:
    program.arg(0)
