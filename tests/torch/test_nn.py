"""`flint::nn` against numpy's formulas in float64."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from safetensors.torch import save_file

from flint.runtime import nn, tensor, weights
from flint.runtime.session import Session
from tests.torch.support import close, exactly, in_run, numbers, random, refusal


def sigmoid(x: Any) -> Any:
    return 1 / (1 + np.exp(-x))


def test_embedding(dtype: torch.dtype) -> None:
    table = random(5, 3, dtype=dtype)
    result = nn.embedding(torch.tensor([[4, 0, 4]]), table)
    exactly(result, [[table[4].tolist(), table[0].tolist(), table[4].tolist()]], dtype)
    assert "indices: int64 [1], weight: float32 [5, 3]" in refusal(
        lambda: nn.embedding(torch.tensor([5]), random(5, 3))
    )


@pytest.mark.parametrize("shape", [(1, 1, 6), (1, 6), (2, 3, 6), (4, 6), (6,)])
@pytest.mark.parametrize("biased", [False, True])
def test_linear(shape: tuple[int, ...], biased: bool, dtype: torch.dtype) -> None:
    x, weight = random(*shape, dtype=dtype), random(4, 6, dtype=dtype, seed=1)
    bias = random(4, dtype=dtype, seed=2) if biased else None
    result = nn.linear(x, weight, bias)
    assert result.dtype == dtype
    expected = numbers(x) @ numbers(weight).T
    close(result, expected if bias is None else expected + numbers(bias))


@pytest.mark.parametrize("shape", [(1, 1, 8), (2, 3, 8)])
def test_swiglu_linear(shape: tuple[int, ...], dtype: torch.dtype) -> None:
    x, weight = random(*shape, dtype=dtype), random(3, 4, dtype=dtype, seed=1)
    bias = random(3, dtype=dtype, seed=2)
    gate, value = np.split(numbers(x), 2, axis=-1)
    expected = gate * sigmoid(gate) * value @ numbers(weight).T
    close(nn.swiglu_linear(x, weight, None), expected)
    close(nn.swiglu_linear(x, weight, bias), expected + numbers(bias))


def test_linear_refuses() -> None:
    for function in (nn.linear, nn.swiglu_linear):
        message = refusal(lambda function=function: function(random(1, 8), random(3, 5), None))  # type: ignore[misc]
        assert message.startswith(f"flint::nn::{function.__name__}: ")
        assert "tensor: float32 [1, 8], weight: float32 [3, 5], bias: none" in message
    untyped: Any = nn.linear
    assert refusal(lambda: untyped(0, random(1), 0)) == "flint::nn::linear: no tensor with handle 0"
    assert "even last dimension" in refusal(lambda: nn.swiglu_linear(random(3), random(3, 1), None))


def rms(x: Any, weight: Any, eps: float) -> Any:
    return x / np.sqrt((x**2).mean(axis=-1, keepdims=True) + eps) * weight


def test_rms_norm(dtype: torch.dtype) -> None:
    x, weight = random(2, 3, 8, dtype=dtype), random(8, dtype=dtype, seed=1)
    result = nn.rms_norm(x, weight, 0.1)
    assert result.dtype == dtype
    close(result, rms(numbers(x), numbers(weight), 0.1))
    # a weight of another type changes nothing about the type of the result
    single = nn.rms_norm(x, weight.float(), 0.1)
    assert single.dtype == dtype
    close(single, rms(numbers(x), numbers(weight), 0.1))


def test_rms_norm_over_two_dimensions() -> None:
    x, weight = random(2, 3, 4), random(3, 4, seed=1)
    square = (numbers(x) ** 2).mean(axis=(1, 2), keepdims=True)
    close(nn.rms_norm(x, weight, 0.0), numbers(x) / np.sqrt(square) * numbers(weight))


def test_rms_norm_rounds_half_precision_once() -> None:
    x, weight = random(4, 64, dtype=torch.bfloat16), random(64, dtype=torch.bfloat16, seed=1)
    exact = nn.rms_norm(x.float(), weight.float(), 1e-5)
    assert torch.equal(nn.rms_norm(x, weight, 1e-5), exact.bfloat16())


def test_add_rms_norm(dtype: torch.dtype) -> None:
    x, y = random(2, 8, dtype=dtype), random(2, 8, dtype=dtype, seed=1)
    weight = random(8, dtype=dtype, seed=2)
    result = nn.add_rms_norm(x, y, weight, 0.1)
    assert torch.equal(result.local, x + y)
    assert result.global_ is not None
    close(result.global_, rms(numbers(x + y), numbers(weight), 0.1))
    assert "input: float32 [2]" in refusal(
        lambda: nn.add_rms_norm(random(2), random(3), random(3), 0.0)
    )


def test_layer_norm(dtype: torch.dtype) -> None:
    x = random(2, 8, dtype=dtype)
    weight, bias = random(8, dtype=dtype, seed=1), random(8, dtype=dtype, seed=2)
    y = numbers(x)
    plain = (y - y.mean(axis=-1, keepdims=True)) / np.sqrt(y.var(axis=-1, keepdims=True) + 0.1)
    close(nn.layer_norm(x, None, None, 0.1, 8), plain)
    close(nn.layer_norm(x, weight, None, 0.1, 8), plain * numbers(weight))
    close(nn.layer_norm(x, None, bias, 0.1, 8), plain + numbers(bias))
    close(nn.layer_norm(x, weight, bias, 0.1, 8), plain * numbers(weight) + numbers(bias))
    assert "normalized_size: 7" in refusal(lambda: nn.layer_norm(x, None, None, 0.1, 7))


def rotated(x: Any, cos: Any, sin: Any) -> Any:
    half = x.shape[-1] // 2
    return x * cos + np.concatenate([-x[..., half:], x[..., :half]], axis=-1) * sin


def test_rope(dtype: torch.dtype) -> None:
    query, key = random(1, 4, 3, 8, dtype=dtype), random(1, 2, 3, 8, dtype=dtype, seed=1)
    cos, sin = (random(1, 1, 3, 8, dtype=dtype, seed=seed) for seed in (2, 3))
    expected = [rotated(numbers(x), numbers(cos), numbers(sin)) for x in (query, key)]
    close(nn.apply_rope(query, cos, sin), expected[0])
    both = nn.apply_rope_pair(query, key, cos, sin)
    close(both.local, expected[0])
    assert both.global_ is not None
    close(both.global_, expected[1])


def test_rope_refuses() -> None:
    x = random(1, 2, 3, 8)
    scalar = torch.tensor(1.0)
    assert "at least 1 dimension" in refusal(lambda: nn.apply_rope(scalar, x, x))
    assert "query needs at least 2" in refusal(lambda: nn.apply_rope_pair(random(8), x, x, x))
    assert "key needs at least 2" in refusal(lambda: nn.apply_rope_pair(x, random(8), x, x))
    assert "cos: float32 [5, 8]" in refusal(lambda: nn.apply_rope(x, random(5, 8), x))


def attended(query: Any, key: Any, value: Any, mask: Any) -> Any:
    scores = query @ key.swapaxes(-1, -2) / np.sqrt(query.shape[-1]) + mask
    powers = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return powers / powers.sum(axis=-1, keepdims=True) @ value


@pytest.mark.parametrize("causal", [False, True])
def test_attention(causal: bool, dtype: torch.dtype) -> None:
    query = random(2, 3, 4, 8, dtype=dtype)
    key, value = (random(2, 3, 6, 8, dtype=dtype, seed=seed) for seed in (1, 2))
    # row i sees columns 0 … i, whatever the number of columns
    mask = np.where(np.tri(4, 6) > 0, 0, -np.inf) if causal else np.zeros((4, 6))
    result = nn.scaled_dot_product_attention(query, key, value, causal)
    assert result.dtype == dtype
    close(result, attended(numbers(query), numbers(key), numbers(value), mask))


def test_masked_attention(dtype: torch.dtype) -> None:
    query, key, value = (random(1, 2, 3, 8, dtype=dtype, seed=seed) for seed in range(3))
    mask = in_run(lambda: tensor.causal_mask(3))
    expected = attended(*map(numbers, (query, key, value)), numbers(mask))
    close(nn.scaled_dot_product_attention_masked(query, key, value, mask), expected)
    visible = mask == 0
    close(nn.scaled_dot_product_attention_masked(query, key, value, visible), expected)


def test_a_row_that_sees_nothing_gives_zeros() -> None:
    x = random(1, 1, 2, 4)
    mask = torch.tensor([[float("-inf")] * 2, [0.0, 0.0]])
    result = nn.scaled_dot_product_attention_masked(x, x, x, mask)
    assert result[0, 0, 0].tolist() == [0, 0, 0, 0]


def test_attention_refuses() -> None:
    x, other = random(1, 2, 3, 8), random(1, 2, 3, 4)
    assert "key: float32 [1, 2, 3, 4]" in refusal(
        lambda: nn.scaled_dot_product_attention(x, other, x, False)
    )
    ints = torch.zeros(3, 3, dtype=torch.int64)
    assert "mask: int64 [3, 3]" in refusal(
        lambda: nn.scaled_dot_product_attention_masked(x, x, x, ints)
    )


def correlated(x: Any, weight: Any, stride: int, padding: int, dilation: int, groups: int) -> Any:
    x = np.pad(x, ((0, 0), (0, 0), (padding, padding)))
    out, per_group, taps = weight.shape
    length = (x.shape[2] - dilation * (taps - 1) - 1) // stride + 1
    result = np.zeros((x.shape[0], out, length))
    for o in range(out):
        first = o // (out // groups) * per_group
        for at in range(length):
            window = x[:, first : first + per_group, at * stride :][
                :, :, : dilation * taps : dilation
            ]
            result[:, o, at] = (window * weight[o]).sum(axis=(1, 2))
    return result


@pytest.mark.parametrize(
    ("channels", "weight_shape", "settings"),
    [
        (4, (6, 4, 3), (1, 0, 1, 1)),
        (4, (6, 2, 3), (2, 1, 1, 2)),
        (4, (4, 1, 3), (1, 2, 1, 4)),
        (4, (4, 4, 2), (1, 2, 2, 1)),
    ],
)
@pytest.mark.parametrize("biased", [False, True])
def test_conv1d(
    channels: int, weight_shape: Any, settings: Any, biased: bool, dtype: torch.dtype
) -> None:
    x, weight = random(2, channels, 9, dtype=dtype), random(*weight_shape, dtype=dtype, seed=1)
    bias = random(weight_shape[0], dtype=dtype, seed=2) if biased else None
    expected = correlated(numbers(x), numbers(weight), *settings)
    result = nn.conv1d(x, weight, bias, *settings)
    assert result.dtype == dtype
    close(result, expected if bias is None else expected + numbers(bias)[:, None])


def test_conv1d_of_mixed_types_falls_back_to_three_taps() -> None:
    x, weight = random(1, 4, 5, dtype=torch.bfloat16), random(4, 1, 3, seed=1)
    bias = random(4, seed=2)
    expected = correlated(numbers(x), numbers(weight), 1, 2, 1, 4)
    result = nn.conv1d(x, weight, None, 1, 2, 1, 4)
    assert result.dtype == torch.bfloat16
    close(result, expected)
    close(nn.conv1d(x, weight, bias, 1, 2, 1, 4), expected + numbers(bias)[:, None])
    message = refusal(lambda: nn.conv1d(x, weight, None, 2, 2, 1, 4))
    assert "tensor: bfloat16 [1, 4, 5], weight: float32 [4, 1, 3]" in message


def test_conv1d_step_by_step_is_a_causal_convolution(dtype: torch.dtype) -> None:
    x, weight = random(1, 4, 6, dtype=dtype), random(4, 1, 3, dtype=dtype, seed=1)
    expected = correlated(numbers(x), numbers(weight), 1, 2, 1, 4)
    state = torch.zeros(1, 4, 2, dtype=dtype)
    for at in range(6):
        step = nn.conv1d_step(state, x[..., at : at + 1], weight)
        close(step.local, expected[..., at : at + 1])
        assert step.global_ is not None
        state = step.global_
    assert torch.equal(state, x[..., -2:])


def test_conv1d_step_refuses() -> None:
    state, column, weight = random(1, 4, 2), random(1, 4, 1), random(4, 1, 3)
    for arguments in ((random(4, 2), column, weight), (state, column, random(4, 1, 2))):
        assert refusal(lambda arguments=arguments: nn.conv1d_step(*arguments)) == (  # type: ignore[misc]
            "flint::nn::conv1d_step:"
            " conv1d_step wants state [B, C, 2], input [B, C, 1], weight [C, 1, 3]"
        )
    assert "state [1, 3, 2] and input [1, 4, 1] do not fit" in refusal(
        lambda: nn.conv1d_step(random(1, 3, 2), column, weight)
    )


@pytest.fixture
def stored(tmp_path: Path) -> tuple[Session, dict[str, torch.Tensor], str]:
    """A session, the weights of `layer` in it, and their file."""
    names = ("weight", "bias", "running_mean", "running_var")
    held = {f"norm.{name}": random(3, seed=at).abs() for at, name in enumerate(names)}
    held |= {"conv.weight": random(3, 3, 3, 3, seed=7), "conv.bias": random(3, seed=8)}
    path = str(tmp_path / "w.safetensors")
    save_file(held, path)
    return Session("cpu"), held, path


def test_conv2d(stored: tuple[Session, dict[str, torch.Tensor], str]) -> None:
    session, held, path = stored
    x = random(1, 3, 6, 7)
    results = in_run(
        lambda: (
            weights.load(path),
            nn.conv2d(x, "conv", 2, 1, False, True),
            nn.conv2d(x, "conv", 1, 1, True, False),
        ),
        session=session,
    )
    weight, bias = numbers(held["conv.weight"]), numbers(held["conv.bias"])
    zeros = np.pad(numbers(x), ((0, 0), (0, 0), (1, 1), (1, 1)))
    close(results[1], correlated2d(zeros, weight, 2) + bias[:, None, None])
    mirrored = np.pad(numbers(x), ((0, 0), (0, 0), (1, 1), (1, 1)), mode="reflect")
    close(results[2], correlated2d(mirrored, weight, 1))


def correlated2d(x: Any, weight: Any, stride: int) -> Any:
    windows = np.lib.stride_tricks.sliding_window_view(x, (3, 3), axis=(2, 3))
    return np.einsum("bchwij,ocij->bohw", windows[:, :, ::stride, ::stride], weight)


def test_conv_transpose2d(stored: tuple[Session, dict[str, torch.Tensor], str]) -> None:
    session, held, path = stored
    x = random(1, 3, 4, 5)
    _, result = in_run(
        lambda: (weights.load(path), nn.conv_transpose2d(x, "conv")), session=session
    )
    # every input spreads its kernel over the output, two steps apart; one border row is cut
    spread = np.zeros((1, 3, 11, 13))
    for i in range(4):
        for j in range(5):
            patch = np.einsum("bc,coij->boij", numbers(x)[:, :, i, j], numbers(held["conv.weight"]))
            spread[:, :, 2 * i : 2 * i + 3, 2 * j : 2 * j + 3] += patch
    expected = spread[:, :, 1:9, 1:11] + numbers(held["conv.bias"])[:, None, None]
    close(result, expected)


def test_batch_norm2d(stored: tuple[Session, dict[str, torch.Tensor], str]) -> None:
    session, held, path = stored
    x = random(2, 3, 2, 2)
    _, result = in_run(lambda: (weights.load(path), nn.batch_norm2d(x, "norm")), session=session)
    weight, bias, mean, variance = (
        numbers(held[f"norm.{name}"])[:, None, None]
        for name in ("weight", "bias", "running_mean", "running_var")
    )
    close(result, (numbers(x) - mean) / np.sqrt(variance + 1e-5) * weight + bias)


CALLS: list[Any] = [
    lambda x: nn.conv2d(x, "layer", 1, 0, False, False),
    lambda x: nn.conv_transpose2d(x, "layer"),
    lambda x: nn.batch_norm2d(x, "layer"),
]


@pytest.mark.parametrize("call", CALLS)
def test_named_layers_without_their_weights(
    call: Any, stored: tuple[Session, dict[str, torch.Tensor], str]
) -> None:
    session, _, path = stored
    assert "no weights are loaded" in refusal(lambda: call(random(1, 3, 6, 6)), session)
    in_run(lambda: weights.load(path), session=session)
    message = refusal(lambda: call(random(1, 3, 6, 6)), session)
    assert message.startswith("flint::nn::")
    assert "no weight named 'layer." in message


def test_named_layers_say_which_one_failed(
    stored: tuple[Session, dict[str, torch.Tensor], str],
) -> None:
    session, _, path = stored
    in_run(lambda: weights.load(path), session=session)
    message = refusal(lambda: nn.conv2d(random(1, 4, 6, 6), "conv", 1, 0, False, True), session)
    assert message.startswith("flint::nn::conv2d: ")
    assert "tensor: float32 [1, 4, 6, 6], prefix: 'conv'" in message
