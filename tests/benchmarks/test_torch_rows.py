"""The torch benchmarks compare like with like, and say what they did not measure."""

from __future__ import annotations

import pytest
import torch

from benchmarks import overhead, table, traces
from benchmarks.bench import Bench
from benchmarks.table import Figure
from tests.benchmarks.quiet import quiet_watch


def test_the_direct_steps_compute_what_the_program_computes() -> None:
    """The benchmark itself stops where the logits of a step differ."""
    ours, direct = overhead._interleaved(overhead.NARROW, 5)
    assert len(ours) == len(direct) == 5
    assert min(*ours, *direct) > 0


def test_a_direct_step_that_differs_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("benchmarks.lfm2_direct.EPS", 0.5)
    with pytest.raises(AssertionError):
        overhead._interleaved(overhead.NARROW, 2)


def test_traces_without_a_compiler(monkeypatch: pytest.MonkeyPatch) -> None:
    def no_compiler(*_: object) -> None:
        raise RuntimeError("no C++ compiler\nsecond line")

    monkeypatch.setattr(torch, "compile", no_compiler)
    monkeypatch.setattr(traces, "LENGTHS", (1,))
    monkeypatch.setattr(traces, "microseconds", lambda way, arguments: 1.0)
    *rows, note = traces.figures(Bench(watch=quiet_watch()))
    assert [row.other_name for row in rows if isinstance(row, Figure)] == ["eager"] * 5
    assert note == "torch.compile was not measured: no C++ compiler"
    assert list(table.lines([note]))[1:] == [note]
