"""Embedding and linear layers (host-functions.md 10)."""

from __future__ import annotations

import os

import torch
from torch import Tensor
from torch.nn import functional as F

from flint.runtime.fast_weight import product_of
from flint.runtime.int8_weight import Int8Weight
from flint.runtime.op import op
from flint.runtime.tensor.activation import gated

# Off for `0` and for an empty value; read once in a process.
_ROWS_BY_MV = os.environ.get("KOHARU_TORCH_LINEAR_MV", "1") not in ("", "0")


@op
def embedding(indices: Tensor, weight: Tensor) -> Tensor:
    """Return the rows of `weight` `[V, D]` at int64 `indices` `[…]`: `[…, D]`."""
    try:
        if type(weight) is Int8Weight:
            return weight.rows(indices)
        return F.embedding(indices, weight)
    except IndexError:
        low, high = (int(bound) for bound in indices.aminmax())
        wrong = low if low < 0 else high
        raise IndexError(f"index {wrong} out of range, the weight has {len(weight)} rows") from None


@op
def linear(tensor: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor:
    """Return x W^T + b: `[…, in]` with `weight` `[out, in]`, `bias` `[out]` or 0 → `[…, out]`.

    A single row without bias is a matrix-vector product, unless `KOHARU_TORCH_LINEAR_MV` is 0.
    """
    product = product_of(weight)
    if product is not None and product.serves(tensor, bias):
        return _with_bias(product(tensor), bias)
    if bias is None and _ROWS_BY_MV:
        return _product(tensor, weight)
    return F.linear(tensor, weight, bias)


@op
def swiglu_linear(tensor: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor:
    """Return `linear` of `tensor::swiglu`: `[…, 2n]` with `weight` `[out, n]` → `[…, out]`."""
    product = product_of(weight)
    if product is not None and product.serves_gated(tensor, bias):
        return _with_bias(product.gated(tensor), bias)
    inner = gated(tensor)
    return _product(inner, weight) if bias is None else F.linear(inner, weight, bias)


def _product(tensor: Tensor, weight: Tensor) -> Tensor:
    """x W^T, as a matrix-vector product for inputs `[1, 1, in]` and `[1, in]`."""
    if tensor.dim() in (2, 3) and tensor.shape[:-1].numel() == 1:
        row = torch.mv(weight, tensor.reshape(-1))
        return row.view(*tensor.shape[:-1], -1)
    return F.linear(tensor, weight)


def _with_bias(result: Tensor, bias: Tensor | None) -> Tensor:
    return result if bias is None else result + bias
