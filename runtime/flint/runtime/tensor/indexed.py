"""Selection and masks by positions that are tensors, and so need not be known to the host."""

from __future__ import annotations

import torch
from torch import Tensor

from flint.runtime.host import Refused
from flint.runtime.op import op
from flint.runtime.tensor.create import additive
from flint.runtime.tensor_size import require_room


@op
def index_select(tensor: Tensor, dim: int, indices: Tensor) -> Tensor:
    """Return the entries at `indices`, int64 `[n]`, along `dim`: `[…, m, …]` → `[…, n, …]`.

    A function of ours.
    """
    return tensor.index_select(dim, indices)


@op
def causal_mask_at(positions: Tensor, columns: int) -> Tensor:
    """Return float32 `[1, 1, n, columns]` for `positions` `[n]`: 0 where column <= position.

    Elsewhere -inf: the rows of `causal_mask` at the positions. A function of ours.
    """
    if positions.dim() != 1:
        raise Refused(f"positions have to be 1-D, not {list(positions.shape)}")
    if columns < 0:
        raise Refused(f"columns {columns} is below 0")
    require_room((len(positions), columns), 4, positions.device)
    places = torch.arange(columns, device=positions.device)
    return additive(places <= positions[:, None])[None, None]
