"""Normalisation layers (host-functions.md 10)."""

from __future__ import annotations

import functools

import torch
from torch import Tensor
from torch.nn import functional as F

from flint.runtime.checkpoint import loaded_weight
from flint.runtime.fast_weight import norm_of
from flint.runtime.host import Refused
from flint.runtime.op import op
from flint.runtime.pair import Pair

_BATCH_NORM_EPS = 1e-5
_HELD_BY_FLOAT32 = (torch.float32, torch.float16, torch.bfloat16)


@op
def rms_norm(tensor: Tensor, weight: Tensor, eps: float) -> Tensor:
    """Return x / sqrt(mean(x^2) + eps) * weight over the trailing dimensions that `weight` has.

    Half precision is computed in float32 and rounded once, to the dtype of the input.
    """
    return _rms_norm(tensor, weight, eps)


@op
def add_rms_norm(input: Tensor, residual: Tensor, weight: Tensor, eps: float) -> Pair:
    """Return a pair: local = input + residual, broadcast, global = its `rms_norm`."""
    norm = norm_of(weight)
    if (
        norm is not None
        and input.dtype is torch.float32
        and input.shape == residual.shape
        and norm.serves(input, eps)
        and norm.serves(residual, eps)
    ):
        return Pair(*norm.of_sum(input, residual, eps))
    total = input + residual
    return Pair(total, _rms_norm(total, weight, eps))


@op
def layer_norm(
    tensor: Tensor, weight: Tensor | None, bias: Tensor | None, eps: float, normalized_size: int
) -> Tensor:
    """Return the layer norm over the last dimension, of size `normalized_size`.

    `weight` and `bias` are `[normalized_size]`, or 0 for none.
    """
    return F.layer_norm(tensor, (normalized_size,), weight, bias, eps)


@op
def batch_norm2d(tensor: Tensor, prefix: str) -> Tensor:
    """Return `[B, C, H, W]` normalised with stored statistics, eps 1e-5.

    The weights are `{prefix}.weight`, `.bias`, `.running_mean` and `.running_var`, each `[C]`.
    """
    mean, variance = (loaded_weight(f"{prefix}.running_{name}") for name in ("mean", "var"))
    weight, bias = (loaded_weight(f"{prefix}.{name}") for name in ("weight", "bias"))
    return F.batch_norm(tensor, mean, variance, weight, bias, eps=_BATCH_NORM_EPS)


def _rms_norm(tensor: Tensor, weight: Tensor, eps: float) -> Tensor:
    norm = norm_of(weight)
    if norm is not None and norm.serves(tensor, eps):
        return norm(tensor, eps)
    if tensor.is_complex() or weight.is_complex():
        raise Refused("complex numbers have no root mean square norm")
    if _is_one_kernel(tensor, weight) or not _is_usual(tensor, weight):
        return F.rms_norm(tensor, weight.shape, weight, eps)
    if weight.dtype != torch.float32 or tensor.dtype != torch.float32:
        return _scaled(tensor.float(), weight.float(), eps).to(tensor.dtype)
    return _scaled(tensor, weight, eps)


def _is_one_kernel(tensor: Tensor, weight: Tensor) -> bool:
    """Whether torch has a kernel of a GPU for the whole norm, and rounds once."""
    return tensor.device.type != "cpu" and tensor.dtype == weight.dtype


def _is_usual(tensor: Tensor, weight: Tensor) -> bool:
    """Whether float32 is exact enough, and there is something to compute a norm of."""
    dims = weight.dim()
    return (
        dims > 0
        and tensor.shape[-dims:] == weight.shape
        and tensor.dtype in _HELD_BY_FLOAT32
        and weight.dtype in _HELD_BY_FLOAT32
        and weight.numel() > 0
    )


def _scaled(tensor: Tensor, weight: Tensor, eps: float) -> Tensor:
    """The norm in float32; torch's own `rms_norm` takes twice to four times as long on a CPU."""
    dims = tuple(range(-weight.dim(), 0))
    norm = torch.linalg.vector_norm(tensor, dim=dims, keepdim=True)
    mean = torch.addcmul(_constant(eps, tensor.device), norm, norm, value=1 / weight.numel())
    return (tensor * mean.rsqrt_()).mul_(weight)


@functools.lru_cache(maxsize=32)
def _constant(value: float, device: torch.device) -> Tensor:
    with torch.inference_mode(False):
        return torch.tensor(value, dtype=torch.float32, device=device)
