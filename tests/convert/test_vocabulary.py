"""Tokenizers made of GGUF files: llama.cpp, which reads the same files, is the reference."""

from __future__ import annotations

from pathlib import Path

import gguf
import pytest

from flint.convert.source import GgufModel
from flint.convert.vocabulary import tokenizer_config, tokenizer_of
from tests.runtime import bare_llama
from tests.runtime.tiny_gguf import BYTE_TOKENS, byte_level_tokens

TEXTS = [
    "",
    "Hello, world!",
    "  two  spaces   and three\n\n\nlines\r\n\t tabbed ",
    "I'll say it's 1234567.89, isn't it? WE'RE",
    "Straße, naïve café, 東京都に住む, Ελλάδα, 😀👩‍🚀",
    "def f(x):\n    return x ** 2  # squared\n",
    "<|im_start|>user\nHi<|im_end|>\n<|endoftext|>",
    "a<|im_end|> b <|unknown|>",
    "x" * 300 + " " * 40 + "9" * 50,
    "abc abcab ba cab\u00a0abc\u2003c",
]


def agree(path: str, special: bool) -> None:
    """The same ids as llama.cpp, and the texts again from them."""
    tokenizer = tokenizer_of(GgufModel(path))
    expected = bare_llama.words(path, TEXTS, special)
    for text, ids in zip(TEXTS, expected, strict=True):
        encoding = tokenizer.encode(text, add_special_tokens=special)
        assert encoding.ids == ids, text
        if "<|" not in text:  # a space may be put after special tokens
            own = ids[1:] if tokenizer.id_to_token(ids[0] if ids else 0) == "<s>" else ids
            assert tokenizer.decode(own, skip_special_tokens=False) == text


def test_of_the_real_model(smollm2: Path) -> None:
    agree(str(smollm2), special=True)


def vocabulary_file(path: Path, tokens: list[str], kind: str, pre: str = "") -> gguf.GGUFWriter:
    writer = gguf.GGUFWriter(path, "llama")
    writer.add_vocab_size(len(tokens))
    for add in (writer.add_context_length, writer.add_embedding_length, writer.add_block_count):
        add(1)
    writer.add_feed_forward_length(1)
    writer.add_head_count(1)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_tokenizer_model(kind)
    if pre:
        writer.add_tokenizer_pre(pre)
    writer.add_token_list(tokens)
    return writer


def closed(writer: gguf.GGUFWriter, path: Path) -> str:
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return str(path)


@pytest.mark.parametrize("pre", ["smollm", "llama-bpe", "lfm2", "gpt-2"])
def test_byte_level(pre: str, tmp_path: Path) -> None:
    """`caba` is a word that no merge leads to; only Llama 3's kind takes such words whole."""
    words = ["ab", "abc", "Ġa", "Ġab", "Ġabc", "ca", "caba", "12", "123", "ĊĊ", "ĠĠ"]
    tokens = [*byte_level_tokens(), "<|im_start|>", "<|im_end|>", *words]
    path = tmp_path / "m.gguf"
    writer = vocabulary_file(path, tokens, "gpt2", pre)
    control, normal = gguf.TokenType.CONTROL, gguf.TokenType.NORMAL
    writer.add_token_types([control if token[:2] == "<|" else normal for token in tokens])
    writer.add_token_merges(
        ["a b", "ab c", "Ġ a", "Ġa b", "Ġab c", "c a", "1 2", "12 3", "Ċ Ċ", "Ġ Ġ"]
    )
    writer.add_bos_token_id(256)
    writer.add_add_bos_token(True)
    agree(closed(writer, path), special=False)
    tokenizer = tokenizer_of(GgufModel(str(path)))
    assert tokenizer.encode("caba").tokens[1:] == (
        ["caba"] if pre in ("llama-bpe", "lfm2") else ["c", "ab", "a"]
    )
    assert tokenizer.encode("ab").ids == bare_llama.words(str(path), ["ab"], True)[0]


@pytest.mark.parametrize("prefix", [True, False])
def test_sentencepiece(prefix: bool, tmp_path: Path) -> None:
    """Scores decide which neighbours are joined first."""
    scored = {"ab": -3.0, "abc": -1.0, "bc": -2.0, "\u2581a": -4.0, "\u2581ab": -5.0, "ca": -2.5}
    single = ["\u2581", *"abcdefghijxé"]
    tokens = ["<unk>", "<s>", "</s>", *BYTE_TOKENS, *scored, *single, "<|im_end|>"]
    path = tmp_path / "m.gguf"
    writer = vocabulary_file(path, tokens, "llama")
    kinds = dict.fromkeys(BYTE_TOKENS, gguf.TokenType.BYTE)
    kinds |= {"<unk>": gguf.TokenType.UNKNOWN, "<s>": gguf.TokenType.CONTROL}
    kinds |= {"</s>": gguf.TokenType.CONTROL, "<|im_end|>": gguf.TokenType.USER_DEFINED}
    writer.add_token_types([kinds.get(token, gguf.TokenType.NORMAL) for token in tokens])
    writer.add_token_scores([scored.get(token, -20.0) for token in tokens])
    writer.add_bos_token_id(1)
    writer.add_eos_token_id(2)
    writer.add_unk_token_id(0)
    writer.add_add_space_prefix(prefix)
    agree(closed(writer, path), special=True)
    config = tokenizer_config(GgufModel(str(path)))
    assert config["bos_token"] == "<s>"
    assert config["unk_token"] == "<unk>"
    assert "chat_template" not in config
