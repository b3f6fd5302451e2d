"""The dtype that weights are converted to, by the environment (host-functions.md 7.1)."""

from __future__ import annotations

import os

import torch

from flint.runtime.host import Refused

VARIABLE = "KOHARU_TORCH_WEIGHT_KIND"
_DTYPES = {
    **dict.fromkeys(("float", "fp32", "f32"), torch.float32),
    **dict.fromkeys(("half", "fp16", "f16"), torch.float16),
    **dict.fromkeys(("bf16", "bfloat16"), torch.bfloat16),
    "int8": torch.int8,
}
_NATIVE = ("", "native", "auto")


def weight_dtype() -> torch.dtype | None:
    """float32 unless the variable says otherwise; None keeps the dtypes of the file.

    int8 stands for matrices as `Int8Weight` and everything else in float32.
    """
    value = os.environ.get(VARIABLE, "float").lower()
    if value in _NATIVE:
        return None
    if value not in _DTYPES:
        raise Refused(f"{VARIABLE} allows native, half, bf16, float; found {value}")
    return _DTYPES[value]


def table_dtype() -> torch.dtype:
    """As `weight_dtype`, and bfloat16 where that gives no dtype: for tables made here."""
    try:
        dtype = weight_dtype() or torch.bfloat16
    except Refused:
        return torch.bfloat16
    return torch.float32 if dtype is torch.int8 else dtype
