"""Rotary positions and scaled dot product attention (host-functions.md 10)."""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn import functional as F

from flint.runtime.host import Refused
from flint.runtime.op import op
from flint.runtime.pair import Pair


@op
def apply_rope(tensor: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
    """Return x * cos + rotated(x) * sin, where rotated is (-second half, first half) of x.

    `tensor` is `[B, H, S, d]`; `cos` and `sin` are `[1, 1, S, d]`, see `tensor::rope_cos_at`.
    """
    return _rotated(tensor, cos, sin)


@op
def apply_rope_pair(query: Tensor, key: Tensor, cos: Tensor, sin: Tensor) -> Pair:
    """Return a pair: `apply_rope` of `query` `[B, Hq, S, d]` and of `key` `[B, Hk, S, d]`."""
    for name, tensor in (("query", query), ("key", key)):
        if tensor.dim() < 2:
            raise Refused(f"{name} needs at least 2 dimensions, not {tensor.dim()}")
    joint = _rotated(torch.cat((query, key), dim=1), cos, sin)
    heads = query.shape[1]
    return Pair(joint[:, :heads], joint[:, heads:])


@op
def scaled_dot_product_attention(
    query: Tensor, key: Tensor, value: Tensor, is_causal: bool
) -> Tensor:
    """Return softmax(Q K^T / sqrt(d)) V for `[B, H, S, d]` each.

    With `is_causal` row i attends to columns 0 … i, counted from the first column.
    """
    return F.scaled_dot_product_attention(query, key, value, is_causal=is_causal)


@op
def scaled_dot_product_attention_masked(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor
) -> Tensor:
    """Return attention under `mask`, broadcast to `[B, H, Sq, Sk]`.

    A float mask is added to the scores, a bool mask is true where a row may attend.
    """
    if mask.is_floating_point() and query.device.type != "cpu":
        mask = mask.to(query.dtype)  # kernels of accelerators want one dtype
    return F.scaled_dot_product_attention(query, key, value, attn_mask=mask)


def _rotated(tensor: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
    if tensor.dim() == 0:
        raise Refused("rope input needs at least 1 dimension")
    half = tensor.shape[-1] // 2
    first, second = tensor[..., :half], tensor[..., half : 2 * half]
    return tensor * cos + torch.cat((-second, first), dim=-1) * sin
