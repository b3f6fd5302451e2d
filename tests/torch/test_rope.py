"""Rope tables: values by the formula, cache, dtypes (host-functions.md 9.3)."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from flint.runtime import tensor
from flint.runtime.context import current
from tests.torch.support import in_run


def test_values_by_hand() -> None:
    cos, sin = in_run(lambda: (tensor.rope_cos(2, 4, 1e4), tensor.rope_sin(2, 4, 1e4)))
    assert cos.shape == sin.shape == (1, 1, 2, 4)
    assert cos[0, 0, 0].tolist() == [1, 1, 1, 1]
    assert sin[0, 0, 0].tolist() == [0, 0, 0, 0]
    # cos 1, cos 0.01 and the same again; sin likewise
    np.testing.assert_allclose(cos[0, 0, 1], [0.5403023, 0.99995, 0.5403023, 0.99995], atol=1e-7)
    np.testing.assert_allclose(sin[0, 0, 1], [0.841471, 0.00999983] * 2, atol=1e-7)


@pytest.mark.parametrize("start", [0, 5, 127, 1000])
def test_values_by_formula(start: int) -> None:
    cos, sin = in_run(
        lambda: (tensor.rope_cos_at(3, 64, 1e6, start), tensor.rope_sin_at(3, 64, 1e6, start))
    )
    position = np.arange(start, start + 3, dtype=np.float64)[:, None]
    angles = position / 1e6 ** (np.arange(32) * 2 / 64)
    twice = np.concatenate([angles, angles], axis=1)
    np.testing.assert_allclose(cos[0, 0], np.cos(twice), atol=1e-4)
    np.testing.assert_allclose(sin[0, 0], np.sin(twice), atol=1e-4)


def test_odd_head_size_leaves_the_last_column_0() -> None:
    cos = in_run(lambda: tensor.rope_cos(3, 5, 1e4))
    assert cos.shape == (1, 1, 3, 5)
    assert cos[..., -1].tolist() == [[[0, 0, 0]]]
    assert cos[0, 0, 0, :4].tolist() == [1, 1, 1, 1]


def test_empty_tables() -> None:
    shapes = in_run(
        lambda: [tuple(tensor.rope_cos(*sizes, 1e4).shape) for sizes in ((0, 4), (2, 0))]
    )
    assert shapes == [(1, 1, 0, 4), (1, 1, 2, 0)]


@pytest.mark.parametrize(
    ("kind", "dtype"),
    [
        ("float", torch.float32),
        ("half", torch.float16),
        ("bf16", torch.bfloat16),
        ("native", torch.bfloat16),
        ("nonsense", torch.bfloat16),
    ],
)
def test_dtype(kind: str, dtype: torch.dtype, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KOHARU_TORCH_WEIGHT_KIND", kind)
    table = in_run(lambda: tensor.rope_cos_at(1, 4, 1e4, 300))
    assert table.dtype == dtype
    # rounded only once, from float32
    exact = torch.cos(torch.tensor([300.0, 3.0])).to(dtype)
    assert table[0, 0, 0, :2].tolist() == exact.tolist()


def test_tables_double() -> None:
    def lengths() -> list[int]:
        found = []
        for length in (1, 128, 129, 200, 257, 2000):
            tensor.rope_cos(length, 8, 1e4)
            found.append(len(current().tensors.rope_tables["cos", 8, 1e4]))
        return found

    assert in_run(lengths) == [128, 128, 256, 256, 512, 2000]
