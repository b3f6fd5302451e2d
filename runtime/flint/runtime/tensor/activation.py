"""Activations, reflection padding and pooling (host-functions.md 9.7, 9.8)."""

from __future__ import annotations

from torch import Tensor
from torch.nn import functional as F

from flint.runtime.host import Refused
from flint.runtime.op import op


@op
def relu(tensor: Tensor) -> Tensor:
    """Return max(x, 0) of every element."""
    return tensor.relu()


@op
def sigmoid(tensor: Tensor) -> Tensor:
    """Return 1 / (1 + exp(-x)) of every element."""
    return tensor.sigmoid()


@op
def silu(tensor: Tensor) -> Tensor:
    """Return x * sigmoid(x) of every element."""
    return F.silu(tensor)


@op
def gelu(tensor: Tensor, approximate: str) -> Tensor:
    """Return the Gaussian error linear unit of every element: exact for `none`, by tanh for `tanh`.

    `approximate` has to be one of these two.
    """
    return F.gelu(tensor, approximate=approximate)


@op
def swiglu(tensor: Tensor) -> Tensor:
    """Return silu(first half) * second half of the last dimension: `[…, 2n]` → `[…, n]`."""
    return gated(tensor)


@op
def pad_reflect2d(tensor: Tensor, left: int, right: int, top: int, bottom: int) -> Tensor:
    """Return the last two dimensions padded by reflection, the edge itself not repeated.

    `[B, C, H, W]` → `[B, C, top + H + bottom, left + W + right]`, also without B. Every padding has
    to be smaller than the dimension.
    """
    return F.pad(tensor, (left, right, top, bottom), mode="reflect")


@op
def avg_pool2d_2(tensor: Tensor) -> Tensor:
    """Return the means of 2 x 2 squares: `[B, C, H, W]` → `[B, C, H / 2, W / 2]`, rounded down.

    The tensor may lack B; its dtype has to be a float.
    """
    return F.avg_pool2d(tensor, 2)


def gated(tensor: Tensor) -> Tensor:
    """`swiglu` without the host function's checks of arguments."""
    if tensor.dim() == 0:
        raise Refused("swiglu needs at least 1 dimension")
    if tensor.shape[-1] % 2:
        raise Refused(f"swiglu needs an even last dimension, not {tensor.shape[-1]}")
    gate, value = tensor.chunk(2, dim=-1)
    return F.silu(gate) * value
