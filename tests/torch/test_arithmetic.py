"""`flint::tensor`: arithmetic and activations against numpy's formulas in float64."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch

from flint.runtime import tensor
from tests.torch.support import close, exactly, numbers, random, refusal

INF = float("inf")


def erf(values: Any) -> Any:
    return np.vectorize(math.erf)(values)


def sigmoid(x: Any) -> Any:
    return 1 / (1 + np.exp(-x))


UNARY: dict[str, Callable[[Any], Any]] = {
    "neg": lambda x: -x,
    "cos": np.cos,
    "sin": np.sin,
    "relu": lambda x: np.maximum(x, 0),
    "sigmoid": sigmoid,
    "silu": lambda x: x * sigmoid(x),
    "swiglu": lambda x: x[..., :4] * sigmoid(x[..., :4]) * x[..., 4:],
}


@pytest.mark.parametrize("name", UNARY)
def test_unary(name: str, dtype: torch.dtype) -> None:
    x = random(3, 8, dtype=dtype)
    result = getattr(tensor, name)(x)
    assert result.dtype == dtype
    close(result, UNARY[name](numbers(x)))


def test_rsqrt(dtype: torch.dtype) -> None:
    close(tensor.rsqrt(torch.tensor([4.0, 0.25, 1.0], dtype=dtype)), [0.5, 2, 1])


def test_gelu(dtype: torch.dtype) -> None:
    x = random(3, 8, dtype=dtype)
    y = numbers(x)
    close(tensor.gelu(x, "none"), y * 0.5 * (1 + erf(y / np.sqrt(2))))
    by_tanh = 0.5 * y * (1 + np.tanh(np.sqrt(2 / np.pi) * (y + 0.044715 * y**3)))
    close(tensor.gelu(x, "tanh"), by_tanh)


def test_gelu_knows_two_forms() -> None:
    message = refusal(lambda: tensor.gelu(random(2), "fast"))
    assert message.startswith("flint::tensor::gelu: ")
    assert "tensor: float32 [2], approximate: 'fast'" in message


@pytest.mark.parametrize(
    ("name", "formula"), [("add", np.add), ("sub", np.subtract), ("mul", np.multiply)]
)
def test_binary_broadcasts(name: str, formula: Any, dtype: torch.dtype) -> None:
    left, right = random(2, 1, 5, dtype=dtype), random(3, 1, dtype=dtype, seed=1)
    result = getattr(tensor, name)(left, right)
    assert result.dtype == dtype
    close(result, formula(numbers(left), numbers(right)))


def test_dtypes_are_promoted() -> None:
    half, single = torch.ones(2, dtype=torch.bfloat16), torch.ones(2)
    assert tensor.add(half, single).dtype == torch.float32
    assert tensor.mul(torch.ones(2, dtype=torch.int64), half).dtype == torch.bfloat16


def test_shapes_that_do_not_fit() -> None:
    message = refusal(lambda: tensor.add(random(2, 3), random(4)))
    assert message == (
        "flint::tensor::add: The size of tensor a (3) must match the size of tensor b (4) at"
        " non-singleton dimension 1 (left: float32 [2, 3], right: float32 [4])"
    )


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("add_scalar", [3.5, 4.5]),
        ("mul_scalar", [2.5, 5.0]),
        ("div_scalar", [0.4, 0.8]),
        ("pow_scalar", [1.0, 2**2.5]),
    ],
)
def test_scalars(name: str, expected: list[float], dtype: torch.dtype) -> None:
    function = getattr(tensor, name)
    result = function(torch.tensor([1.0, 2.0], dtype=dtype), 2.5)
    assert result.dtype == dtype
    close(result, expected)
    from_ints = function(torch.tensor([1, 2]), 2.5)
    assert from_ints.dtype == torch.float32
    close(from_ints, expected)


def test_an_int_is_a_fine_scalar() -> None:
    exactly(tensor.add_scalar(torch.tensor([1, 2]), 2), [3.0, 4.0], torch.float32)


def test_mean_is_float32(dtype: torch.dtype) -> None:
    x = random(2, 4, dtype=dtype)
    kept = tensor.mean_dim(x, 1, True)
    assert kept.dtype == torch.float32
    close(kept, numbers(x).mean(axis=1, keepdims=True))
    close(tensor.mean_dim(x, -2, False), numbers(x).mean(axis=0))
    close(tensor.mean_dim(torch.tensor([[1, 2]]), 1, False), [1.5])


def test_softmax_is_float32(dtype: torch.dtype) -> None:
    x = random(2, 5, dtype=dtype)
    result = tensor.softmax(x, -1)
    assert result.dtype == torch.float32
    powers = np.exp(numbers(x))
    close(result, powers / powers.sum(axis=-1, keepdims=True))


def test_matmul(dtype: torch.dtype) -> None:
    left, right = random(2, 1, 3, 4, dtype=dtype), random(5, 4, 2, dtype=dtype, seed=1)
    close(tensor.matmul(left, right), numbers(left) @ numbers(right))


def test_matmul_refuses() -> None:
    message = refusal(lambda: tensor.matmul(random(2, 3), random(2, 3)))
    assert "left: float32 [2, 3], right: float32 [2, 3]" in message


def test_masked_fill(dtype: torch.dtype) -> None:
    mask = torch.tensor([True, False])
    result = tensor.masked_fill(torch.ones(2, 2, dtype=dtype), mask, -INF)
    exactly(result, [[-INF, 1.0], [-INF, 1.0]], dtype)
    assert "int64 [2]" in refusal(lambda: tensor.masked_fill(random(2), torch.tensor([1, 0]), 0.0))


def test_swiglu_refuses() -> None:
    assert refusal(lambda: tensor.swiglu(torch.tensor(1.0))) == (
        "flint::tensor::swiglu: swiglu needs at least 1 dimension"
    )
    assert refusal(lambda: tensor.swiglu(random(2, 3))) == (
        "flint::tensor::swiglu: swiglu needs an even last dimension, not 3"
    )


def test_avg_pool(dtype: torch.dtype) -> None:
    x = random(1, 2, 5, 6, dtype=dtype)
    squares = numbers(x)[:, :, :4].reshape(1, 2, 2, 2, 3, 2)
    close(tensor.avg_pool2d_2(x), squares.mean(axis=(3, 5)))


def test_reflection(dtype: torch.dtype) -> None:
    x = random(1, 3, 4, dtype=dtype)
    padded = np.pad(numbers(x), ((0, 0), (1, 2), (3, 0)), mode="reflect")
    close(tensor.pad_reflect2d(x, 3, 0, 1, 2), padded)
    message = refusal(lambda: tensor.pad_reflect2d(random(1, 3, 4), 4, 0, 0, 0))
    assert message.startswith("flint::tensor::pad_reflect2d: ")


def test_fft_and_back() -> None:
    x = random(2, 4, 6)
    spectrum = tensor.fft_rfftn2(x)
    expected = np.fft.rfftn(numbers(x), axes=(-2, -1), norm="ortho")
    close(tensor.real(spectrum), expected.real)
    close(tensor.imag(spectrum), expected.imag)
    again = tensor.complex(tensor.real(spectrum), tensor.imag(spectrum))
    assert again.dtype == torch.complex64
    close(tensor.fft_irfftn2(again, 4, 6), numbers(x))


def test_complex_refuses() -> None:
    assert refusal(lambda: tensor.imag(random(2))).startswith("flint::tensor::imag: ")
    half = random(2, dtype=torch.bfloat16)
    assert "bfloat16 [2]" in refusal(lambda: tensor.complex(half, half))
    assert tensor.real(half) is not None
    close(tensor.real(half), numbers(half))
