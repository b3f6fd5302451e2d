"""Noise is told from a quiet machine, and costs a row its figures and the command its exit code."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from benchmarks import __main__ as command
from benchmarks import noise
from benchmarks.bench import Bench
from benchmarks.engines.worker import EngineFailed
from benchmarks.noise import Look
from benchmarks.table import Curve, Figure, Row, lines, spread
from tests.benchmarks.quiet import QUIET, quiet_watch


def looks(**values: list[float]) -> list[Look]:
    ((name, series),) = values.items()
    return [replace(QUIET, **{name: value}) for value in series]


def test_spread_is_that_between_quartiles() -> None:
    assert spread([8, 9, 10, 11, 12]) == pytest.approx((11 - 9) / 10)
    assert spread([10, 10, 10, 1000]) == pytest.approx((257.5 - 10) / 10)
    assert spread([3.0]) == 0


def test_a_quiet_machine_is_no_trouble() -> None:
    assert noise.trouble([QUIET] * 4) is None
    assert noise.trouble(looks(bandwidth=[50, 49, 51, 48])) is None


@pytest.mark.parametrize(
    ("series", "told"),
    [
        ({"bandwidth": [50, 50, 20, 25]}, "the speed of memory varies by 70%"),
        ({"loop": [5, 5, 9, 10]}, "the time of a Python loop varies by 61%"),
        ({"busy": [0.0, 0.5, 0.5]}, "others use 50% of the processors"),
    ],
)
def test_trouble_says_what_is_noisy(series: dict[str, list[float]], told: str) -> None:
    assert noise.trouble(looks(**series)) == told


def test_one_busy_moment_is_forgiven() -> None:
    assert noise.trouble(looks(busy=[0.0, 0.9, 0.0, 0.0])) is None


def test_a_look_at_this_machine_is_plausible() -> None:
    look = noise.look()
    assert look.bandwidth > 0
    assert look.loop > 0
    assert 0 <= look.busy <= 1


def test_a_race_takes_turns_and_looks_after_each_round() -> None:
    order: list[str] = []

    def side(name: str, value: float) -> float:
        order.append(name)
        return value

    bench = Bench(watch=quiet_watch())
    measured = bench.race({"a": lambda: side("a", 1.0), "b": lambda: side("b", 2.0)}, 3)
    assert measured == {"a": [1.0] * 3, "b": [2.0] * 3}
    assert "".join(order) == "ab" + "ab" + "ba" + "ab"
    assert len(bench.watch.looks) == 1 + 3


FAST = Figure("fast", 9.0, 10.0, "limit", "ms", goal=1.0)
SLOW = Figure("slow", 11.0, 10.0, "limit", "ms", goal=1.0)
NOISY = replace(SLOW, noise="others use 50% of the processors")
NOISY_CURVE = Curve("c", "curve", {"ours": [(128, 30.0)]}, noise="others use 50%")


@pytest.mark.parametrize(
    ("rows", "force", "code"),
    [
        ([FAST, "a note"], False, 0),
        ([FAST, SLOW], False, 1),
        ([FAST, NOISY], False, 2),
        ([FAST, NOISY_CURVE], False, 2),
        ([NOISY, SLOW], False, 1),
        ([FAST, NOISY], True, 1),
        ([FAST, NOISY_CURVE], True, 0),
    ],
)
def test_exit_codes(rows: list[Row], force: bool, code: int) -> None:
    assert command.exit_code(rows, force) == code


def test_a_noisy_row_shows_no_figure_unless_forced() -> None:
    _, refused = lines([NOISY])
    assert refused.split(maxsplit=1) == ["slow", f"too noisy: {NOISY.noise}"]
    _, forced = lines([NOISY], force=True)
    assert forced.split()[:3] == ["slow", "11.00", "10.00"]
    assert forced.endswith("limit MISSED ~")


def test_the_command_marks_rows_and_says_so(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def rows(bench: Bench) -> Iterator[Row]:
        yield FAST
        yield replace(FAST, name="memory", timed=False)

    monkeypatch.setattr(command, "function_of", lambda name: rows)
    monkeypatch.setattr(noise, "look", lambda: replace(QUIET, busy=0.9))
    assert command.main(["scalar", "--quick"]) == 2
    _, fast, memory, *_ = capsys.readouterr().out.splitlines()
    assert "too noisy: others use 90% of the processors" in fast
    assert memory.split()[:3] == ["memory", "9.00", "10.00"]


def test_an_engine_that_fails_leaves_the_others(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def rows(bench: Bench) -> Iterator[Row]:
        yield FAST

    def fails(bench: Bench) -> Iterator[Row]:
        raise EngineFailed("ours ended: GGML_ASSERT")
        yield FAST

    functions = {"compile": fails, "scalar": rows}
    monkeypatch.setattr(command, "function_of", functions.__getitem__)
    monkeypatch.setattr(noise, "look", lambda: QUIET)
    assert command.main(["compile", "scalar", "--quick"]) == 1
    printed = capsys.readouterr()
    assert printed.err == "error: compile: ours ended: GGML_ASSERT\n"
    assert "fast" in printed.out


def test_an_unknown_name_lists_the_known_ones(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        command.main(["nothing"])
    assert caught.value.code == 2
    assert "no benchmark nothing; there are lfm2-f32, lfm2-f16," in capsys.readouterr().err


def test_a_word_stands_for_all_that_begin_with_it() -> None:
    assert command.chosen(["prefill", "scalar"]) == [
        "prefill-f32",
        "prefill-f16",
        "prefill-bf16",
        "prefill-int8",
        "scalar",
    ]
    assert command.chosen(["lfm2-f32"]) == ["lfm2-f32"]


def test_every_name_is_a_function() -> None:
    assert all(callable(command.function_of(name)) for name in command.BENCHMARKS)
    assert all(command.chosen([word]) for word in command.QUICK)
