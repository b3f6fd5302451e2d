"""Models of transformers as GGUF files, by ggml's own Python package and conversion formulas."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import gguf
import numpy as np
from numpy.typing import NDArray
from transformers import Lfm2ForCausalLM, LlamaForCausalLM, PreTrainedModel

from tests.runtime.tiny_gguf import byte_level_tokens

Array = NDArray[Any]
Kind = gguf.GGMLQuantizationType
Kinds = Callable[[str, Array], Any]
TEMPLATE = "{{ messages[0]['content'] }}"


def float32(_name: str, _weight: Array) -> Any:
    """Every tensor as it is."""
    return Kind.F32


def matrices_as(kind: Any) -> Kinds:
    """Matrices in a smaller type, the rest in float32, as published files are."""

    def chosen(name: str, weight: Array) -> Any:
        return kind if weight.ndim == 2 and "shortconv.conv" not in name else Kind.F32

    return chosen


def write_llama(
    path: Path,
    model: LlamaForCausalLM,
    kinds: Kinds = float32,
    *,
    more: Mapping[str, Array] | None = None,
    rope: Callable[[Any], None] = lambda writer: None,
    pre: str = "llama-bpe",
) -> str:
    """Write a Llama model; `more` are further tensors, `rope` writes what scales positions."""
    config = model.config
    writer = _writer(path, "llama", model, pre)
    writer.add_feed_forward_length(config.intermediate_size)
    writer.add_head_count_kv(config.num_key_value_heads)
    writer.add_key_length(config.head_dim)
    writer.add_rope_dimension_count(config.head_dim)
    writer.add_layer_norm_rms_eps(config.rms_norm_eps)
    rope(writer)
    heads = {"q_proj": config.num_attention_heads, "k_proj": config.num_key_value_heads}
    tensors = {
        name: _turned(weight, next((n for part, n in heads.items() if part in name), None))
        for name, weight in _weights(model).items()
    }
    return _finished(writer, path, gguf.MODEL_ARCH.LLAMA, model, tensors, kinds, more or {})


def write_lfm2(path: Path, model: Lfm2ForCausalLM, kinds: Kinds = float32) -> str:
    """Write an LFM2 model."""
    config = model.config
    writer = _writer(path, "lfm2", model, "lfm2")
    writer.add_feed_forward_length(config.intermediate_size)
    writer.add_head_count_kv(
        [config.num_key_value_heads if kind != "conv" else 0 for kind in config.layer_types]
    )
    writer.add_layer_norm_rms_eps(config.norm_eps)
    writer.add_shortconv_l_cache(config.conv_L_cache)
    tensors = {
        name: weight.squeeze(1) if "conv.conv" in name else weight
        for name, weight in _weights(model).items()
    }
    return _finished(writer, path, gguf.MODEL_ARCH.LFM2, model, tensors, kinds, {})


def vocabulary(size: int) -> list[str]:
    """Byte-level tokens, three that end something, three words, then others up to `size`."""
    tokens = [*byte_level_tokens(), "<|end|>", "<|turn|>", "ab", "bc", "abc"]
    return [*tokens, *(f"<|{number}|>" for number in range(size - len(tokens)))]


def _writer(path: Path, name: str, model: PreTrainedModel, pre: str) -> Any:
    config: Any = model.config
    writer = gguf.GGUFWriter(path, name)
    writer.add_block_count(config.num_hidden_layers)
    writer.add_context_length(config.max_position_embeddings)
    writer.add_embedding_length(config.hidden_size)
    writer.add_head_count(config.num_attention_heads)
    writer.add_rope_freq_base(config.rope_parameters["rope_theta"])
    writer.add_vocab_size(config.vocab_size)
    tokens = vocabulary(config.vocab_size)
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre(pre)
    writer.add_token_list(tokens)
    ordinary, control = gguf.TokenType.NORMAL, gguf.TokenType.CONTROL
    writer.add_token_types([control if token[:2] == "<|" else ordinary for token in tokens])
    writer.add_token_merges(["a b", "b c", "ab c"])
    writer.add_bos_token_id(256)
    writer.add_eos_token_id(257)
    writer.add_eot_token_id(258)
    writer.add_chat_template(TEMPLATE)
    return writer


def _weights(model: PreTrainedModel) -> dict[str, Array]:
    tied = ["lm_head.weight"] if model.config.tie_word_embeddings else []
    return {
        name: np.ascontiguousarray(weight.float().numpy())
        for name, weight in model.state_dict().items()
        if name not in tied
    }


def _turned(weight: Array, heads: int | None) -> Array:
    """Queries and keys in ggml's order: `LlamaModel.permute` of llama.cpp's conversion."""
    if heads is None:
        return weight
    halves = weight.reshape(heads, 2, weight.shape[0] // heads // 2, *weight.shape[1:])
    return halves.swapaxes(1, 2).reshape(weight.shape)


def _finished(
    writer: Any,
    path: Path,
    architecture: Any,
    model: PreTrainedModel,
    tensors: Mapping[str, Array],
    kinds: Kinds,
    more: Mapping[str, Array],
) -> str:
    names = gguf.get_tensor_name_map(architecture, model.config.num_hidden_layers)
    named = {
        names.get_name(name, try_suffixes=(".weight",)): each for name, each in tensors.items()
    }
    for name, weight in {**named, **more}.items():
        kind = kinds(name, weight)
        writer.add_tensor(name, gguf.quantize(np.ascontiguousarray(weight), kind), raw_dtype=kind)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return str(path)


def llama_factors(sizes: Sequence[float]) -> Array:
    """The divisors of frequencies, as the tensor `rope_freqs.weight` holds them."""
    return np.array(sizes, dtype=np.float32)
