"""Calling host functions inside a run, and comparing tensors with numpy's numbers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np
import pytest
import torch
from numpy.typing import NDArray

from flint import HostError
from flint.runtime.context import run
from flint.runtime.session import Session

Result = TypeVar("Result")
Numbers = NDArray[np.float64]

INF = float("inf")
F32, BF16, F16 = torch.float32, torch.bfloat16, torch.float16
FP8, INT = torch.float8_e4m3fn, torch.int64

# relative to the size of the values; bfloat16 has 8 bits, float16 has 11, float32 has 24
TOLERANCE = {
    torch.float64: 1e-12,
    torch.float32: 2e-5,
    torch.bfloat16: 2e-2,
    torch.float16: 3e-3,
    torch.int64: 0,
}


def in_run(
    function: Callable[[], Result], *args: str, session: Session | None = None, inputs: Any = ()
) -> Result:
    """What `function` returns when a run on the CPU calls it."""
    results: list[Result] = []
    run(lambda: results.append(function()), args, inputs, session or Session("cpu"))
    return results[0]


def refusal(function: Callable[[], object], session: Session | None = None) -> str:
    """The message with which a host function refuses."""
    with pytest.raises(HostError) as caught:
        in_run(function, session=session)
    return caught.value.message


def random(*shape: int, dtype: torch.dtype = torch.float32, seed: int = 0) -> torch.Tensor:
    """Values around 0, of size 1."""
    generator = torch.Generator().manual_seed(seed)
    return torch.randn(*shape, generator=generator).to(dtype)


def ints(*values: Any) -> torch.Tensor:
    """An int64 tensor."""
    return torch.tensor(values, dtype=INT)


def numbers(tensor: torch.Tensor) -> Numbers:
    """The values of a tensor as numpy float64; other than floats keep their type."""
    return (tensor.double() if tensor.is_floating_point() else tensor).detach().numpy()


def close(tensor: torch.Tensor, expected: Any, dtype: torch.dtype | None = None) -> None:
    """Assert shape and values, as exactly as the type (or `dtype`, which computed it) can be."""
    wanted = np.asarray(expected, dtype=np.float64)
    assert tuple(tensor.shape) == wanted.shape
    tolerance = TOLERANCE[dtype or tensor.dtype]
    np.testing.assert_allclose(numbers(tensor), wanted, rtol=tolerance, atol=tolerance)


def exactly(tensor: torch.Tensor, expected: Any, dtype: torch.dtype) -> None:
    """Assert type, shape and values."""
    assert tensor.dtype == dtype
    assert tensor.tolist() == expected
