"""A number out of a tensor, for the program to compute with or to show."""

from __future__ import annotations

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
