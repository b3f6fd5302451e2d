"""Matrices as signed bytes, what `KOHARU_TORCH_WEIGHT_KIND=int8` makes of a model's weights.

The layout is that of ggml's Q8_0, which multiplies it without unpacking: every 32 values of a row
are one block, a float16 scale and 32 bytes. The weights alone are quantised, not the model's state.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional as F

from flint.runtime.fast_weight import attach_blocks

_VALUES, _BLOCK = 32, 34  # values of a block, and its bytes
_LARGEST = 127
_ELEMENTS_AT_ONCE = 2**20  # that are unpacked in memory while a matrix is quantised


class Int8Weight(Tensor):
    """A float32 matrix `[out, in]` that is kept as blocks; torch operations see its values."""

    blocks: Tensor  # uint8 [out, in / 32 * 34]

    @staticmethod
    def __new__(cls, blocks: Tensor) -> Int8Weight:
        """The matrix of these blocks."""
        shape = (len(blocks), blocks.shape[1] // _BLOCK * _VALUES)
        made: Int8Weight = Tensor._make_wrapper_subclass(
            cls, shape, dtype=torch.float32, device=blocks.device
        )
        made.blocks = blocks
        attach_blocks(made, blocks)
        return made

    @classmethod
    def __torch_dispatch__(  # type: ignore[override]  # torch annotates no classmethod
        cls, operation: Any, types: Any, args: tuple[Any, ...] = (), kwargs: Any = None
    ) -> Any:
        """Any operation but those below computes with the values, unpacked for it."""
        both = torch.utils._pytree.tree_map_only(cls, cls.unpacked, (args, kwargs or {}))
        return operation(*both[0], **both[1])

    def __repr__(self, *, tensor_contents: Any = None) -> str:  # type: ignore[override]
        return f"Int8Weight(shape={list(self.shape)}, device={str(self.device)!r})"

    def unpacked(self) -> Tensor:
        """The values, float32 `[out, in]`."""
        return _unpacked(self.blocks)

    def rows(self, indices: Tensor) -> Tensor:
        """The rows at int64 `indices` `[…]`, float32 `[…, in]`; IndexError if there is no such."""
        return _unpacked(F.embedding(indices, self.blocks))


def plain(tensor: Tensor) -> Tensor:
    """The tensor, with its values unpacked if it is an `Int8Weight`, which has none in memory."""
    return tensor.unpacked() if isinstance(tensor, Int8Weight) else tensor


def quantized(tensor: Tensor) -> Tensor:
    """The floating tensor as an `Int8Weight` if it is a matrix whose rows are whole blocks.

    Anything else is returned in float32. The scale of a block is that of its largest value.
    """
    if tensor.dim() != 2 or tensor.shape[1] % _VALUES or tensor.numel() == 0:
        return tensor.float()
    packed = torch.empty(len(tensor), tensor.shape[1] // _VALUES, _BLOCK, dtype=torch.uint8)
    packed = packed.to(tensor.device)
    rows = max(1, _ELEMENTS_AT_ONCE // tensor.shape[1])
    for source, target in zip(torch.split(tensor, rows), torch.split(packed, rows), strict=True):
        _pack(source.float().view(len(source), -1, _VALUES), target)
    return Int8Weight(packed.flatten(1))


def joined(tensors: Sequence[Tensor]) -> Tensor:
    """The tensors joined along dimension 0."""
    parts = [tensor.blocks for tensor in tensors if isinstance(tensor, Int8Weight)]
    return Int8Weight(torch.cat(parts)) if len(parts) == len(tensors) else torch.cat(list(tensors))


def _pack(blocks: Tensor, target: Tensor) -> None:
    """Write float32 `[rows, blocks, 32]` as bytes `[rows, blocks, 34]`."""
    scales = blocks.abs().amax(-1, keepdim=True) / _LARGEST
    values = torch.where(scales > 0, blocks / scales, 0).round_().to(torch.int8)
    target[..., :2] = scales.half().view(torch.uint8)
    target[..., 2:] = values.view(torch.uint8)


def _unpacked(blocks: Tensor) -> Tensor:
    """The values of bytes `[…, in / 32 * 34]`, float32 `[…, in]`."""
    block = blocks.reshape(*blocks.shape[:-1], -1, _BLOCK)
    scales = block[..., :2].contiguous().view(torch.float16).float()
    values = block[..., 2:].contiguous().view(torch.int8).float()
    return (values * scales).flatten(-2)
