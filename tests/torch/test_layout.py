"""`flint::tensor`: construction, masks, slicing, views and argmax, by hand."""

from __future__ import annotations

from typing import Any

import pytest
import torch

from flint.runtime import tensor
from tests.torch.support import exactly, in_run, random, refusal

INF = float("inf")
INT, FLOAT = torch.int64, torch.float32


def grid(*shape: int) -> torch.Tensor:
    """0, 1, 2, … in this shape."""
    count = 1
    for size in shape:
        count *= size
    return torch.tensor(range(count)).view(*shape)


def test_size_and_shape() -> None:
    x = random(2, 3, 5)
    assert [tensor.size(x, dim) for dim in (0, 2, -1, -3)] == [2, 5, 5, 2]
    assert tensor.shape(x) == "[2, 3, 5]"
    assert tensor.shape(torch.tensor(1.0)) == "[]"
    assert refusal(lambda: tensor.size(x, 3)) == (
        "flint::tensor::size: dimension 3 out of range for shape [2, 3, 5]"
    )
    assert "dimension -4 out of range" in refusal(lambda: tensor.size(x, -4))


def test_casts(dtype: torch.dtype) -> None:
    x = torch.tensor([1.5, -2.0], dtype=dtype)
    exactly(tensor.to_float(x), [1.5, -2.0], FLOAT)
    exactly(tensor.to_bfloat16(x), [1.5, -2.0], torch.bfloat16)
    exactly(tensor.ones_like(x), [1.0, 1.0], dtype)
    exactly(tensor.zeros_like(x), [0.0, 0.0], dtype)
    exactly(in_run(lambda: tensor.zeros_like_int(x)), [0, 0], INT)


def test_ranges() -> None:
    exactly(in_run(lambda: tensor.arange(3)), [0, 1, 2], INT)
    exactly(in_run(lambda: tensor.arange_start(2, 5)), [2, 3, 4], INT)
    exactly(in_run(lambda: tensor.arange(0)), [], INT)
    assert "end: -1" in refusal(lambda: tensor.arange(-1))


def test_causal_mask() -> None:
    mask = in_run(lambda: tensor.causal_mask(3))
    exactly(mask, [[[[0, -INF, -INF], [0, 0, -INF], [0, 0, 0]]]], FLOAT)
    assert refusal(lambda: tensor.causal_mask(-1)).endswith("seq_len -1 is below 0")


def test_padding_masks() -> None:
    real = torch.tensor([[1, 1, 0], [0, 5, 1]])
    exactly(in_run(lambda: tensor.padding_mask(real)), [[[[0, 0, -INF]]], [[[-INF, 0, 0]]]], FLOAT)
    exactly(
        in_run(lambda: tensor.causal_padding_mask(real)),
        [
            [[[0, -INF, -INF], [0, 0, -INF], [0, 0, -INF]]],
            [[[-INF, -INF, -INF], [-INF, 0, -INF], [-INF, 0, 0]]],
        ],
        FLOAT,
    )
    for function in (tensor.padding_mask, tensor.causal_padding_mask):
        message = refusal(lambda function=function: function(real[0]))  # type: ignore[misc]
        assert message.endswith("attention mask has to be 2-D, not [3]")


def test_joining() -> None:
    left, right = grid(1, 2), grid(1, 2) + 5
    exactly(tensor.cat2(left, right, 1), [[0, 1, 5, 6]], INT)
    exactly(tensor.cat2(left, right.float(), 0), [[0.0, 1.0], [5.0, 6.0]], FLOAT)
    exactly(tensor.stack2(left, right, -1), [[[0, 5], [1, 6]]], INT)
    assert "left: int64 [1, 2], right: int64 [3]" in refusal(
        lambda: tensor.stack2(left, grid(3), 0)
    )


@pytest.mark.parametrize(
    ("size", "chunks", "index", "expected"),
    [(5, 2, 0, [0, 1, 2]), (5, 2, 1, [3, 4]), (6, 3, -1 + 3, [4, 5]), (2, 4, 1, [1])],
)
def test_chunk(size: int, chunks: int, index: int, expected: list[int]) -> None:
    exactly(tensor.chunk(grid(size), chunks, 0, index), expected, INT)
    exactly(tensor.chunk(grid(1, size), chunks, -1, index), [expected], INT)


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        ((0, 0, 0), "chunks has to be > 0, not 0"),
        ((2, 0, -1), "negative chunk index -1"),
        ((4, 0, 3), "no chunk 3: 5 entries in chunks of 2"),
        ((2, 1, 0), "dimension 1 out of range for shape [5]"),
    ],
)
def test_chunk_refuses(arguments: tuple[int, int, int], reason: str) -> None:
    message = refusal(lambda: tensor.chunk(grid(5), *arguments))
    assert message == f"flint::tensor::chunk: {reason}"


def test_slices() -> None:
    x = grid(2, 3)
    exactly(tensor.narrow(x, 1, 1, 2), [[1, 2], [4, 5]], INT)
    exactly(tensor.narrow(x, -1, 0, 1), [[0], [3]], INT)
    exactly(tensor.tail(x, 1, 2), [[1, 2], [4, 5]], INT)
    exactly(tensor.tail(x, -2, 9), x.tolist(), INT)
    exactly(tensor.select(x, 1, -1), [2, 5], INT)
    assert "start: 2, len: 2" in refusal(lambda: tensor.narrow(x, 1, 2, 2))
    assert refusal(lambda: tensor.tail(x, 0, -1)).endswith("negative tail length -1")
    assert "index: 2" in refusal(lambda: tensor.select(x, 0, 2))


def test_rearranging() -> None:
    x = grid(2, 3)
    turned = tensor.transpose(x, 0, 1)
    exactly(turned, [[0, 3], [1, 4], [2, 5]], INT)
    assert not turned.is_contiguous()
    assert tensor.contiguous(turned).is_contiguous()
    exactly(tensor.contiguous(turned), turned.tolist(), INT)
    exactly(tensor.unsqueeze(x, -1), [[[0], [1], [2]], [[3], [4], [5]]], INT)
    exactly(tensor.repeat_interleave(grid(2), 2, 0), [0, 0, 1, 1], INT)
    assert "repeats: -1" in refusal(lambda: tensor.repeat_interleave(x, -1, 0))


ORDERS: list[tuple[Any, tuple[int, ...]]] = [
    (tensor.permute3, (2, 0, 1)),
    (tensor.permute4, (3, 0, 2, 1)),
    (tensor.permute5, (4, 0, -2, 1, 2)),
]


@pytest.mark.parametrize(("function", "order"), ORDERS)
def test_permute(function: Any, order: tuple[int, ...]) -> None:
    x = random(*range(2, 2 + len(order)))
    result = function(x, *order)
    assert tuple(result.shape) == tuple(x.shape[dim] for dim in order)
    place = (1,) * len(order)
    assert result[place] == x[place]
    assert result.flatten()[1] == x.movedim(order[-1], 0)[1].flatten()[0]
    assert "tensor: float32 [3]" in refusal(lambda: function(random(3), *order))


VIEWS: list[tuple[Any, tuple[int, ...]]] = [
    (tensor.view2, (4, -1)),
    (tensor.view3, (2, 3, 4)),
    (tensor.view4, (2, 1, -1, 4)),
    (tensor.view5, (1, 2, 3, 1, 4)),
]


@pytest.mark.parametrize(("function", "sizes"), VIEWS)
def test_view(function: Any, sizes: tuple[int, ...]) -> None:
    x = grid(24)
    result = function(x, *sizes)
    assert result.flatten().tolist() == list(range(24))
    assert result.data_ptr() == x.data_ptr()
    assert result.dim() == len(sizes)
    crosswise = grid(2, 12).t()
    assert "view size is not compatible" in refusal(lambda: function(crosswise, *sizes))
    assert "int64 [5]" in refusal(lambda: function(grid(5), *sizes))


def test_argmax(dtype: torch.dtype) -> None:
    x = torch.tensor([[1.0, 3.0, 3.0], [5.0, 2.0, 0.0]], dtype=dtype)
    exactly(tensor.argmax(x, -1), [1, 0], INT)
    exactly(tensor.argmax(x, 0), [1, 0, 0], INT)
    assert tensor.argmax_int(x, -1) == 1
    exactly(tensor.argmax_token(x[:1], -1), [[1]], INT)
    assert "float" in refusal(lambda: tensor.argmax_token(x, -1))
    assert refusal(lambda: tensor.argmax_int(torch.zeros(0, 3), -1)).endswith(
        "nothing to choose from in shape [0, 3]"
    )
