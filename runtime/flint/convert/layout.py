"""What a converted model consists of: its configuration, and its weights with their sources.

Names and shapes are those of transformers' `LlamaForCausalLM` and `Lfm2ForCausalLM`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from flint.convert.rope import interleaved_row, llama_rope_scaling
from flint.convert.source import GgufModel, GgufTensor, gguf_package
from flint.report import UserError

_EMBEDDING = "model.embed_tokens.weight"
_HEAD = "lm_head.weight"
_ROPE_FACTORS = "rope_freqs.weight"
_END_IDS = ("eos", "eot", "eom")


@dataclass(frozen=True, slots=True)
class Weight:
    """A weight: name and shape in the result, the source and the order of the source's rows."""

    name: str
    shape: tuple[int, ...]
    source: GgufTensor
    order: Callable[[int], int] | None = None


@dataclass(frozen=True, slots=True)
class Layout:
    """`config.json` without the weights' dtype, and the weights."""

    config: dict[str, Any]
    weights: list[Weight]


def layout_of(model: GgufModel) -> Layout:
    """The layout of a model; `UserError` for architectures and variants that are not known."""
    make = _LAYOUTS.get(model.architecture)
    if make is None:
        known = " and ".join(_LAYOUTS)
        raise UserError(
            f"{model.path}: a model of the architecture {model.architecture!r}; "
            f"flint convert knows {known}"
        )
    return make(model)


def end_token_ids(model: GgufModel) -> list[int]:
    """The ids that end a text, without repetition."""
    found = (model.token_id(name) for name in _END_IDS)
    return list(dict.fromkeys(each for each in found if each is not None))


class _Weights:
    """Collects weights by their names in the result, and checks them against the file."""

    def __init__(self, model: GgufModel, layers: int) -> None:
        package = gguf_package()
        kinds = {name: kind for kind, name in package.MODEL_ARCH_NAMES.items()}
        self._names = package.get_tensor_name_map(kinds[model.architecture], layers)
        self._model = model
        self._left = dict(model.tensors)
        self.found: list[Weight] = []

    def has(self, name: str) -> bool:
        """Whether the file has the weight of that name in the result."""
        return self._source_name(name) in self._model.tensors

    def add(
        self, name: str, *shape: int, order: Callable[[int], int] | None = None, flat: bool = False
    ) -> None:
        """Take a weight; `flat` if the source lacks the dimensions of size 1."""
        source = self._left.pop(self._source_name(name), None)
        if source is None:
            raise UserError(f"{self._model.path}: no tensor {self._source_name(name)}")
        wanted = tuple(size for size in shape if size != 1) if flat else shape
        if source.shape != wanted:
            raise UserError(
                f"{self._model.path}: {source.name} is {list(source.shape)}, not {list(wanted)}"
            )
        self.found.append(Weight(name, shape, source, order))

    def drop(self, source_name: str) -> None:
        """Leave out a tensor whose contents are in the configuration."""
        self._left.pop(source_name, None)

    def finished(self) -> list[Weight]:
        """The weights; `UserError` if the file has more."""
        if self._left:
            names = ", ".join(sorted(self._left)[:3])
            raise UserError(f"{self._model.path}: no place for {len(self._left)} tensors: {names}")
        return self.found

    def _source_name(self, name: str) -> str:
        return str(self._names.get_name(name, try_suffixes=(".weight",)))


def _llama(model: GgufModel) -> Layout:
    hidden, layers = model.whole("embedding_length"), _layers(model)
    heads = model.whole("attention.head_count")
    key_heads = model.whole("attention.head_count_kv", heads)
    head_size = model.whole("attention.key_length", hidden // max(heads, 1))
    inner, vocabulary = model.whole("feed_forward_length"), len(model.tokens)
    _refuse_experts(model)
    if not heads or model.whole("rope.dimension_count", head_size) != head_size:
        raise UserError(f"{model.path}: heads of {head_size}, of which only a part is rotated")
    weights = _Weights(model, layers)
    tied = not weights.has(_HEAD)
    weights.add(_EMBEDDING, vocabulary, hidden)
    for path in (f"model.layers.{layer}." for layer in range(layers)):
        attention = f"{path}self_attn."
        order = interleaved_row(head_size)
        weights.add(f"{path}input_layernorm.weight", hidden)
        weights.add(f"{attention}q_proj.weight", heads * head_size, hidden, order=order)
        weights.add(f"{attention}k_proj.weight", key_heads * head_size, hidden, order=order)
        weights.add(f"{attention}v_proj.weight", key_heads * head_size, hidden)
        weights.add(f"{attention}o_proj.weight", hidden, heads * head_size)
        weights.add(f"{path}post_attention_layernorm.weight", hidden)
        weights.add(f"{path}mlp.gate_proj.weight", inner, hidden)
        weights.add(f"{path}mlp.up_proj.weight", inner, hidden)
        weights.add(f"{path}mlp.down_proj.weight", hidden, inner)
    weights.add("model.norm.weight", hidden)
    if not tied:
        weights.add(_HEAD, vocabulary, hidden)
    theta = model.number("rope.freq_base", 10000.0)
    scaling = llama_rope_scaling(model, model.tensors.get(_ROPE_FACTORS), head_size, theta)
    weights.drop(_ROPE_FACTORS)
    config = {
        "architectures": ["LlamaForCausalLM"],
        "model_type": "llama",
        **_common(model, hidden, layers, inner, tied),
        "num_attention_heads": heads,
        "num_key_value_heads": key_heads,
        "head_dim": head_size,
        "hidden_act": "silu",
        "attention_bias": False,
        "mlp_bias": False,
        "rms_norm_eps": model.number("attention.layer_norm_rms_epsilon"),
        "rope_theta": theta,
        "rope_scaling": scaling,
    }
    return Layout(config, weights.finished())


def _lfm2(model: GgufModel) -> Layout:
    hidden, layers = model.whole("embedding_length"), _layers(model)
    heads, taps = model.whole("attention.head_count"), model.whole("shortconv.l_cache")
    per_layer = model.sizes("attention.head_count_kv", layers)
    head_size, inner = hidden // max(heads, 1), model.whole("feed_forward_length")
    _refuse_experts(model)
    weights = _Weights(model, layers)
    tied = not weights.has(_HEAD)
    weights.add(_EMBEDDING, len(model.tokens), hidden)
    for layer, key_heads in enumerate(per_layer):
        path = f"model.layers.{layer}."
        weights.add(f"{path}operator_norm.weight", hidden)
        if key_heads:
            _add_lfm2_attention(weights, f"{path}self_attn.", hidden, heads, key_heads, head_size)
        else:
            weights.add(f"{path}conv.in_proj.weight", 3 * hidden, hidden)
            weights.add(f"{path}conv.conv.weight", hidden, 1, taps, flat=True)
            weights.add(f"{path}conv.out_proj.weight", hidden, hidden)
        weights.add(f"{path}ffn_norm.weight", hidden)
        weights.add(f"{path}feed_forward.w1.weight", inner, hidden)
        weights.add(f"{path}feed_forward.w3.weight", inner, hidden)
        weights.add(f"{path}feed_forward.w2.weight", hidden, inner)
    weights.add("model.embedding_norm.weight", hidden)
    if not tied:
        weights.add(_HEAD, len(model.tokens), hidden)
    theta = model.number("rope.freq_base", 1_000_000.0)
    config = {
        "architectures": ["Lfm2ForCausalLM"],
        "model_type": "lfm2",
        **_common(model, hidden, layers, inner, tied),
        "block_auto_adjust_ff_dim": False,
        "conv_L_cache": taps,
        "conv_bias": False,
        "layer_types": ["full_attention" if each else "conv" for each in per_layer],
        "norm_eps": model.number("attention.layer_norm_rms_epsilon"),
        "num_attention_heads": heads,
        "num_key_value_heads": max(per_layer, default=0),
        "rope_theta": theta,
        "rope_parameters": {"rope_type": "default", "rope_theta": theta},
    }
    return Layout(config, weights.finished())


def _add_lfm2_attention(
    weights: _Weights, path: str, hidden: int, heads: int, key_heads: int, head_size: int
) -> None:
    weights.add(f"{path}q_proj.weight", heads * head_size, hidden)
    weights.add(f"{path}k_proj.weight", key_heads * head_size, hidden)
    weights.add(f"{path}v_proj.weight", key_heads * head_size, hidden)
    weights.add(f"{path}out_proj.weight", hidden, heads * head_size)
    weights.add(f"{path}q_layernorm.weight", head_size)
    weights.add(f"{path}k_layernorm.weight", head_size)


def _common(model: GgufModel, hidden: int, layers: int, inner: int, tied: bool) -> dict[str, Any]:
    return {
        "hidden_size": hidden,
        "intermediate_size": inner,
        "num_hidden_layers": layers,
        "max_position_embeddings": model.whole("context_length"),
        "vocab_size": len(model.tokens),
        "tie_word_embeddings": tied,
        "bos_token_id": model.token_id("bos"),
        "eos_token_id": end_token_ids(model),
        "pad_token_id": model.token_id("padding"),
    }


def _layers(model: GgufModel) -> int:
    layers = model.whole("block_count")
    if layers > len(model.tensors):
        raise UserError(f"{model.path}: {layers} layers with {len(model.tensors)} tensors")
    return layers


def _refuse_experts(model: GgufModel) -> None:
    experts = model.whole("expert_count", 0)
    if experts:
        raise UserError(f"{model.path}: a mixture of {experts} experts, which is not supported")


_LAYOUTS: dict[str, Callable[[GgufModel], Layout]] = {"llama": _llama, "lfm2": _lfm2}
