"""Types of weights that ggml multiplies with; on the others stable-diffusion.cpp aborts.

Found by loading and running a small model in each type.
"""

from __future__ import annotations

_NOT_COMPUTED = frozenset(("q8_1", "q8_k", "i8", "i16", "i32", "i64", "f64", "u8"))


def computes_with(dtype: str) -> bool:
    """Whether weights may have this type."""
    return dtype not in _NOT_COMPUTED
