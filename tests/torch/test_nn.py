"""`flint::nn` beyond single values: rounding, steps of a convolution, matrix-vector products."""

from __future__ import annotations

import runpy
import sys
from typing import Any

import pytest
import torch
from torch.overrides import TorchFunctionMode

from flint.runtime import nn
from tests.torch import formulas
from tests.torch.support import close, numbers, random, refusal

LINEAR = "flint.runtime.nn.linear"


def test_rms_norm_rounds_half_precision_once() -> None:
    x, weight = random(4, 64, dtype=torch.bfloat16), random(64, dtype=torch.bfloat16, seed=1)
    exact = nn.rms_norm(x.float(), weight.float(), 1e-5)
    assert torch.equal(nn.rms_norm(x, weight, 1e-5), exact.bfloat16())


def test_conv1d_step_by_step_is_a_causal_convolution(dtype: torch.dtype) -> None:
    x, weight = random(1, 4, 6, dtype=dtype), random(4, 1, 3, dtype=dtype, seed=1)
    expected = formulas.conv1d(numbers(x), numbers(weight), None, 1, 2, 1, 4)
    state = torch.zeros(1, 4, 2, dtype=dtype)
    for at in range(6):
        step = nn.conv1d_step(state, x[..., at : at + 1], weight)
        close(step.local, expected[..., at : at + 1])
        assert step.global_ is not None
        state = step.global_
    assert torch.equal(state, x[..., -2:])


class Calls(TorchFunctionMode):
    """Records which of two torch functions compute."""

    def __init__(self) -> None:
        super().__init__()
        self.names: list[str] = []

    def __torch_function__(
        self, function: Any, types: Any, args: Any = (), kwargs: Any = None
    ) -> Any:
        name = getattr(function, "__name__", "")
        if name in ("mv", "linear"):
            self.names.append(name)
        return function(*args, **(kwargs or {}))


@pytest.mark.parametrize(
    ("value", "by_mv"), [(None, True), ("1", True), ("no", True), ("0", False), ("", False)]
)
def test_linear_mv(value: str | None, by_mv: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("KOHARU_TORCH_LINEAR_MV", raising=False)
    if value is not None:
        monkeypatch.setenv("KOHARU_TORCH_LINEAR_MV", value)
    # the switch is read once, when the module is made
    fresh = runpy.run_path(str(sys.modules[LINEAR].__file__), run_name=LINEAR)
    weight, bias = random(4, 6), random(4)
    with Calls() as calls:
        for shape in ((1, 1, 6), (1, 6)):
            fresh["linear"](random(*shape), weight, None)
    assert calls.names == ["mv" if by_mv else "linear"] * 2
    with Calls() as calls:
        fresh["linear"](random(1, 6), weight, bias)
        for rows in ((2, 6), (1, 2, 6), (6,)):
            fresh["linear"](random(*rows), weight, None)
    assert calls.names == ["linear"] * 4
    # without bias, whatever the switch
    with Calls() as calls:
        fresh["swiglu_linear"](random(1, 12), weight, None)
        fresh["swiglu_linear"](random(1, 12), weight, bias)
    assert calls.names == ["mv", "linear"]


def test_both_products_agree() -> None:
    for shape in ((1, 1, 64), (1, 64)):
        x, weight = random(*shape), random(32, 64, seed=1)
        torch.testing.assert_close(
            nn.linear(x, weight, None), torch.nn.functional.linear(x, weight)
        )


@pytest.mark.parametrize(
    ("length", "padding", "bias"), [(5, -1, None), (1, 0, None), (5, 0, torch.ones(2))]
)
def test_three_taps_that_do_not_fit(length: int, padding: int, bias: torch.Tensor | None) -> None:
    tensor, weight = torch.ones(1, 4, length), torch.ones(4, 1, 3)
    assert "tensor: float32 [1, 4" in refusal(
        lambda: nn.conv1d(tensor, weight, bias, 1, padding, 1, 4)
    )
