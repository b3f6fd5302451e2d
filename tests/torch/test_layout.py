"""`flint::tensor`: which results share memory with the tensor they came from."""

from __future__ import annotations

from typing import Any

import pytest
import torch

from flint.runtime import tensor
from tests.torch.support import random

X = random(2, 3, 4)
VIEWS: list[Any] = [
    lambda: tensor.narrow(X, 0, 0, 1),
    lambda: tensor.tail(X, 1, 9),
    lambda: tensor.chunk(X, 2, 2, 0),
    lambda: tensor.select(X, 0, 0),
    lambda: tensor.transpose(X, 0, 2),
    lambda: tensor.unsqueeze(X, 1),
    lambda: tensor.permute3(X, 2, 1, 0),
    lambda: tensor.view2(X, 6, 4),
    lambda: tensor.view4(X, 2, 3, 2, 2),
    lambda: tensor.contiguous(X),
    lambda: tensor.to_float(X),
    lambda: tensor.real(X),
]


@pytest.mark.parametrize("view", VIEWS)
def test_a_view(view: Any) -> None:
    assert view().data_ptr() == X.data_ptr()


def test_contiguous_copies_only_what_is_not() -> None:
    turned = tensor.transpose(X, 0, 2)
    assert not turned.is_contiguous()
    copied = tensor.contiguous(turned)
    assert copied.is_contiguous()
    assert copied.data_ptr() != X.data_ptr()


@pytest.mark.parametrize(
    ("size", "chunks", "parts"),
    [(5, 2, [3, 2]), (6, 3, [2, 2, 2]), (2, 4, [1, 1]), (1, 1, [1]), (9, 4, [3, 3, 3])],
)
def test_chunks_cover_a_dimension(size: int, chunks: int, parts: list[int]) -> None:
    x = torch.arange(size)
    found = [tensor.chunk(x, chunks, 0, index) for index in range(len(parts))]
    assert [len(part) for part in found] == parts
    assert torch.cat(found).tolist() == list(range(size))
