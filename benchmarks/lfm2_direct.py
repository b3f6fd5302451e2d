"""A decode step of LFM2 without our host functions: the calls that they end up making."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn import functional as F

from flint.runtime import tensor
from flint.runtime.checkpoint import Checkpoint
from flint.runtime.context import RunContext
from flint.runtime.fast_weight import norm_of, product_of
from flint.runtime.growth import extended
from flint.runtime.nn import attention
from generated.layers import lfm2

MOST_POSITIONS = 1024
EPS = 1e-5


@dataclass
class Layer:
    """A layer's weights and state; `norm` is what comes before attention or convolution."""

    norm: Tensor
    into: Tensor
    out: Tensor
    ffn_norm: Tensor
    gate_up: Tensor
    down: Tensor


@dataclass
class Attention(Layer):
    query_norm: Tensor
    key_norm: Tensor
    keys: Tensor
    values: Tensor


@dataclass
class Convolution(Layer):
    taps: Tensor
    state: Tensor


class DirectDecoder:
    """Goes on from where a run of the program is; `logits` are those of the last step."""

    def __init__(self, run: RunContext) -> None:
        checkpoint, cache = run.session.checkpoint, run.tensors.cache
        assert checkpoint is not None
        self.embedding = checkpoint.get("model.embed_tokens.weight")
        self.final_norm = checkpoint.get("model.embedding_norm.weight")
        self.layers: list[Attention | Convolution] = []
        while f"model.layers.{len(self.layers)}.operator_norm.weight" in checkpoint:
            self.layers.append(_layer(checkpoint, f"model.layers.{len(self.layers)}.", cache))
        head_size = next(
            len(layer.key_norm) for layer in self.layers if isinstance(layer, Attention)
        )
        self.cos = tensor.rope_cos(MOST_POSITIONS, head_size, lfm2.rope_theta())
        self.sin = tensor.rope_sin(MOST_POSITIONS, head_size, lfm2.rope_theta())
        self.generated: list[Tensor] = []
        self.logits = torch.empty(0)

    def step(self, tokens: Tensor, position: int) -> None:
        """Compute the logits after one more token `[1, 1]`, and choose the next one."""
        cos, sin = (table.narrow(2, position, 1) for table in (self.cos, self.sin))
        hidden = F.embedding(tokens, self.embedding)
        for layer in self.layers:
            normed = _normed(hidden, layer.norm)
            if isinstance(layer, Attention):
                mixed = self._attention(layer, normed, cos, sin)
            else:
                mixed = _convolution(layer, normed)
            hidden, normed = _normed_sum(hidden, mixed, layer.ffn_norm)
            hidden = hidden + _gated_row(_row(normed, layer.gate_up), layer.down)
        last = hidden.select(1, 0)
        self.logits = _row(_normed(last, self.final_norm), self.embedding)
        self.generated.append(self.logits.argmax(-1).view(1, 1))

    def _attention(self, layer: Attention, normed: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
        size, width = len(layer.key_norm), layer.out.shape[1]
        qkv = _row(normed, layer.into)
        key_width = (qkv.shape[-1] - width) // 2
        query = qkv.narrow(2, 0, width).view(1, 1, width // size, size)
        key = qkv.narrow(2, width, key_width).view(1, 1, key_width // size, size)
        value = qkv.narrow(2, width + key_width, key_width).view(1, 1, key_width // size, size)
        query = _normed(query, layer.query_norm).transpose(1, 2)
        key = _normed(key, layer.key_norm).transpose(1, 2)
        query, key = attention._rotated_pair_at_once(query, key, cos, sin)
        layer.keys = extended(layer.keys, key, 2)
        layer.values = extended(layer.values, value.transpose(1, 2), 2)
        grouped = query.view(1, layer.keys.shape[1], -1, size)
        mixed = F.scaled_dot_product_attention(grouped, layer.keys, layer.values)
        return _row(
            mixed.view(1, -1, 1, size).transpose(1, 2).contiguous().view(1, 1, width), layer.out
        )


def _layer(checkpoint: Checkpoint, path: str, cache: dict[str, Tensor]) -> Attention | Convolution:
    def weight(name: str) -> Tensor:
        return checkpoint.get(f"{path}{name}.weight")

    convolves = f"{path}conv.state" in cache
    mixer = "conv." if convolves else "self_attn."
    shared = Layer(
        norm=weight("operator_norm"),
        into=weight(f"{mixer}{'in_proj' if convolves else 'qkv_proj'}"),
        out=weight(f"{mixer}out_proj"),
        ffn_norm=weight("ffn_norm"),
        gate_up=weight("feed_forward.w1_w3"),
        down=weight("feed_forward.w2"),
    )
    if convolves:
        return Convolution(
            **vars(shared), taps=weight("conv.conv"), state=cache[f"{path}conv.state"]
        )
    return Attention(
        **vars(shared),
        query_norm=weight("self_attn.q_layernorm"),
        key_norm=weight("self_attn.k_layernorm"),
        keys=cache[f"{path}self_attn.keys"],
        values=cache[f"{path}self_attn.values"],
    )


def _row(tensor: Tensor, weight: Tensor) -> Tensor:
    """x W^T for one row."""
    product = product_of(weight)
    if product is not None:
        return product(tensor)
    return torch.mv(weight, tensor.reshape(-1)).view(*tensor.shape[:-1], -1)


def _gated_row(tensor: Tensor, weight: Tensor) -> Tensor:
    product = product_of(weight)
    if product is not None:
        return product.gated(tensor)
    gate, up = tensor.chunk(2, dim=-1)
    return _row(F.silu(gate) * up, weight)


def _normed(tensor: Tensor, weight: Tensor) -> Tensor:
    norm = norm_of(weight)
    if norm is not None:
        return norm(tensor, EPS)
    return F.rms_norm(tensor, weight.shape, weight, EPS)


def _normed_sum(left: Tensor, right: Tensor, weight: Tensor) -> tuple[Tensor, Tensor]:
    norm = norm_of(weight)
    if norm is not None:
        return norm.of_sum(left, right, EPS)
    total = left + right
    return total, _normed(total, weight)


def _convolution(layer: Convolution, normed: Tensor) -> Tensor:
    before, after, inputs = _row(normed, layer.into).transpose(1, 2).chunk(3, dim=1)
    window = torch.cat((layer.state, before * inputs), dim=-1)
    channels = window.shape[1]
    mixed = torch.bmm(layer.taps, window.view(channels, 3, 1)).view(1, channels, 1)
    layer.state = window[..., 1:]
    return _row((after * mixed).transpose(1, 2).contiguous(), layer.out)
