"""Single calls of host functions: values by independent formulas, and every documented error."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from flint import HostError
from flint.runtime.pair import Pair
from tests.torch.case import Case, Refusal, called, described
from tests.torch.support import close, numbers
from tests.torch.tables import CASES, REFUSALS


def walk(cases: Sequence[Case | Refusal]) -> list[Any]:
    """The cases as parameters of a test, with names to choose them by."""
    return [pytest.param(case, id=label(case)) for case in cases]


def label(case: Case | Refusal) -> str:
    about = case.error if isinstance(case, Refusal) else case.dtype or "plain"
    return f"{case.name}-{about}".replace("torch.", "")


@pytest.mark.parametrize("case", walk(CASES))
def test_value(case: Case, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    enter(case, monkeypatch)
    args, result = called(case.name, case.args, case.world, tmp_path, case.after)
    expected = case.expected
    if callable(expected):
        expected = expected(*map(as_numpy, args))
    agree(result, expected, case.result)


@pytest.mark.parametrize("case", walk(REFUSALS))
def test_refusal(case: Refusal, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    enter(case, monkeypatch)
    with pytest.raises(HostError) as caught:
        called(case.name, case.args, case.world, tmp_path)
    message = caught.value.message
    assert message.startswith(f"flint::{case.name}: ")
    assert case.says in message
    assert len(message.splitlines()) == 1
    if case.error == "torch":
        args = case.args(tmp_path) if callable(case.args) else case.args
        assert message.endswith(f" ({shown(case.name, args)})")


def enter(case: Case | Refusal, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in case.world.variables.items():
        monkeypatch.setenv(name, value)


def as_numpy(value: Any) -> Any:
    return numbers(value) if isinstance(value, torch.Tensor) else value


def agree(result: Any, expected: Any, dtype: torch.dtype | None) -> None:
    """A tensor has the type, shape and values, a pair both of its tensors, others are equal."""
    if isinstance(expected, torch.Tensor):
        assert (result.dtype, result.shape) == (expected.dtype, expected.shape)
        assert torch.equal(result, expected)
    elif isinstance(result, torch.Tensor):
        assert result.dtype == dtype
        if result.is_complex():
            result, expected = torch.view_as_real(result), np.stack(
                [expected.real, expected.imag], -1
            )
        close(result, expected)
    elif isinstance(result, Pair):
        for part, wanted in zip(result, expected, strict=True):
            agree(part, wanted, dtype)
    else:
        assert type(result) is type(expected)
        assert result == expected


def shown(name: str, args: tuple[Any, ...]) -> str:
    """How a message shows the arguments of a call."""
    labels = [param.name.removesuffix("_") for param in described(name).params]
    return ", ".join(f"{label}: {text(arg)}" for label, arg in zip(labels, args, strict=True))


def text(arg: Any) -> str:
    if isinstance(arg, torch.Tensor):
        return f"{str(arg.dtype)[6:]} {[*arg.shape]}"
    return "none" if arg is None else repr(arg)
