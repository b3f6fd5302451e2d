"""Odd arguments to every host function: a result or one clear line, never another exception.

Each call that works (`cases_*.py`; for native libraries, one that is refused) is made again with
one argument exchanged for every odd value of its type. A crash ends the test process; its name is
that of the function.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import torch

from flint import ScriptError
from flint.runtime.absent import AbsentWeight
from flint.runtime.pair import Pair
from tests.torch.case import Case, Refusal, implementation
from tests.torch.support import in_run, random
from tests.torch.tables import CASES, REFUSALS

X = random(2, 3)
TENSORS = [
    torch.zeros(0),
    torch.zeros(2, 0, 3),
    torch.tensor(1.5),
    torch.tensor(2),
    *(X.to(dtype) for dtype in (torch.float32, torch.bfloat16, torch.float16, torch.float64)),
    *(X.to(dtype) for dtype in (torch.int64, torch.int8, torch.uint8, torch.bool)),
    X.to(torch.float8_e4m3fn),
    torch.complex(X, X),
    X * math.nan,
    X * math.inf,
    torch.tensor([[2**62, -(2**63)]]),
    X.t(),
    torch.ones(1).expand(2, 3),
    torch.ones(1, 1, 1, 1, 1, 1),
]
NO_TENSORS: list[Any] = [0, -1, 5, None, AbsentWeight(-1, "w"), Pair(X, None), "text", [X], b"", {}]
ODD: dict[type, list[Any]] = {
    # nothing between, whose results memory might hold
    int: [0, 1, -1, 2, 7, -7, 2**45, 2**62, 2**63 - 1, -(2**63), None, 1.0, True, X],
    float: [0.0, -1.0, 1e308, 5e-324, math.nan, math.inf, -math.inf, 2**63 - 1, None, "1", X],
    bool: [True, False, 1, 0, None, X],
    str: ["", "\0", "none", "a\nb\x1b[31m", "ü" * 300, "\ud800", None, 1, X],
    torch.Tensor: [*TENSORS, *NO_TENSORS],
    Pair: [Pair(X, None), *NO_TENSORS[:5], X],
    type(None): [*TENSORS, *NO_TENSORS],
}


def by_function() -> dict[str, list[Case]]:
    """The cases to start from: those of float32 and of no float type."""
    found: dict[str, list[Case]] = {}
    for case in CASES:
        if case.dtype in (torch.float32, None):
            found.setdefault(case.name, []).append(case)
    return found


STARTS = by_function()
# the text of `fail` is the program's own
REFUSED = {case.name: case for case in REFUSALS if case.name != "runtime::fail"}


def changed(args: tuple[Any, ...]) -> Iterator[tuple[Any, ...]]:
    """The arguments with one of them exchanged, and with one missing."""
    for at, arg in enumerate(args):
        for odd in ODD.get(type(arg), NO_TENSORS):  # handles of native libraries
            yield (*args[:at], odd, *args[at + 1 :])
    if args:
        yield args[:-1]


def outcome(function: Any, args: tuple[Any, ...]) -> ScriptError | None:
    """The script error of a call; every other exception is the test's failure."""
    try:
        function(*args)
    except ScriptError as error:
        return error
    return None


def call(case: Case | Refusal, folder: Path) -> None:
    case.world.enter(folder)
    for args in changed(case.args(folder) if callable(case.args) else case.args):
        error = outcome(implementation(case.name), args)
        text = "" if error is None else str(error)
        assert len(text.splitlines()) <= 1
        prefix = f"host error: flint::{case.name}: "
        assert error is None or text.startswith((prefix, "type mismatch: expected "))


@pytest.fixture(autouse=True)
def every_warning() -> Iterator[None]:
    """Torch says some things once in a process; here each of them ends a test."""
    torch.set_warn_always(True)
    yield
    torch.set_warn_always(False)


@pytest.mark.parametrize("name", STARTS)
def test_odd_arguments(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for case in STARTS[name]:
        in_run(lambda case=case: call(case, tmp_path), *case.world.args, inputs=case.world.inputs)  # type: ignore[misc]


@pytest.mark.parametrize("name", [name for name in REFUSED if name not in STARTS])
def test_odd_arguments_of_refused_calls(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    case = REFUSED[name]
    in_run(lambda: call(case, tmp_path), *case.world.args)
