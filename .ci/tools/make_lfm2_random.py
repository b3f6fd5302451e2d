"""Write an LFM2 checkpoint of random weights: `python tools/make_lfm2_random.py FOLDER`.

The sizes are those of LFM2-350M, so that speed and memory are too; what it says makes no sense.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import save_file
from torch import Tensor


@dataclass(frozen=True, slots=True)
class Shape:
    """Sizes of a model; the defaults are LFM2-350M's."""

    vocabulary: int = 65536
    hidden: int = 1024
    feed_forward: int = 4608
    layers: int = 16
    attention_layers: tuple[int, ...] = (2, 5, 8, 10, 12, 14)
    heads: int = 16
    key_heads: int = 8

    @property
    def head_size(self) -> int:
        return self.hidden // self.heads

    def config(self) -> dict[str, Any]:
        """What transformers' Lfm2Config takes for these sizes."""
        kinds = [
            "full_attention" if layer in self.attention_layers else "conv"
            for layer in range(self.layers)
        ]
        return {
            "vocab_size": self.vocabulary,
            "hidden_size": self.hidden,
            "intermediate_size": self.feed_forward,
            "block_auto_adjust_ff_dim": False,
            "num_hidden_layers": self.layers,
            "num_attention_heads": self.heads,
            "num_key_value_heads": self.key_heads,
            "layer_types": kinds,
            "conv_L_cache": 3,
            "norm_eps": 1e-5,
            "rope_parameters": {"rope_theta": 1_000_000.0, "rope_type": "default"},
            "tie_word_embeddings": True,
        }


def weights(shape: Shape, seed: int = 0) -> Iterator[tuple[str, Tensor]]:
    """Every weight by its published name, float32; norms are around 1, the rest around 0."""
    torch.manual_seed(seed)
    for name, sizes in _sizes(shape):
        if len(sizes) == 1:
            yield name, torch.rand(sizes) + 0.5
        else:
            yield name, torch.randn(sizes) * sizes[-1] ** -0.5


def _sizes(shape: Shape) -> Iterator[tuple[str, tuple[int, ...]]]:
    yield "model.embed_tokens.weight", (shape.vocabulary, shape.hidden)
    yield "model.embedding_norm.weight", (shape.hidden,)
    for layer in range(shape.layers):
        mixer = _attention if layer in shape.attention_layers else _convolution
        for name, sizes in (*_feed_forward(shape), *mixer(shape)):
            yield f"model.layers.{layer}.{name}.weight", sizes


def _feed_forward(shape: Shape) -> Iterator[tuple[str, tuple[int, ...]]]:
    yield "operator_norm", (shape.hidden,)
    yield "ffn_norm", (shape.hidden,)
    yield "feed_forward.w1", (shape.feed_forward, shape.hidden)
    yield "feed_forward.w3", (shape.feed_forward, shape.hidden)
    yield "feed_forward.w2", (shape.hidden, shape.feed_forward)


def _attention(shape: Shape) -> Iterator[tuple[str, tuple[int, ...]]]:
    for name, heads in (("q", shape.heads), ("k", shape.key_heads), ("v", shape.key_heads)):
        yield f"self_attn.{name}_proj", (heads * shape.head_size, shape.hidden)
    yield "self_attn.q_layernorm", (shape.head_size,)
    yield "self_attn.k_layernorm", (shape.head_size,)
    yield "self_attn.out_proj", (shape.hidden, shape.heads * shape.head_size)


def _convolution(shape: Shape) -> Iterator[tuple[str, tuple[int, ...]]]:
    yield "conv.in_proj", (3 * shape.hidden, shape.hidden)
    yield "conv.conv", (shape.hidden, 1, 3)
    yield "conv.out_proj", (shape.hidden, shape.hidden)


def write(folder: Path, shape: Shape | None = None, seed: int = 0) -> None:
    """Write `model.safetensors` and `config.json`."""
    shape = shape or Shape()
    folder.mkdir(parents=True, exist_ok=True)
    save_file(dict(weights(shape, seed)), folder / "model.safetensors")
    config = json.dumps({"model_type": "lfm2", **shape.config()}, indent=2)
    (folder / "config.json").write_text(config + "\n", encoding="utf-8")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: python tools/make_lfm2_random.py FOLDER")
    write(Path(sys.argv[1]))
