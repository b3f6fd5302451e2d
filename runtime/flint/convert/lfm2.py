"""Models of ggml's architecture `lfm2`, as transformers' `Lfm2ForCausalLM` has them."""

from __future__ import annotations

from flint.convert.layout import EMBEDDING, HEAD, Layout, Sizes, Weights, common_config
from flint.convert.source import GgufModel


def layout(model: GgufModel) -> Layout:
    """Configuration and weights; `UserError` if the file has something else."""
    sizes = Sizes.of(model)
    taps = model.whole("shortconv.l_cache")
    # how many key heads a layer has; 0 is a convolution
    key_heads = model.sizes("attention.head_count_kv", sizes.layers)
    theta = model.number("rope.freq_base", 1_000_000.0)
    weights = Weights(model, sizes.layers)
    config = {
        "architectures": ["Lfm2ForCausalLM"],
        "model_type": "lfm2",
        **common_config(model, sizes),
        "tie_word_embeddings": not weights.has(HEAD),
        "num_key_value_heads": max(key_heads, default=0),
        "block_auto_adjust_ff_dim": False,
        "conv_L_cache": taps,
        "conv_bias": False,
        "layer_types": ["full_attention" if count else "conv" for count in key_heads],
        "norm_eps": model.number("attention.layer_norm_rms_epsilon"),
        "rope_theta": theta,
        "rope_parameters": {"rope_type": "default", "rope_theta": theta},
    }
    weights.add(EMBEDDING, sizes.vocabulary, sizes.hidden)
    for layer, count in enumerate(key_heads):
        _add_layer(weights, f"model.layers.{layer}.", sizes, count, taps)
    weights.add("model.embedding_norm.weight", sizes.hidden)
    if not config["tie_word_embeddings"]:
        weights.add(HEAD, sizes.vocabulary, sizes.hidden)
    return Layout(config, weights.finished())


def _add_layer(weights: Weights, path: str, sizes: Sizes, key_heads: int, taps: int) -> None:
    hidden, inner = sizes.hidden, sizes.inner
    weights.add(f"{path}operator_norm.weight", hidden)
    if key_heads:
        _add_attention(weights, f"{path}self_attn.", sizes, key_heads)
    else:
        weights.add(f"{path}conv.in_proj.weight", 3 * hidden, hidden)
        weights.add(f"{path}conv.conv.weight", hidden, 1, taps, flat=True)
        weights.add(f"{path}conv.out_proj.weight", hidden, hidden)
    weights.add(f"{path}ffn_norm.weight", hidden)
    weights.add(f"{path}feed_forward.w1.weight", inner, hidden)
    weights.add(f"{path}feed_forward.w3.weight", inner, hidden)
    weights.add(f"{path}feed_forward.w2.weight", hidden, inner)


def _add_attention(weights: Weights, path: str, sizes: Sizes, key_heads: int) -> None:
    hidden, head_size = sizes.hidden, sizes.hidden // sizes.heads
    weights.add(f"{path}q_proj.weight", sizes.heads * head_size, hidden)
    weights.add(f"{path}k_proj.weight", key_heads * head_size, hidden)
    weights.add(f"{path}v_proj.weight", key_heads * head_size, hidden)
    weights.add(f"{path}out_proj.weight", hidden, sizes.heads * head_size)
    weights.add(f"{path}q_layernorm.weight", head_size)
    weights.add(f"{path}k_layernorm.weight", head_size)
