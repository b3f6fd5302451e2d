"""Elementwise arithmetic, products and reductions (host-functions.md 9.4)."""

from __future__ import annotations

import torch
from torch import Tensor

from flint.runtime.op import op
from flint.runtime.tensor.create import real_part


@op
def add(left: Tensor, right: Tensor) -> Tensor:
    """Return left + right, broadcast; dtypes are promoted."""
    return left + right


@op
def sub(left: Tensor, right: Tensor) -> Tensor:
    """Return left - right, broadcast; dtypes are promoted."""
    return left - right


@op
def mul(left: Tensor, right: Tensor) -> Tensor:
    """Return left * right by elements, broadcast; dtypes are promoted."""
    return left * right


@op
def add_scalar(tensor: Tensor, value: float) -> Tensor:
    """Return x + value for every element; an integer tensor becomes float32."""
    return tensor + value


@op
def mul_scalar(tensor: Tensor, value: float) -> Tensor:
    """Return x * value for every element; an integer tensor becomes float32."""
    return tensor * value


@op
def div_scalar(tensor: Tensor, value: float) -> Tensor:
    """Return x / value for every element; an integer tensor becomes float32."""
    return tensor / value


@op
def pow_scalar(tensor: Tensor, value: float) -> Tensor:
    """Return every element to the power of `value`; an integer tensor becomes float32."""
    return tensor**value


@op
def mean_dim(tensor: Tensor, dim: int, keepdim: bool) -> Tensor:
    """Return the mean over dimension `dim` as float32, computed in float32.

    `[…, n, …]` → `[…, …]`, or `[…, 1, …]` with `keepdim`.
    """
    return real_part(tensor).mean(dim, keepdim=keepdim, dtype=torch.float32)


@op
def rsqrt(tensor: Tensor) -> Tensor:
    """Return 1 / sqrt(x) of every element."""
    return tensor.rsqrt()


@op
def neg(tensor: Tensor) -> Tensor:
    """Return -x of every element."""
    return -tensor


@op
def cos(tensor: Tensor) -> Tensor:
    """Return the cosine of every element, in radians."""
    return tensor.cos()


@op
def sin(tensor: Tensor) -> Tensor:
    """Return the sine of every element, in radians."""
    return tensor.sin()


@op
def matmul(left: Tensor, right: Tensor) -> Tensor:
    """Return the matrix product `[…, n, k]` x `[…, k, m]` → `[…, n, m]`; leading dims broadcast."""
    return left @ right


@op
def softmax(tensor: Tensor, dim: int) -> Tensor:
    """Return the softmax over dimension `dim`, computed in float32 and returned as float32."""
    return real_part(tensor).softmax(dim, dtype=torch.float32)


@op
def masked_fill(tensor: Tensor, mask: Tensor, value: float) -> Tensor:
    """Return the tensor with `value` where the bool `mask`, broadcast to its shape, is true."""
    return tensor.masked_fill(mask, value)
