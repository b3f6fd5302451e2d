"""Joining, slicing and rearranging (host-functions.md 9.5); most results are views."""

from __future__ import annotations

import torch
from torch import Tensor

from flint.runtime.host import Refused
from flint.runtime.op import op
from flint.runtime.tensor.shape import natural_dim


@op
def cat2(left: Tensor, right: Tensor, dim: int) -> Tensor:
    """Return both tensors joined along `dim`; dtypes are promoted."""
    return torch.cat((left, right), dim)


@op
def stack2(left: Tensor, right: Tensor, dim: int) -> Tensor:
    """Return both tensors, of one shape, along a new dimension `dim` of size 2."""
    return torch.stack((left, right), dim)


@op
def chunk(tensor: Tensor, chunks: int, dim: int, index: int) -> Tensor:
    """Return part `index` of `chunks` along `dim`, a view.

    A part has ceil(size / chunks) entries, the last one may have fewer.
    """
    if chunks <= 0:
        raise Refused(f"chunks has to be > 0, not {chunks}")
    if index < 0:
        raise Refused(f"negative chunk index {index}")
    size = tensor.shape[natural_dim(tensor, dim)]
    length = -(-size // chunks)
    start = index * length
    if start >= size:
        raise Refused(f"no chunk {index}: {size} entries in chunks of {length}")
    return tensor.narrow(dim, start, min(length, size - start))


@op
def narrow(tensor: Tensor, dim: int, start: int, len: int) -> Tensor:
    """Return `len` entries along `dim` from `start` on, a view."""
    return tensor.narrow(dim, start, len)


@op
def tail(tensor: Tensor, dim: int, len: int) -> Tensor:
    """Return the last `len` entries along `dim`, or all if there are fewer; a view."""
    if len < 0:
        raise Refused(f"negative tail length {len}")
    size = tensor.shape[natural_dim(tensor, dim)]
    length = min(len, size)
    return tensor.narrow(dim, size - length, length)


@op
def transpose(tensor: Tensor, dim0: int, dim1: int) -> Tensor:
    """Return the tensor with two dimensions exchanged, a view."""
    return tensor.transpose(dim0, dim1)


@op
def unsqueeze(tensor: Tensor, dim: int) -> Tensor:
    """Return the tensor with a new dimension `dim` of size 1, a view."""
    return tensor.unsqueeze(dim)


@op
def select(tensor: Tensor, dim: int, index: int) -> Tensor:
    """Return entry `index` of `dim`, without that dimension; a view."""
    return tensor.select(dim, index)


@op
def repeat_interleave(tensor: Tensor, repeats: int, dim: int) -> Tensor:
    """Return every entry along `dim` `repeats` times in a row: [a, b] x 2 is [a, a, b, b]."""
    return tensor.repeat_interleave(repeats, dim)


@op
def contiguous(tensor: Tensor) -> Tensor:
    """Return the tensor in row-major memory, copied only if it is not so already."""
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
    """Return a view with these sizes, of which one may be -1; fails where a copy is needed."""
    return tensor.view(d0, d1)


@op
def view3(tensor: Tensor, d0: int, d1: int, d2: int) -> Tensor:
    """Return a view with these sizes; see `view2`."""
    return tensor.view(d0, d1, d2)


@op
def view4(tensor: Tensor, d0: int, d1: int, d2: int, d3: int) -> Tensor:
    """Return a view with these sizes; see `view2`."""
    return tensor.view(d0, d1, d2, d3)


@op
def view5(tensor: Tensor, d0: int, d1: int, d2: int, d3: int, d4: int) -> Tensor:
    """Return a view with these sizes; see `view2`."""
    return tensor.view(d0, d1, d2, d3, d4)
