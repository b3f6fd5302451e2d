"""Whether torch's operations are just done: only then may something else do their work.

A mode of torch that only looks at what is done says so by an attribute `only_watches`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch.autograd import forward_ad
from torch.utils._python_dispatch import _get_current_dispatch_mode_stack

_is_tracing: Callable[[], bool] = torch._C._is_tracing
# Both are looked at in every call; torch's functions around them take several times as long.
_modes: Callable[[], int] = torch._C._len_torch_dispatch_stack
_transforms: Callable[[], Any] = torch._C._functorch.peek_interpreter_stack


def is_eager() -> bool:
    """False where operations are recorded, compiled, transformed or done with pretended tensors."""
    return not (
        torch.compiler.is_compiling()
        or _is_tracing()
        or (_modes() and not all(map(_only_watches, _get_current_dispatch_mode_stack())))
        or _transforms() is not None
        or forward_ad._current_level >= 0
    )


def _only_watches(mode: object) -> bool:
    return getattr(mode, "only_watches", False)
