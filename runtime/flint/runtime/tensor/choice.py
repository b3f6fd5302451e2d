"""The index of the largest element (host-functions.md 9.6); ties go to the first on the CPU."""

from __future__ import annotations

from torch import Tensor

from flint.runtime.host import Count, Refused
from flint.runtime.op import op


@op
def argmax(tensor: Tensor, dim: int) -> Tensor:
    """Return the int64 indices of the largest elements along `dim`: `[…, n, …]` → `[…, …]`."""
    return tensor.argmax(dim)


@op
def argmax_int(tensor: Tensor, dim: int) -> Count:
    """Return the first of the indices that `argmax` gives, as an int; waits for the device.

    That is the index of the first row of `[…, n, …]`; a tensor without elements has none, and NaN
    is no largest element: both are errors.
    """
    indices = tensor.argmax(dim)
    if not indices.numel():
        raise Refused(f"nothing to choose from in shape {list(tensor.shape)}")
    index = int(indices.view(-1)[0].item())
    if tensor.dim() and tensor.select(dim, index).flatten()[0].isnan().item():
        raise Refused("NaN among the numbers: damaged weights, or a dtype too small for them")
    return index


@op
def argmax_token(tensor: Tensor, dim: int) -> Tensor:
    """Return the one index that `argmax` gives as int64 `[1, 1]`, left on the device."""
    return tensor.argmax(dim).view(1, 1)
