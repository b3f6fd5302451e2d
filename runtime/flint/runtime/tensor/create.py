"""Casts, new tensors and attention masks (host-functions.md 9.2)."""

from __future__ import annotations

import torch
from torch import Tensor

from flint.runtime.context import current
from flint.runtime.host import Refused
from flint.runtime.op import op
from flint.runtime.tensor_size import require_room


@op
def to_float(tensor: Tensor) -> Tensor:
    """Return the tensor as float32, in its shape; of complex numbers the real part."""
    return _cast(tensor, torch.float32)


@op
def to_bfloat16(tensor: Tensor) -> Tensor:
    """Return the tensor as bfloat16, in its shape; of complex numbers the real part."""
    return _cast(tensor, torch.bfloat16)


@op
def type_as(tensor: Tensor, other: Tensor) -> Tensor:
    """Return `tensor` in its shape and the dtype of `other`. A function of ours."""
    return _cast(tensor, other.dtype)


@op
def ones_like(tensor: Tensor) -> Tensor:
    """Return ones with the shape, dtype and device of `tensor`."""
    return torch.ones_like(tensor)


@op
def zeros_like(tensor: Tensor) -> Tensor:
    """Return zeros with the shape, dtype and device of `tensor`."""
    return torch.zeros_like(tensor)


@op
def zeros_like_int(tensor: Tensor) -> Tensor:
    """Return int64 zeros with the shape of `tensor`."""
    return torch.zeros(tensor.shape, dtype=torch.int64, device=current().session.device)


@op
def arange(end: int) -> Tensor:
    """Return int64 `[end]`: 0, 1, … end - 1."""
    return _range(0, end)


@op
def arange_start(start: int, end: int) -> Tensor:
    """Return int64 `[end - start]`: start, … end - 1."""
    return _range(start, end)


@op
def causal_mask(seq_len: int) -> Tensor:
    """Return float32 `[1, 1, S, S]`: 0 where column <= row, -inf above the diagonal."""
    if seq_len < 0:
        raise Refused(f"seq_len {seq_len} is below 0")
    return additive(_causal(seq_len, 1, current().session.device))[None, None]


@op
def padding_mask(attention_mask: Tensor) -> Tensor:
    """Return float32 `[B, 1, 1, S]` for a mask `[B, S]`: 0 where it is not 0, else -inf."""
    return additive(_real(attention_mask))[:, None, None]


@op
def causal_padding_mask(attention_mask: Tensor) -> Tensor:
    """Return float32 `[B, 1, S, S]` for a mask `[B, S]`.

    0 where the column is not padding (mask not 0) and column <= row, -inf elsewhere.
    """
    real = _real(attention_mask)
    batch, length = real.shape
    return additive(real[:, None, None] & _causal(length, batch, real.device))


def real_part(tensor: Tensor) -> Tensor:
    """What torch keeps of complex numbers when it casts them to floats, with a warning."""
    return tensor.real if tensor.is_complex() else tensor


def additive(visible: Tensor) -> Tensor:
    """Scores to add: 0 where `visible`, -inf elsewhere; float32 whatever the weights are."""
    return torch.zeros(visible.shape, device=visible.device).masked_fill_(~visible, float("-inf"))


def _cast(tensor: Tensor, dtype: torch.dtype) -> Tensor:
    return (tensor if dtype.is_complex else real_part(tensor)).to(dtype)


def _real(attention_mask: Tensor) -> Tensor:
    if attention_mask.dim() != 2:
        raise Refused(f"attention mask has to be 2-D, not {list(attention_mask.shape)}")
    return (attention_mask != 0).to(current().session.device)


def _range(start: int, end: int) -> Tensor:
    device = current().session.device
    require_room((end - start,), 8, device)
    return torch.arange(start, end, device=device)


def _causal(length: int, batch: int, device: torch.device) -> Tensor:
    """Bool `[S, S]`: column <= row; refused if float32 `[batch, S, S]` is too large."""
    require_room((batch, length, length), 4, device)
    return torch.ones(length, length, dtype=torch.bool, device=device).tril()
