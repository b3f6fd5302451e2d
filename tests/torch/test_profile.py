"""`KOHARU_TORCH_PROFILE_OPS`: counts and times of host functions on stderr after a run."""

from __future__ import annotations

import re

import pytest

import flint

PROGRAM = """
use flint;
let x: int = flint::tensor::arange(3);
let y: int = flint::tensor::neg(flint::tensor::neg(x));
flint::runtime::set_text_output(flint::tensor::shape(y));
"""


@pytest.mark.parametrize("value", ["1", "0", ""])
def test_profile(
    value: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("KOHARU_TORCH_PROFILE_OPS", value)
    runner = flint.TorchScriptRunner("cpu")
    monkeypatch.delenv("KOHARU_TORCH_PROFILE_OPS")
    program = flint.compile_source(PROGRAM).program
    for _ in range(2):
        runner.run_text(program)
        heading, *lines = capsys.readouterr().err.splitlines()
        assert heading == "host op profile:"
        found = [re.fullmatch(r"  (\S+): count=(\d+), (\d+\.\d{3}) ms", line) for line in lines]
        counts = {match[1]: int(match[2]) for match in found if match}
        # every run counts anew
        assert counts == {
            "flint::tensor::arange": 1,
            "flint::tensor::neg": 2,
            "flint::tensor::shape": 1,
        }
        times = [float(match[3]) for match in found if match]
        assert times == sorted(times, reverse=True)
    other = flint.TorchScriptRunner("cpu")
    other.run_text(program)
    assert capsys.readouterr().err == ""


def test_no_profile_of_a_failed_run(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("KOHARU_TORCH_PROFILE_OPS", "1")
    runner = flint.TorchScriptRunner("cpu")
    program = flint.compile_source(PROGRAM + "flint::runtime::arg(9);").program
    with pytest.raises(flint.HostError):
        runner.run_text(program)
    assert capsys.readouterr().err == ""


def test_nothing_called(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("KOHARU_TORCH_PROFILE_OPS", "1")
    program = flint.compile_source("use flint; flint::runtime::args();").program
    flint.TorchScriptRunner("cpu").run_text(program)
    assert capsys.readouterr().err == ""
