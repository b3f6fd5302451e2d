"""`flint::tensor`: arithmetic, activations, complex numbers, pooling.

Source: host-functions.md 9.4, 9.7, 9.8.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from tests.torch import formulas
from tests.torch.case import Case, Exempt, Refusal, because, each, floats
from tests.torch.support import BF16, F16, F32, FP8, INF, ints, random

WIDE, SINGLE = (F32, torch.float64), (F32,)


def matrix(dtype: torch.dtype) -> tuple[torch.Tensor]:
    return (random(3, 8, dtype=dtype),)


def positive(dtype: torch.dtype) -> tuple[torch.Tensor]:
    return (random(3, 8, dtype=dtype).abs() + 0.25,)


def broadcast(dtype: torch.dtype) -> tuple[torch.Tensor, ...]:
    return random(2, 1, 5, dtype=dtype), random(3, 1, dtype=dtype, seed=1)


def image(dtype: torch.dtype) -> tuple[torch.Tensor]:
    return (random(1, 2, 5, 6, dtype=dtype),)


def squares(x: Any) -> Any:
    """Means of 2 x 2 squares; an odd last row or column has no square."""
    height, width = x.shape[2] // 2, x.shape[3] // 2
    parts = x[:, :, : 2 * height, : 2 * width].reshape(*x.shape[:2], height, 2, width, 2)
    return parts.mean(axis=(3, 5))


def reflected(x: Any, left: int, right: int, top: int, bottom: int) -> Any:
    return np.pad(x, ((0, 0), (top, bottom), (left, right)), mode="reflect")


def spectrum(x: Any) -> Any:
    return np.fft.rfftn(x, axes=(-2, -1), norm="ortho")


def signal(x: Any, height: int, width: int) -> Any:
    return np.fft.irfftn(x, s=(height, width), axes=(-2, -1), norm="ortho")


def waves(*shape: int) -> torch.Tensor:
    """Complex values around 0."""
    return torch.complex(random(*shape), random(*shape, seed=1))


CASES: list[Case] = [
    *floats("tensor::neg", matrix, np.negative),
    *floats("tensor::cos", matrix, np.cos),
    *floats("tensor::sin", matrix, np.sin),
    *floats("tensor::rsqrt", positive, lambda x: 1 / np.sqrt(x)),
    *floats("tensor::relu", matrix, lambda x: np.maximum(x, 0)),
    *floats("tensor::sigmoid", matrix, formulas.sigmoid),
    *floats("tensor::silu", matrix, formulas.silu),
    *floats("tensor::swiglu", matrix, formulas.swiglu),
    *floats("tensor::gelu", lambda t: (*matrix(t), "none"), formulas.gelu),
    *floats("tensor::gelu", lambda t: (*matrix(t), "tanh"), formulas.gelu),
    *floats("tensor::add", broadcast, np.add),
    *floats("tensor::sub", broadcast, np.subtract),
    *floats("tensor::mul", broadcast, np.multiply),
    *floats("tensor::add_scalar", lambda t: (*matrix(t), 2.5), np.add),
    *floats("tensor::mul_scalar", lambda t: (*matrix(t), -2.5), np.multiply),
    *floats("tensor::div_scalar", lambda t: (*matrix(t), 0.3), np.divide),
    *floats("tensor::pow_scalar", lambda t: (*positive(t), 1.5), np.power),
    *floats(
        "tensor::mean_dim",
        lambda t: (*matrix(t), 1, True),
        lambda x, dim, keep: x.mean(axis=dim, keepdims=keep),
        F32,
    ),
    *floats(
        "tensor::mean_dim",
        lambda t: (*matrix(t), -2, False),
        lambda x, dim, keep: x.mean(axis=dim),
        F32,
    ),
    *floats("tensor::softmax", lambda t: (*matrix(t), -1), formulas.softmax, F32),
    *floats("tensor::softmax", lambda t: (*matrix(t), 0), formulas.softmax, F32),
    *floats(
        "tensor::matmul",
        lambda t: (random(2, 1, 3, 4, dtype=t), random(5, 4, 2, dtype=t, seed=1)),
        np.matmul,
    ),
    *floats(
        "tensor::masked_fill",
        lambda t: (random(2, 3, dtype=t), torch.tensor([1, 0, 1]) > 0, -INF),
        lambda x, mask, value: np.where(mask, value, x),
    ),
    *floats("tensor::avg_pool2d_2", image, squares),
    *floats("tensor::pad_reflect2d", lambda t: (random(1, 3, 4, dtype=t), 3, 0, 1, 2), reflected),
    *floats("tensor::real", matrix, lambda x: x),
    # ints: float32 by scalars and where a function has no int result, else as they are
    Case("tensor::add", (ints(1, 2), ints([3], [4])), ints([4, 5], [5, 6])),
    Case("tensor::sub", (ints(1, 2), ints(5, 5)), ints(-4, -3)),
    Case("tensor::mul", (ints(2**40, -3), ints(2, 2)), ints(2**41, -6)),
    Case("tensor::add", (ints(1), random(1)), lambda x, y: x + y, result=F32),
    Case(
        "tensor::mul", (ints(3), torch.tensor([0.5], dtype=BF16)), torch.tensor([1.5], dtype=BF16)
    ),
    Case(
        "tensor::add", (torch.tensor([1.0], dtype=BF16), torch.tensor([0.5])), torch.tensor([1.5])
    ),
    Case(
        "tensor::add",
        (torch.tensor([1.0], dtype=F16), torch.tensor([0.5], dtype=BF16)),
        torch.tensor([1.5]),
    ),
    Case("tensor::add_scalar", (ints(1, 2), 2), torch.tensor([3.0, 4.0])),
    Case("tensor::mul_scalar", (ints(1, 2), 2.5), torch.tensor([2.5, 5.0])),
    Case("tensor::div_scalar", (ints(1, 2), 4), torch.tensor([0.25, 0.5])),
    Case("tensor::pow_scalar", (ints(2, 3), 2), torch.tensor([4.0, 9.0])),
    Case("tensor::mean_dim", (ints([1, 2]), 1, False), torch.tensor([1.5])),
    Case("tensor::softmax", (ints(5, 5), 0), torch.tensor([0.5, 0.5])),
    Case("tensor::neg", (ints(1, -(2**62)),), ints(-1, 2**62)),
    Case("tensor::cos", (ints(0, 1),), np.cos, result=F32),
    Case("tensor::matmul", (ints([1, 2]), ints([3], [4])), ints([11])),
    Case("tensor::masked_fill", (ints(1, 2), torch.tensor([True, False]), 7.0), ints(7, 2)),
    Case(
        "tensor::div_scalar",
        (torch.tensor([1.0, -1.0, 0.0]), 0.0),
        lambda *_: [INF, -INF, np.nan],
        result=F32,
    ),
    # complex numbers and Fourier transforms exist for float32 and float64
    *floats(
        "tensor::fft_rfftn2",
        lambda t: (random(2, 4, 6, dtype=t),),
        spectrum,
        torch.complex64,
        SINGLE,
    ),
    *floats(
        "tensor::fft_rfftn2",
        lambda t: (random(3, 5, dtype=t),),
        spectrum,
        torch.complex128,
        WIDE[1:],
    ),
    *floats("tensor::fft_irfftn2", lambda t: (waves(2, 4, 4), 4, 6), signal, types=SINGLE),
    *floats("tensor::fft_irfftn2", lambda t: (waves(3, 3), 3, 5), signal, types=SINGLE),
    *floats("tensor::complex", broadcast, lambda x, y: x + 1j * y, torch.complex64, SINGLE),
    *floats("tensor::real", lambda t: (waves(2, 3),), np.real, types=SINGLE),
    *floats("tensor::imag", lambda t: (waves(2, 3),), np.imag, types=SINGLE),
]

ROW, TALL = random(2, 3), random(4)
BOOL = torch.tensor([True])
EIGHT = torch.ones(2).to(FP8)

REFUSALS: list[Refusal] = [
    *each("tensor::add tensor::sub tensor::mul", "torch", (ROW, TALL), "must match the size"),
    *each(
        "tensor::add_scalar tensor::mul_scalar tensor::div_scalar tensor::pow_scalar",
        "torch",
        (EIGHT, 2.0),
        "not implemented for",
    ),
    *each("tensor::neg", "torch", (BOOL,), "bool tensor is not supported"),
    *each("tensor::relu", "torch", (BOOL,), "not supported for relu"),
    *each(
        "tensor::sigmoid tensor::cos tensor::sin tensor::rsqrt",
        "torch",
        (EIGHT,),
        "not implemented for",
    ),
    *each("tensor::silu tensor::swiglu", "torch", (ints(1, 2),), "not implemented for"),
    Refusal("tensor::gelu", "torch", (ROW, "fast"), "approximate"),
    Refusal("tensor::gelu", "torch", (ints(1), "none"), "not implemented for"),
    Refusal("tensor::swiglu", "rank", (torch.tensor(1.0),), "at least 1 dimension"),
    Refusal("tensor::swiglu", "odd", (ROW,), "needs an even last dimension, not 3"),
    *each("tensor::softmax", "torch", (ROW, 2), "Dimension out of range"),
    Refusal("tensor::mean_dim", "torch", (ROW, -3, True), "Dimension out of range"),
    Refusal("tensor::matmul", "torch", (ROW, ROW), "cannot be multiplied"),
    Refusal("tensor::matmul", "torch", (ROW, ints([1], [2], [3])), "same dtype"),
    Refusal("tensor::masked_fill", "torch", (ROW, ints(1, 0, 0), 0.0), "bool"),
    Refusal("tensor::avg_pool2d_2", "torch", (ROW,), "Dimension out of range"),
    Refusal("tensor::pad_reflect2d", "torch", (random(1, 3, 4), 4, 0, 0, 0), "less than"),
    Refusal("tensor::imag", "torch", (ROW,), "imag is not implemented"),
    Refusal("tensor::complex", "torch", (ROW.bfloat16(), ROW.bfloat16()), "Expected both inputs"),
    Refusal("tensor::complex", "torch", (ROW, ROW.double()), "Expected object of scalar type"),
    Refusal("tensor::fft_rfftn2", "torch", (TALL,), "Dimension out of range"),
    Refusal("tensor::fft_rfftn2", "torch", (ROW.half(),), "Unsupported dtype"),
    Refusal(
        "tensor::fft_irfftn2", "too large", (waves(2, 2), 2**30, 2**20), "takes 4,194,304.0 GiB"
    ),
    Refusal("tensor::fft_irfftn2", "torch", (waves(2, 2), 0, 2), "Invalid number of data points"),
]

EXEMPT = Exempt(
    torch={"tensor::real": "it takes every type and shape"},
    floats=because(
        "torch has no such complex type",
        "tensor::complex tensor::imag tensor::fft_rfftn2 tensor::fft_irfftn2",
    ),
)
