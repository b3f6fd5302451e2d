"""Joining, slicing and rearranging (host-functions.md 9.5); most results are views."""

from __future__ import annotations

import torch
from torch import Tensor

from flint.runtime.growth import extended, is_grown
from flint.runtime.host import Refused
from flint.runtime.op import op
from flint.runtime.tensor.shape import no_dimension
from flint.runtime.tensor_size import require_room


@op
def cat2(left: Tensor, right: Tensor, dim: int) -> Tensor:
    """Return both tensors joined along `dim`: `[…, m, …]`, `[…, n, …]` → `[…, m + n, …]`.

    Dtypes are promoted.
    """
    return extended(left, right, dim)


@op
def stack2(left: Tensor, right: Tensor, dim: int) -> Tensor:
    """Return both tensors, of one shape, along a new dimension `dim`: `[…, …]` → `[…, 2, …]`."""
    return torch.stack((left, right), dim)


@op
def chunk(tensor: Tensor, chunks: int, dim: int, index: int) -> Tensor:
    """Return part `index` of `chunks` along `dim`, a view.

    `[…, n, …]` → `[…, ceil(n / chunks), …]`. The last part may have fewer entries.
    """
    if chunks <= 0:
        raise Refused(f"chunks has to be > 0, not {chunks}")
    if index < 0:
        raise Refused(f"negative chunk index {index}")
    size = _length(tensor, dim)
    part = -(-size // chunks)
    start = index * part
    if start >= size:
        raise Refused(f"no chunk {index}: {size} entries in chunks of {part}")
    return tensor.narrow(dim, start, min(part, size - start))


@op
def narrow(tensor: Tensor, dim: int, start: int, len: int) -> Tensor:
    """Return the entries from `start` on along `dim`, a view: `[…, n, …]` → `[…, len, …]`."""
    return tensor.narrow(dim, start, len)


@op
def tail(tensor: Tensor, dim: int, len: int) -> Tensor:
    """Return the last entries along `dim`, a view: `[…, n, …]` → `[…, min(len, n), …]`."""
    if len < 0:
        raise Refused(f"negative tail length {len}")
    size = _length(tensor, dim)
    kept = min(len, size)
    return tensor.narrow(dim, size - kept, kept)


@op
def transpose(tensor: Tensor, dim0: int, dim1: int) -> Tensor:
    """Return the tensor with two dimensions exchanged, a view: `[…, m, …, n]` → `[…, n, …, m]`."""
    return tensor.transpose(dim0, dim1)


@op
def unsqueeze(tensor: Tensor, dim: int) -> Tensor:
    """Return the tensor with a new dimension `dim`, a view: `[…, …]` → `[…, 1, …]`."""
    return tensor.unsqueeze(dim)


@op
def select(tensor: Tensor, dim: int, index: int) -> Tensor:
    """Return entry `index` of `dim`, a view: `[…, n, …]` → `[…, …]`; negative ones count back."""
    return tensor.select(dim, index)


@op
def repeat_interleave(tensor: Tensor, repeats: int, dim: int) -> Tensor:
    """Return every entry along `dim` `repeats` times in a row: `[…, n, …]` → `[…, repeats * n, …]`.

    Twice [a, b] is [a, a, b, b].
    """
    require_room((tensor.numel(), repeats), tensor.element_size(), tensor.device)
    return tensor.repeat_interleave(repeats, dim)


@op
def contiguous(tensor: Tensor) -> Tensor:
    """Return the tensor in its shape in row-major memory, copied only if it is not so already."""
    return tensor.contiguous()


@op
def permute3(tensor: Tensor, d0: int, d1: int, d2: int) -> Tensor:
    """Return a tensor of rank 3 with its dimensions in this order, a view."""
    return tensor.permute(d0, d1, d2)


@op
def permute4(tensor: Tensor, d0: int, d1: int, d2: int, d3: int) -> Tensor:
    """Return a tensor of rank 4 with its dimensions in this order, a view."""
    return tensor.permute(d0, d1, d2, d3)


@op
def permute5(tensor: Tensor, d0: int, d1: int, d2: int, d3: int, d4: int) -> Tensor:
    """Return a tensor of rank 5 with its dimensions in this order, a view."""
    return tensor.permute(d0, d1, d2, d3, d4)


@op
def view2(tensor: Tensor, d0: int, d1: int) -> Tensor:
    """Return a view `[d0, d1]`; one size may be -1. Fails where `contiguous` is needed first."""
    return _view(tensor, d0, d1)


@op
def view3(tensor: Tensor, d0: int, d1: int, d2: int) -> Tensor:
    """Return a view `[d0, d1, d2]`; see `view2`."""
    return _view(tensor, d0, d1, d2)


@op
def view4(tensor: Tensor, d0: int, d1: int, d2: int, d3: int) -> Tensor:
    """Return a view `[d0, d1, d2, d3]`; see `view2`."""
    return _view(tensor, d0, d1, d2, d3)


@op
def view5(tensor: Tensor, d0: int, d1: int, d2: int, d3: int, d4: int) -> Tensor:
    """Return a view `[d0, d1, d2, d3, d4]`; see `view2`."""
    return _view(tensor, d0, d1, d2, d3, d4)


def _view(tensor: Tensor, *shape: int) -> Tensor:
    try:
        return tensor.view(shape)
    except RuntimeError:
        if not is_grown(tensor):
            raise
        # Without its spare room the view would exist.
        return tensor.contiguous().view(shape)


def _length(tensor: Tensor, dim: int) -> int:
    try:
        return tensor.size(dim)
    except IndexError:
        raise no_dimension(tensor, dim) from None
