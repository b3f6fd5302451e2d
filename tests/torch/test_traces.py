"""Traced hot paths give what the functions give, for sizes that differ from the first ones."""

from __future__ import annotations

import warnings
from typing import Any

import pytest
import torch

from flint.runtime import nn
from flint.runtime.nn import attention, traced
from tests.runtime.support import python
from tests.torch.support import in_run, random, refusal

PATHS = ("_rope", "_rope_pair", "_attention", "_causal_attention", "_masked_attention")
# query heads, key heads, positions, head size
SIZES = [(4, 2, 3, 8), (4, 2, 1, 8), (2, 3, 7, 8), (6, 1, 40, 16), (1, 1, 300, 4)]


def arguments(path: str, size: Any, dtype: torch.dtype) -> tuple[torch.Tensor, ...]:
    heads, key_heads, length, width = size
    query = random(2, heads, length, width, dtype=dtype)
    tables = [random(1, 1, length, width, dtype=dtype, seed=seed) for seed in (1, 2)]
    if path == "_rope":
        return query, *tables
    if path == "_rope_pair":
        return query, random(2, key_heads, length, width, dtype=dtype, seed=3), *tables
    key, value = (random(2, heads, length + 2, width, dtype=dtype, seed=seed) for seed in (4, 5))
    mask = random(length, length + 2, seed=6)
    return (query, key, value, mask) if path == "_masked_attention" else (query, key, value)


@pytest.mark.parametrize("path", PATHS)
def test_traces_agree_at_every_size(path: str, dtype: torch.dtype) -> None:
    fresh = traced.Traced(getattr(attention, path).function)
    with torch.no_grad():
        for size in SIZES:
            given = arguments(path, size, dtype)
            for _ in range(3):  # the first calls profile, later ones run optimised
                result, expected = fresh(*given), fresh.function(*given)
                torch.testing.assert_close(result, expected, rtol=1e-3, atol=1e-3)
    (trace,) = fresh.traces.values()
    assert trace is not fresh.function


@pytest.mark.parametrize("path", ["_rope", "_rope_pair", "_attention"])
def test_few_elements_take_a_shorter_way(path: str, dtype: torch.dtype) -> None:
    hot = getattr(attention, path)
    known = len(hot.traces)
    for size in SIZES[:4]:
        given = arguments(path, size, dtype)
        torch.testing.assert_close(hot(*given), hot.function(*given), rtol=1e-2, atol=1e-2)
    assert len(hot.traces) == known


def test_one_trace_a_kind_of_input() -> None:
    fresh = traced.Traced(lambda x, y: x + y)
    for x, y in (
        (random(2), random(2)),
        (random(5), random(5)),
        (random(2).half(), random(2)),
        (random(2), random(2, 2)),
    ):
        for _ in range(2):
            assert torch.equal(fresh(x, y), x + y)
    assert len(fresh.traces) == 3


def test_a_trace_that_disagrees_is_not_used() -> None:
    calls: list[int] = []

    def impure(x: torch.Tensor) -> torch.Tensor:
        calls.append(1)
        return x + len(calls)

    fresh = traced.Traced(impure)
    results = [fresh(torch.zeros(1)).item() for _ in range(3)]
    assert results == sorted(set(results))
    assert list(fresh.traces.values()) == [impure]


def test_errors_read_the_same() -> None:
    good, bad = random(1, 2, 3, 8), random(1, 2, 3, 4)
    nn.scaled_dot_product_attention(good, good, good, False)
    message = refusal(lambda: nn.scaled_dot_product_attention(good, bad, good, False))
    assert "TorchScript" not in message
    assert len(message.splitlines()) == 1
    assert "key: float32 [1, 2, 3, 4]" in message


def test_odd_head_sizes_are_refused() -> None:
    x = random(1, 2, 3, 5)
    for call in (lambda: nn.apply_rope(x, x, x), lambda: nn.apply_rope_pair(x, x, x, x)):
        assert refusal(call).endswith("rope input needs an even last dimension, not 5")


def test_no_warning_reaches_the_user() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        traced.Traced(lambda x: x * 2)(torch.ones(1))


def test_a_table_that_changes_in_its_place() -> None:
    x, cos, sin = (random(1, 2, 1, 8, seed=seed) for seed in range(3))

    def rotations() -> None:
        for _ in range(3):
            torch.testing.assert_close(nn.apply_rope(x, cos, sin), attention._rotated(x, cos, sin))
            sin.add_(1)

    in_run(rotations)


@pytest.mark.parametrize("width", [1, 8])
def test_tables_are_broadcast(width: int) -> None:
    x, table = random(1, 2, 3, 8), random(1, 1, 3, width, seed=1)
    torch.testing.assert_close(nn.apply_rope(x, table, table), attention._rotated(x, table, table))


@pytest.mark.slow
@pytest.mark.parametrize(("value", "traces"), [("0", 0), ("", 0), ("1", 1)])
def test_switch(value: str, traces: int) -> None:
    code = (
        "import torch\nfrom flint.runtime.nn import attention, apply_rope\n"
        "x = torch.ones(1, 1, 2048, 4)\n"
        "print(apply_rope(x, x, x)[:, :, :1].tolist(), len(attention._rope.traces))"
    )
    # 1 * 1 plus the rotated ones: -1, -1, 1, 1
    assert python("-c", code, FLINT_TRACE=value).stdout == f"[[[[0.0, 0.0, 2.0, 2.0]]]] {traces}\n"
