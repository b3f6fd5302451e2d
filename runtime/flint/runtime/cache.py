"""`flint::cache`: tensors under names, kept until the run ends (host-functions.md 5)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flint.runtime.context import active
from flint.runtime.host import Refused, host

if TYPE_CHECKING:
    from torch import Tensor


@host
def clear() -> bool:
    """Forget all names."""
    active().tensors.cache.clear()
    return True


@host
def has(name: str) -> bool:
    """Return whether a tensor is kept under `name`."""
    return name in active().tensors.cache


@host
def get(name: str) -> Tensor:
    """Return the tensor kept under `name`; fails if there is none."""
    tensor = active().tensors.cache.get(name)
    if tensor is None:
        raise Refused(f"nothing cached under {name!r}")
    return tensor


@host
def set(name: str, tensor: Tensor) -> bool:
    """Keep `tensor` (not a copy) under `name`, in place of what was there."""
    active().tensors.cache[name] = tensor
    return True
