"""GGUF files: headers, damage that would end the process, vocabularies that cannot spell a text.

llama.cpp asserts on some of these files, so whatever loads one does it in a fresh interpreter.
"""

from __future__ import annotations

import contextlib
import struct
import time
from pathlib import Path

import gguf
import pytest
from hypothesis import given
from hypothesis import strategies as st

from flint.runtime.gguf_file import DamagedFile
from flint.runtime.llama.gguf import read_header
from flint.runtime.llama.spelling import Spelling
from tests.runtime.support import python
from tests.runtime.tiny_gguf import SENTENCEPIECE, byte_level_tokens, write_model

GENERATE = """
import sys
from flint.runtime import llama, program
def main():
    backend = llama.backend_init("cpu")
    model = llama.model_load(backend, llama.model_params_init(backend), program.arg(0))
    text = program.arg(1) * program.arg_int_or(2, 1)
    tokens = llama.model_tokenize(model, text, False)
    params = llama.context_params_init(backend)
    context = llama.context_new(model, backend, params)
    batch = llama.batch_init(2**31 - 1, 1)
    llama.batch_add_sequence(batch, tokens, 0, False)
    if llama.tokens_len(tokens) < 512:
        llama.context_decode(context, batch)
    decoder = llama.decoder_init()
    ids = [llama.tokens_get(tokens, i) for i in range(llama.tokens_len(tokens))]
    pieces = [llama.decoder_push(decoder, model, token, True) for token in ids]
    assert "".join(pieces).strip() == text.strip()
    program.set_text_output(str(len(ids)))
raise SystemExit(program.run_main(main))
"""


def generate(model: str, *arguments: str) -> tuple[int, str, str]:
    result = python("-c", GENERATE, model, *arguments)
    return result.returncode, result.stdout, result.stderr


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("gguf") / "small.gguf"
    write_model(path)
    return path


def test_header_as_ggmls_own_reader_sees_it(small: Path) -> None:
    reader = gguf.GGUFReader(small)
    expected = reader.get_field("tokenizer.ggml.tokens")
    assert expected is not None
    header = read_header(str(small))
    assert header.tokens == [bytes(expected.parts[index]) for index in expected.data]
    assert header.texts[b"general.architecture"] == b"llama"
    assert header.scalars[b"llama.block_count"] == 1
    assert header.scalars[b"llama.context_length"] == 128


def test_reading_the_header_is_quick(smollm2: Path) -> None:
    start = time.process_time()
    read_header(str(smollm2))
    assert time.process_time() - start < 1


def test_small_model_runs(small: Path) -> None:
    # A blank is put in front; the two bytes of `ü` are a token each.
    assert generate(str(small), "abcü") == (0, "6\n", "")


@pytest.mark.parametrize("size", [0, 3, 23, 24, 30, 200, 3000, 5000])
def test_cut_short(small: Path, tmp_path: Path, size: int) -> None:
    cut = tmp_path / "cut.gguf"
    cut.write_bytes(small.read_bytes()[:size])
    with pytest.raises(DamagedFile, match=f"{cut}: (no GGUF file|cut short)"):
        read_header(str(cut))


def header_bytes(*values: bytes, tensors: bytes = b"", tensor_count: int = 0) -> bytes:
    counts = struct.pack("<4sIQQ", b"GGUF", 3, tensor_count, len(values))
    return counts + b"".join(values) + tensors


def string(text: bytes) -> bytes:
    return struct.pack("<Q", len(text)) + text


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"GGML" + bytes(100), "no GGUF file"),
        (struct.pack("<4sIQQ", b"GGUF", 1, 0, 0), "version 1 is not supported"),
        (struct.pack(">4sIQQ", b"GGUF", 3, 0, 0), "version 50331648 is not supported"),
        (header_bytes(string(b"k") + struct.pack("<I", 99)), "no value type 99"),
        (header_bytes(string(b"k") + struct.pack("<IIQ", 9, 9, 1)), "no array of value type 9"),
        (header_bytes(string(b"k") + struct.pack("<IIQ", 9, 4, 2**60)), "beyond the end"),
        (header_bytes(string(b"k") + struct.pack("<IIQ", 9, 8, 2**60)), "does not end"),
        (header_bytes(string(b"k") + struct.pack("<IQ", 8, 2**64 - 1)), "beyond the end"),
        (header_bytes(struct.pack("<Q", 2**63)), "beyond the end"),
        (
            header_bytes(tensors=string(b"t") + struct.pack("<I", 5), tensor_count=1),
            "5 dimensions",
        ),
        (
            header_bytes(
                tensors=string(b"t") + struct.pack("<IQIQ", 1, 1, 0, 10**9), tensor_count=1
            ),
            "cut short, the tensors need more",
        ),
        (header_bytes(string(b"x.epsilon") + struct.pack("<If", 6, -1.0)), "epsilon is -1.0"),
        (header_bytes(string(b"x.epsilon") + struct.pack("<If", 6, float("nan"))), "is nan"),
    ],
)
def test_damaged_headers(tmp_path: Path, data: bytes, why: str) -> None:
    path = tmp_path / "damaged.gguf"
    path.write_bytes(data)
    with pytest.raises(DamagedFile, match=why):
        read_header(str(path))


@given(st.binary(max_size=300))
def test_random_bytes_after_the_magic(
    tmp_path_factory: pytest.TempPathFactory, data: bytes
) -> None:
    path = tmp_path_factory.getbasetemp() / "random.gguf"
    path.write_bytes(b"GGUF\x03\x00\x00\x00" + data)
    # Any other exception fails the test.
    with contextlib.suppress(DamagedFile):
        assert read_header(str(path)).tokens == []


@pytest.mark.parametrize("layers", [0, 513, 2**32 - 1])
def test_absurd_layer_counts(tmp_path: Path, layers: int) -> None:
    path = write_model(tmp_path / "layers.gguf", stated_layers=layers)
    code, _, err = generate(path, "a")
    assert (code, err.count("\n")) == (1, 1)
    assert f"damaged, the model has {layers} layers" in err


def test_token_twice(tmp_path: Path) -> None:
    path = write_model(tmp_path / "twice.gguf", [*SENTENCEPIECE, "a"])
    code, _, err = generate(path, "a")
    assert (code, err.count("\n")) == (1, 1)
    assert "a token occurs twice" in err


def test_tokens_that_a_nul_makes_equal(tmp_path: Path) -> None:
    path = write_model(tmp_path / "nul.gguf", [*SENTENCEPIECE, "ab\0x", "ab\0y"])
    assert "a token occurs twice" in generate(path, "a")[2]


def test_several_empty_tokens_are_allowed(tmp_path: Path) -> None:
    path = write_model(tmp_path / "empty.gguf", [*SENTENCEPIECE, "", ""])
    assert generate(path, "abc")[0] == 0


def test_vocabulary_that_cannot_spell_a_text(tmp_path: Path) -> None:
    # Without the byte tokens a character is known or not; llama.cpp would abort on `ü`.
    tokens = ["<unk>", "<s>", "</s>", "▁", *"abcdefghij", "é"]
    path = write_model(tmp_path / "spelling.gguf", tokens)
    assert generate(path, "abé ba")[0] == 0
    code, _, err = generate(path, "abü")
    assert (code, err.count("\n")) == (1, 1)
    assert (
        "flint::llama::model_tokenize: llama library: the vocabulary has no tokens for 'ü'" in err
    )


def test_spelling_by_bytes() -> None:
    complete = Spelling({b"<0x%02X>" % byte for byte in range(256)})
    assert complete.unspellable("ü 😀") is None
    ascii_only = Spelling({bytes([byte]) for byte in range(128)} | {"▁".encode()})
    assert ascii_only.unspellable("a b") is None
    assert ascii_only.unspellable("zü") == "ü"


def test_model_without_a_tokenizer(tmp_path: Path) -> None:
    path = write_model(tmp_path / "none.gguf", tokenizer=False)
    code, _, err = generate(path, "a")
    assert (code, err.count("\n")) == (1, 1)
    assert "the model has no tokenizer" in err


@pytest.mark.parametrize("character", ["!", "a"])
def test_long_texts_do_not_overflow_the_stack(tmp_path: Path, character: str) -> None:
    # The regular expressions of this pre-tokenizer recurse once a character.
    path = write_model(tmp_path / "deep.gguf", byte_level_tokens(), byte_level="deepseek-llm")
    code, out, err = generate(path, character, "100000")
    assert (code, err) == (0, "")
    assert int(out) == 100_000
