"""Rotary positions and scaled dot product attention (host-functions.md 10)."""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn import functional as F

from flint.runtime.context import running
from flint.runtime.host import Refused
from flint.runtime.nn.traced import Traced
from flint.runtime.op import op
from flint.runtime.pair import Pair


@op
def apply_rope(tensor: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
    """Return x * cos + rotated(x) * sin, where rotated is (-second half, first half) of x.

    `tensor` is `[B, H, S, d]`; `cos` and `sin` are `[1, 1, S, d]`, see `tensor::rope_cos_at`.
    """
    _require_halves(tensor)
    result: Tensor = _rope(tensor, cos, sin)
    return result


@op
def apply_rope_pair(query: Tensor, key: Tensor, cos: Tensor, sin: Tensor) -> Pair:
    """Return a pair: `apply_rope` of `query` `[B, Hq, S, d]` and of `key` `[B, Hk, S, d]`."""
    for name, tensor in (("query", query), ("key", key)):
        if tensor.dim() < 2:
            raise Refused(f"{name} needs at least 2 dimensions, not {tensor.dim()}")
    _require_halves(query)
    return Pair(*_rope_pair(query, key, cos, sin))


@op
def scaled_dot_product_attention(
    query: Tensor, key: Tensor, value: Tensor, is_causal: bool
) -> Tensor:
    """Return softmax(Q K^T / sqrt(d)) V for `[B, H, S, d]` each.

    With `is_causal` row i attends to columns 0 … i, counted from the first column.
    """
    attention = _causal_attention if is_causal else _attention
    result: Tensor = attention(query, key, value)
    return result


@op
def scaled_dot_product_attention_masked(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor
) -> Tensor:
    """Return attention under `mask`, broadcast to `[B, H, Sq, Sk]`.

    A float mask is added to the scores, a bool mask is true where a row may attend.
    """
    if mask.is_floating_point() and query.device.type != "cpu":
        mask = mask.to(query.dtype)  # kernels of accelerators want one dtype
    result: Tensor = _masked_attention(query, key, value, mask)
    return result


def _require_halves(tensor: Tensor) -> None:
    if tensor.dim() == 0:
        raise Refused("rope input needs at least 1 dimension")
    if tensor.shape[-1] % 2:
        raise Refused(f"rope input needs an even last dimension, not {tensor.shape[-1]}")


def _rotated(tensor: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
    first, second = tensor.chunk(2, dim=-1)
    return tensor * cos + torch.cat((-second, first), dim=-1) * sin


def _rotated_pair(query: Tensor, key: Tensor, cos: Tensor, sin: Tensor) -> tuple[Tensor, Tensor]:
    joint = _rotated(torch.cat((query, key), dim=1), cos, sin)
    query, key = joint.split_with_sizes((query.shape[1], key.shape[1]), dim=1)
    return query, key


def _rotated_at_once(tensor: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
    """As `_rotated` in fewer operations, given that all layers of a step pass the same `sin`."""
    if sin.shape[-1:] != tensor.shape[-1:]:
        return _rotated(tensor, cos, sin)
    return torch.addcmul(tensor * cos, tensor.roll(tensor.shape[-1] // 2, -1), _signed(sin))


def _signed(sin: Tensor) -> Tensor:
    """The table with its first half negated; the run keeps it until the values change."""
    run = running()
    if run is None or sin.is_inference():  # nothing tells whether its values changed
        return _negated(sin)
    known = run.tensors.signed_sines
    if known is None or known[0] is not sin or known[1] != sin._version:
        known = run.tensors.signed_sines = sin, sin._version, _negated(sin)
    return known[2]


def _negated(sin: Tensor) -> Tensor:
    first, second = sin.chunk(2, dim=-1)
    return torch.cat((-first, second), dim=-1)


def _rotated_pair_at_once(
    query: Tensor, key: Tensor, cos: Tensor, sin: Tensor
) -> tuple[Tensor, Tensor]:
    joint = _rotated_at_once(torch.cat((query, key), dim=1), cos, sin)
    query, key = joint.split_with_sizes((query.shape[1], key.shape[1]), dim=1)
    return query, key


def _attend(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    return F.scaled_dot_product_attention(query, key, value)


def _attend_causal(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    return F.scaled_dot_product_attention(query, key, value, is_causal=True)


def _attend_masked(query: Tensor, key: Tensor, value: Tensor, mask: Tensor) -> Tensor:
    return F.scaled_dot_product_attention(query, key, value, attn_mask=mask)


_rope = Traced(_rotated, few=_rotated_at_once)
_rope_pair = Traced(_rotated_pair, few=_rotated_pair_at_once)
_attention = Traced(_attend, few=_attend)
_causal_attention = Traced(_attend_causal)
_masked_attention = Traced(_attend_masked)
