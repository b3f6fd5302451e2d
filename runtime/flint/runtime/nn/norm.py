"""Normalisation layers (host-functions.md 10)."""

from __future__ import annotations

from torch import Tensor
from torch.nn import functional as F

from flint.runtime.checkpoint import loaded_weight
from flint.runtime.host import Refused
from flint.runtime.op import op
from flint.runtime.pair import Pair

_BATCH_NORM_EPS = 1e-5


@op
def rms_norm(tensor: Tensor, weight: Tensor, eps: float) -> Tensor:
    """Return x / sqrt(mean(x^2) + eps) * weight over the trailing dimensions that `weight` has.

    Half precision is computed in float32 and rounded once, to the dtype of the input.
    """
    return _rms_norm(tensor, weight, eps)


@op
def add_rms_norm(input: Tensor, residual: Tensor, weight: Tensor, eps: float) -> Pair:
    """Return a pair: local = input + residual, broadcast, global = its `rms_norm`."""
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
    if tensor.is_complex() or weight.is_complex():
        raise Refused("complex numbers have no root mean square norm")
    if weight.dtype == tensor.dtype:
        return F.rms_norm(tensor, weight.shape, weight, eps)
    # torch would round before it multiplies by a weight of another type
    result = F.rms_norm(tensor.float(), weight.shape, weight.float(), eps)
    return result.to(tensor.dtype)
