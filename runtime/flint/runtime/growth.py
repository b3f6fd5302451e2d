"""Room to grow for tensors that a program extends again and again, such as keys and values.

A tensor that came from `cat2` and is extended along the same dimension gets spare room, so that
the next step writes only what is new instead of copying everything that is there. What programs
see does not change: a tensor's entries stay as they are, since others are written behind them.
Only in a run, where nothing else changes a tensor in its place.
`FLINT_GROWTH=0` in the environment turns this off.
"""

from __future__ import annotations

import os

import torch
from torch import Tensor

from flint.runtime.context import running
from flint.runtime.eager import is_eager

# Off for `0` and for an empty value; read once in a process.
ENABLED = os.environ.get("FLINT_GROWTH", "1") not in ("", "0")

_KEY = "_flint_growth"
_LEAST_SPARE = 128  # entries
_SPARE_PART = 4  # at least a quarter of what is there, so that copies add up to a constant share


class Growth:
    """What is known of a tensor that `extended` made: along which dimension, and its buffer.

    `used` counts the entries of the buffer that belong to the longest tensor in it.
    """

    __slots__ = ("buffer", "dim", "used")

    def __init__(self, dim: int, buffer: Tensor | None = None, used: int = 0) -> None:
        self.dim, self.buffer, self.used = dim, buffer, used

    def has_room(self, length: int, more: int) -> bool:
        """Whether what follows the first `length` entries is free; else another tensor is there."""
        buffer = self.buffer
        return (
            buffer is not None and self.used == length and length + more <= buffer.shape[self.dim]
        )


def extended(left: Tensor, right: Tensor, dim: int) -> Tensor:
    """Both tensors joined along `dim`, as `torch.cat` does it."""
    if not ENABLED or running() is None or not is_eager():
        return torch.cat((left, right), dim)
    growth: Growth | None = left.__dict__.get(_KEY)
    if growth is None or not _fits(growth, left, right, dim):
        result = torch.cat((left, right), dim)
        result.__dict__[_KEY] = Growth(dim % result.dim())
        return result
    length, more = left.shape[growth.dim], right.shape[growth.dim]
    if not growth.has_room(length, more):
        growth = _with_room(left, growth.dim, more)
    return _written(growth, right, length, more)


def is_grown(tensor: Tensor) -> bool:
    """Whether the tensor lies in memory with spare room, so that fewer views of it exist."""
    return hasattr(tensor.untyped_storage(), _KEY)


def _fits(growth: Growth, left: Tensor, right: Tensor, dim: int) -> bool:
    """Whether the join is of the usual kind; all others are left to torch, also the wrong ones."""
    rank = left.dim()
    return (
        dim in (growth.dim, growth.dim - rank)
        and right.dim() == rank
        and right.dtype is left.dtype
        and right.device == left.device
        and not (left.requires_grad or right.requires_grad)
        and _without(left.shape, growth.dim) == _without(right.shape, growth.dim)
    )


def _without(shape: torch.Size, dim: int) -> tuple[int, ...]:
    return shape[:dim] + shape[dim + 1 :]


def _with_room(left: Tensor, dim: int, more: int) -> Growth:
    """A buffer that begins with the entries of `left`."""
    length = left.shape[dim]
    shape = list(left.shape)
    shape[dim] = length + more + max(_LEAST_SPARE, length // _SPARE_PART)
    buffer = left.new_empty(shape)
    buffer.narrow(dim, 0, length).copy_(left)
    setattr(buffer.untyped_storage(), _KEY, True)
    return Growth(dim, buffer, length)


def _written(growth: Growth, right: Tensor, length: int, more: int) -> Tensor:
    buffer = growth.buffer
    assert buffer is not None
    buffer.narrow(growth.dim, length, more).copy_(right)
    growth.used = length + more
    result = buffer.narrow(growth.dim, 0, growth.used)
    result.__dict__[_KEY] = growth
    return result
