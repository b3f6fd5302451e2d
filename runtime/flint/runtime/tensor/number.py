"""Numbers out of a tensor, for the program to compute with or to show."""

from __future__ import annotations

import torch
from torch import Tensor

from flint.runtime.host import Refused
from flint.runtime.op import op


@op
def item(tensor: Tensor) -> float:
    """Return the only element of `tensor`, of shape `[1, …]`, as a float; waits for the device.

    A function of ours.
    """
    if tensor.numel() != 1:
        raise Refused(f"one element is needed, not shape {list(tensor.shape)}")
    return float(tensor.item())


@op
def ints(tensor: Tensor) -> list[int]:
    """Return all elements of an int tensor `[…]` in row-major order; waits for the device once.

    A function of ours.
    """
    if tensor.is_floating_point() or tensor.is_complex() or tensor.dtype == torch.bool:
        raise Refused(f"ints are needed, not {str(tensor.dtype).removeprefix('torch.')}")
    found: list[int] = tensor.flatten().tolist()
    return found
