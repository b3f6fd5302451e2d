"""Small random llama models as GGUF files, written by ggml's own Python package."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import gguf
import numpy as np

WIDTH, FEED_FORWARD, HEADS, KEY_VALUE_HEADS = 32, 64, 4, 2
BYTE_TOKENS = [f"<0x{byte:02X}>" for byte in range(256)]
SENTENCEPIECE = ["<unk>", "<s>", "</s>", *BYTE_TOKENS, "\u2581", *"abcdefghij"]


def byte_level_tokens() -> list[str]:
    """GPT-2's spelling of the 256 bytes, then an end-of-text token."""
    printable = [*range(33, 127), *range(161, 173), *range(174, 256)]
    others = (chr(256 + number) for number in range(256 - len(printable)))
    spelled = [chr(byte) if byte in printable else next(others) for byte in range(256)]
    return [*spelled, "<|endoftext|>"]


def write_model(
    path: Path,
    tokens: Sequence[str] = SENTENCEPIECE,
    *,
    byte_level: str | None = None,
    tokenizer: bool = True,
    layers: int = 1,
    stated_layers: int | None = None,
    epsilon: float = 1e-5,
    change: Callable[[gguf.GGUFWriter], object] = lambda writer: None,
) -> str:
    """Write a model; `byte_level` names a pre-tokenizer of byte-level BPE. The path as text.

    `change` adds values of the header.
    """
    writer = gguf.GGUFWriter(path, "llama")
    writer.add_context_length(128)
    writer.add_embedding_length(WIDTH)
    writer.add_block_count(layers if stated_layers is None else stated_layers)
    writer.add_feed_forward_length(FEED_FORWARD)
    writer.add_head_count(HEADS)
    writer.add_head_count_kv(KEY_VALUE_HEADS)
    writer.add_layer_norm_rms_eps(epsilon)
    writer.add_rope_dimension_count(WIDTH // HEADS)
    writer.add_vocab_size(len(tokens))
    if not tokenizer:
        writer.add_tokenizer_model("no_vocab")
    elif byte_level:
        _add_byte_level(writer, tokens, byte_level)
    else:
        _add_sentencepiece(writer, tokens)
    change(writer)
    _add_tensors(writer, len(tokens), layers)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return str(path)


def _add_sentencepiece(writer: gguf.GGUFWriter, tokens: Sequence[str]) -> None:
    kinds = [
        gguf.TokenType.BYTE if token in BYTE_TOKENS else gguf.TokenType.NORMAL for token in tokens
    ]
    kinds[:3] = [gguf.TokenType.UNKNOWN, gguf.TokenType.CONTROL, gguf.TokenType.CONTROL]
    writer.add_tokenizer_model("llama")
    writer.add_token_list(tokens)
    writer.add_token_scores([0.0] * len(tokens))
    writer.add_token_types(kinds)
    writer.add_unk_token_id(0)
    writer.add_bos_token_id(1)
    writer.add_eos_token_id(2)


def _add_byte_level(writer: gguf.GGUFWriter, tokens: Sequence[str], pre: str) -> None:
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre(pre)
    writer.add_token_list(tokens)
    writer.add_token_types([gguf.TokenType.NORMAL] * (len(tokens) - 1) + [gguf.TokenType.CONTROL])
    writer.add_token_merges(["a b", "b c"])
    writer.add_bos_token_id(len(tokens) - 1)
    writer.add_eos_token_id(len(tokens) - 1)


def _add_tensors(writer: gguf.GGUFWriter, vocabulary: int, layers: int) -> None:
    key_value = WIDTH // HEADS * KEY_VALUE_HEADS
    shapes: dict[str, tuple[int, ...]] = {
        "token_embd": (vocabulary, WIDTH),
        "output_norm": (WIDTH,),
        "output": (vocabulary, WIDTH),
    }
    for layer in range(layers):
        block = f"blk.{layer}."
        shapes |= {
            block + "attn_norm": (WIDTH,),
            block + "attn_q": (WIDTH, WIDTH),
            block + "attn_k": (key_value, WIDTH),
            block + "attn_v": (key_value, WIDTH),
            block + "attn_output": (WIDTH, WIDTH),
            block + "ffn_norm": (WIDTH,),
            block + "ffn_gate": (FEED_FORWARD, WIDTH),
            block + "ffn_up": (FEED_FORWARD, WIDTH),
            block + "ffn_down": (WIDTH, FEED_FORWARD),
        }
    random = np.random.default_rng(0)
    for name, shape in shapes.items():
        writer.add_tensor(f"{name}.weight", random.standard_normal(shape).astype(np.float32))
