"""Models of ggml's architecture `llama`, as transformers' `LlamaForCausalLM` has them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from flint.convert.layout import EMBEDDING, HEAD, Layout, Sizes, Weights, common_config
from flint.convert.rope import interleaved_row, llama_rope_scaling
from flint.convert.source import GgufModel
from flint.report import UserError

_ROPE_FACTORS = "rope_freqs.weight"


@dataclass(frozen=True, slots=True)
class _Heads:
    queries: int
    keys: int
    size: int


def layout(model: GgufModel) -> Layout:
    """Configuration and weights; `UserError` if the file has something else."""
    sizes = Sizes.of(model)
    heads = _heads(model, sizes)
    theta = model.number("rope.freq_base", 10000.0)
    factors = model.tensors.get(_ROPE_FACTORS)
    weights = Weights(model, sizes.layers)
    config = {
        "architectures": ["LlamaForCausalLM"],
        "model_type": "llama",
        **common_config(model, sizes),
        "tie_word_embeddings": not weights.has(HEAD),
        "num_key_value_heads": heads.keys,
        "head_dim": heads.size,
        "hidden_act": "silu",
        "attention_bias": False,
        "mlp_bias": False,
        "rms_norm_eps": model.number("attention.layer_norm_rms_epsilon"),
        "rope_theta": theta,
        "rope_scaling": llama_rope_scaling(model, factors, heads.size, theta),
    }
    weights.drop(_ROPE_FACTORS)
    _add_weights(weights, sizes, heads, config)
    return Layout(config, weights.finished())


def _heads(model: GgufModel, sizes: Sizes) -> _Heads:
    keys = model.whole("attention.head_count_kv", sizes.heads)
    size = model.whole("attention.key_length", sizes.hidden // sizes.heads)
    rotated = model.whole("rope.dimension_count", size)
    if rotated != size or size % 2:
        raise UserError(f"{model.path}: of heads with {size} columns {rotated} are rotated")
    return _Heads(sizes.heads, keys, size)


def _add_weights(weights: Weights, sizes: Sizes, heads: _Heads, config: dict[str, Any]) -> None:
    weights.add(EMBEDDING, sizes.vocabulary, sizes.hidden)
    for layer in range(sizes.layers):
        path = f"model.layers.{layer}."
        weights.add(f"{path}input_layernorm.weight", sizes.hidden)
        _add_attention(weights, f"{path}self_attn.", sizes.hidden, heads)
        weights.add(f"{path}post_attention_layernorm.weight", sizes.hidden)
        weights.add(f"{path}mlp.gate_proj.weight", sizes.inner, sizes.hidden)
        weights.add(f"{path}mlp.up_proj.weight", sizes.inner, sizes.hidden)
        weights.add(f"{path}mlp.down_proj.weight", sizes.hidden, sizes.inner)
    weights.add("model.norm.weight", sizes.hidden)
    if not config["tie_word_embeddings"]:
        weights.add(HEAD, sizes.vocabulary, sizes.hidden)


def _add_attention(weights: Weights, path: str, hidden: int, heads: _Heads) -> None:
    order = interleaved_row(heads.size)
    weights.add(f"{path}q_proj.weight", heads.queries * heads.size, hidden, order=order)
    weights.add(f"{path}k_proj.weight", heads.keys * heads.size, hidden, order=order)
    weights.add(f"{path}v_proj.weight", heads.keys * heads.size, hidden)
    weights.add(f"{path}o_proj.weight", hidden, heads.queries * heads.size)
