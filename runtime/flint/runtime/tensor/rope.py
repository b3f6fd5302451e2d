"""Rotary position tables, computed in float32 and kept for the run (host-functions.md 9.3)."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor

from flint.runtime.context import current
from flint.runtime.host import Refused
from flint.runtime.op import op
from flint.runtime.tensor_size import require_room
from flint.runtime.weight_kind import table_dtype

_FIRST_LENGTH = 128
_MOST_ELEMENTS = 2**31
_FUNCTIONS: dict[str, Callable[[Tensor], Tensor]] = {"cos": torch.cos, "sin": torch.sin}


@op
def rope_cos(seq_len: int, head_dim: int, theta: float) -> Tensor:
    """Return `[1, 1, seq_len, head_dim]`: cosines for positions 0 …; see `rope_cos_at`."""
    return _rows("cos", seq_len, head_dim, theta, 0)


@op
def rope_sin(seq_len: int, head_dim: int, theta: float) -> Tensor:
    """Return `[1, 1, seq_len, head_dim]`: sines for positions 0 …; see `rope_cos_at`."""
    return _rows("sin", seq_len, head_dim, theta, 0)


@op
def rope_cos_at(seq_len: int, head_dim: int, theta: float, start: int) -> Tensor:
    """Return `[1, 1, seq_len, head_dim]`: cosines for positions start … start + seq_len - 1.

    Columns i and i + head_dim / 2 hold cos(position / theta^(2i / head_dim)), computed in float32.
    The dtype is that of the weights (`KOHARU_TORCH_WEIGHT_KIND`), bfloat16 for `native`.
    """
    return _rows("cos", seq_len, head_dim, theta, start)


@op
def rope_sin_at(seq_len: int, head_dim: int, theta: float, start: int) -> Tensor:
    """Return `[1, 1, seq_len, head_dim]`: as `rope_cos_at`, with sines."""
    return _rows("sin", seq_len, head_dim, theta, start)


def _rows(function: str, seq_len: int, head_dim: int, theta: float, start: int) -> Tensor:
    for name, value in (("seq_len", seq_len), ("head_dim", head_dim), ("start", start)):
        if value < 0:
            raise Refused(f"{name} {value} is below 0")
    table = _table(function, start + seq_len, head_dim, theta)
    return table.narrow(0, start, seq_len)[None, None]


def _table(function: str, length: int, head_dim: int, theta: float) -> Tensor:
    """A table of at least `length` rows; it doubles when it has to grow."""
    tables = current().tensors.rope_tables
    old = tables.get((function, head_dim, theta))
    if old is not None and len(old) >= length:
        return old
    if length * head_dim > _MOST_ELEMENTS:
        raise Refused(f"rope range too large: {length} positions of {head_dim} values")
    require_room((length, head_dim), 4, current().session.device)
    rows = max(length, 2 * len(old) if old is not None else 0, _FIRST_LENGTH)
    table = _FUNCTIONS[function](_angles(rows, head_dim, theta))
    if head_dim % 2:
        table[:, -1] = 0
    tables[function, head_dim, theta] = table = table.to(table_dtype())
    return table


def _angles(length: int, head_dim: int, theta: float) -> Tensor:
    """Float32 `[length, head_dim]`; the last column of an odd head size is of no use."""
    device = current().session.device
    positions = torch.arange(length, dtype=torch.float32, device=device)
    columns = max(head_dim - 1, 0)
    exponents = torch.arange(0, columns, 2, dtype=torch.float32, device=device) / head_dim
    angles = positions[:, None] / torch.tensor(theta, device=device) ** exponents
    return torch.cat((angles, angles, positions[:, None]), dim=1)[:, :head_dim]
