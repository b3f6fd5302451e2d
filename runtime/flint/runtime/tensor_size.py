"""Refusing tensors that memory cannot hold, before the system ends the process for them."""

from __future__ import annotations

import math

import torch

from flint.runtime.host import Refused
from flint.runtime.machine import memory_limit

# Smaller ones are not worth asking the system for its limit.
_SMALL = 2**28


def require_room(shape: tuple[int, ...], item_size: int, device: torch.device) -> None:
    """`Refused` if a tensor of this shape, `item_size` bytes an element, is too large for the CPU.

    Accelerators refuse by themselves, and so does torch what is no shape.
    """
    if device.type != "cpu" or min(shape, default=0) < 0:
        return
    size = math.prod(shape) * item_size
    limit = memory_limit() if size > _SMALL else None
    if limit is not None and size > limit:
        sizes = f"{_gib(size)} GiB, of {_gib(limit)} GiB of memory"
        raise Refused(f"a tensor of shape {list(shape)} takes {sizes}")


def _gib(size: int) -> str:
    return f"{size / 2**30:,.1f}"
