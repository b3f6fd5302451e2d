"""What layers compute, written with numpy in float64 from their definitions."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

Array = Any


def erf(x: Array) -> Array:
    return np.vectorize(math.erf)(x)


def sigmoid(x: Array) -> Array:
    return 1 / (1 + np.exp(-x))


def silu(x: Array) -> Array:
    return x * sigmoid(x)


def swiglu(x: Array) -> Array:
    gate, value = np.split(x, 2, axis=-1)
    return silu(gate) * value


def gelu(x: Array, approximate: str) -> Array:
    if approximate == "none":
        return x * 0.5 * (1 + erf(x / np.sqrt(2)))
    return 0.5 * x * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3)))


def softmax(x: Array, dim: int) -> Array:
    powers = np.exp(x - x.max(axis=dim, keepdims=True))
    return powers / powers.sum(axis=dim, keepdims=True)


def linear(x: Array, weight: Array, bias: Array | None) -> Array:
    return x @ weight.T + (0 if bias is None else bias)


def rms_norm(x: Array, weight: Array, eps: float) -> Array:
    over = tuple(range(-weight.ndim, 0))
    return x / np.sqrt((x**2).mean(axis=over, keepdims=True) + eps) * weight


def layer_norm(x: Array, weight: Array | None, bias: Array | None, eps: float, _: int) -> Array:
    centred = x - x.mean(axis=-1, keepdims=True)
    plain = centred / np.sqrt(x.var(axis=-1, keepdims=True) + eps)
    return plain * (1 if weight is None else weight) + (0 if bias is None else bias)


def rotated(x: Array, cos: Array, sin: Array) -> Array:
    first, second = np.split(x, 2, axis=-1)
    return x * cos + np.concatenate([-second, first], axis=-1) * sin


def rope_angles(length: int, size: int, theta: float, start: int = 0) -> Array:
    """`[1, 1, length, size]`, every frequency twice."""
    positions = np.arange(start, start + length)[:, None]
    angles = positions / theta ** (np.arange(size // 2) * 2 / size)
    return np.concatenate([angles, angles], axis=1)[None, None]


def attended(query: Array, key: Array, value: Array, mask: Array) -> Array:
    scores = query @ key.swapaxes(-1, -2) / np.sqrt(query.shape[-1]) + mask
    return softmax(scores, -1) @ value


def causally_attended(query: Array, key: Array, value: Array, causal: bool) -> Array:
    # row i sees columns 0 … i, whatever the number of columns
    shape = query.shape[-2], key.shape[-2]
    mask = np.where(np.tri(*shape) > 0, 0, -np.inf) if causal else np.zeros(shape)
    return attended(query, key, value, mask)


def conv1d(
    x: Array,
    weight: Array,
    bias: Array | None,
    stride: int,
    padding: int,
    dilation: int,
    groups: int,
) -> Array:
    x = np.pad(x, ((0, 0), (0, 0), (padding, padding)))
    out, per_group, taps = weight.shape
    length = (x.shape[2] - dilation * (taps - 1) - 1) // stride + 1
    result = np.zeros((x.shape[0], out, length))
    for o in range(out):
        first = o // (out // groups) * per_group
        for at in range(length):
            window = x[:, first : first + per_group, at * stride :]
            result[:, o, at] = (window[:, :, : dilation * taps : dilation] * weight[o]).sum((1, 2))
    return result if bias is None else result + bias[:, None]


def conv2d(x: Array, weight: Array, bias: Array | None, stride: int) -> Array:
    """Without padding."""
    windows = np.lib.stride_tricks.sliding_window_view(x, weight.shape[2:], axis=(2, 3))
    result = np.einsum("bchwij,ocij->bohw", windows[:, :, ::stride, ::stride], weight)
    return result if bias is None else result + bias[:, None, None]


def conv_transpose2d(x: Array, weight: Array, bias: Array) -> Array:
    """Kernel 3, stride 2, padding 1, output padding 1."""
    batch, _, height, width = x.shape
    # every input spreads its kernel over the output, two steps apart; one border row is cut
    spread = np.zeros((batch, weight.shape[1], 2 * height + 2, 2 * width + 2))
    for i in range(height):
        for j in range(width):
            patch = np.einsum("bc,coij->boij", x[:, :, i, j], weight)
            spread[:, :, 2 * i : 2 * i + 3, 2 * j : 2 * j + 3] += patch
    return spread[:, :, 1:-1, 1:-1] + bias[:, None, None]


def batch_norm2d(x: Array, weight: Array, bias: Array, mean: Array, variance: Array) -> Array:
    weight, bias, mean, variance = (v[:, None, None] for v in (weight, bias, mean, variance))
    return (x - mean) / np.sqrt(variance + 1e-5) * weight + bias
