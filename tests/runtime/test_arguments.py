"""`flint::runtime`: script arguments, numbers in them, published text and timers."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import pytest
import torch

from flint import HostError, ScriptError, ScriptRunner, ScriptTextOutput
from flint.program import Program
from flint.runtime import program

# For calls that a type checker would refuse.
untyped: Any = program


def run(main: Callable[[], object], *args: str) -> ScriptTextOutput:
    return ScriptRunner().run_text(Program("test", lambda: main), args)


def result_of(function: Callable[..., object], *values: object, args: tuple[str, ...]) -> object:
    results: list[object] = []
    run(lambda: results.append(function(*values)), *args)
    return results[0]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("0", 0),
        ("-0", 0),
        ("+7", 7),
        ("007", 7),
        ("9223372036854775807", 2**63 - 1),
        ("-9223372036854775808", -(2**63)),
        ("0" * 5000 + "1", 1),
    ],
)
def test_int(text: str, value: int) -> None:
    assert result_of(program.arg_int, 0, args=(text,)) == value
    assert result_of(program.arg_int_or, 0, 5, args=(text,)) == value


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "it is empty"),
        ("+", "not a number"),
        (" 1", "not a number"),
        ("1 ", "not a number"),
        ("1\n", "not a number"),
        ("1_000", "not a number"),
        ("1.0", "not a number"),
        ("0x10", "not a number"),
        ("\u0661", "not a number"),
        ("--1", "not a number"),
        ("9223372036854775808", "too large"),
        ("-9223372036854775809", "too small"),
        ("9" * 5000, "too large"),
        ("-" + "9" * 5000, "too small"),
    ],
)
def test_no_int(text: str, why: str) -> None:
    with pytest.raises(HostError, match=f"argument 0 cannot be read as int: .*{why}"):
        run(lambda: program.arg_int(0), text)
    with pytest.raises(HostError, match="cannot be read as int"):
        run(lambda: program.arg_int_or(0, 5), text)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1", 1.0),
        ("-1.5", -1.5),
        ("5.", 5.0),
        (".5", 0.5),
        ("1e3", 1000.0),
        ("1E-3", 0.001),
        ("+2.5e+1", 25.0),
        ("inf", math.inf),
        ("-Infinity", -math.inf),
        ("1e999", math.inf),
        ("1e-999", 0.0),
    ],
)
def test_float(text: str, value: float) -> None:
    assert result_of(program.arg_float_or, 0, 1.0, args=(text,)) == value


def test_float_nan() -> None:
    assert str(result_of(program.arg_float_or, 0, 1.0, args=("NaN",))) == "nan"


@pytest.mark.parametrize(
    "text", ["", ".", "e5", "1e", "1e+", "1_0.0", " 1.0", "in", "0x1p3", "1,5"]
)
def test_no_float(text: str) -> None:
    with pytest.raises(HostError, match="argument 0 cannot be read as float"):
        run(lambda: program.arg_float_or(0, 1.0), text)


def test_defaults_only_for_missing_arguments() -> None:
    assert result_of(program.arg_or, 1, "d", args=("a",)) == "d"
    assert result_of(program.arg_or, 0, "d", args=("",)) == ""
    assert result_of(program.arg_int_or, 0, 5, args=()) == 5
    # The VM turns the int default of a float parameter into a float.
    assert str(result_of(program.arg_float_or, 0, 5, args=())) == "5.0"


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: program.arg(-1), "flint::runtime::arg: negative argument index -1"),
        (lambda: program.arg_or(-1, ""), "negative argument index"),
        (lambda: program.arg(2), "no script argument 2; 2 given"),
        (lambda: program.input(-1), "negative input"),
        (lambda: program.input(0), "no input 0"),
        (lambda: program.set_token_count(-1), "negative token count"),
        (lambda: program.set_decode_token_count(-1), "negative decode count"),
        (
            lambda: untyped.set_output(5),
            "flint::runtime::set_output: tensor: no tensor with handle 5",
        ),
        (lambda: untyped.set_output(None), "no tensor with handle 0"),
        (lambda: untyped.arg(), "argument index not given"),
    ],
)
def test_refusals(call: Callable[[], object], message: str) -> None:
    with pytest.raises(HostError, match=message):
        run(call, "a", "b")


@pytest.mark.parametrize(
    ("call", "kind"),
    [
        (lambda: untyped.arg("0"), "int"),
        (lambda: program.arg(True), "int"),
        (lambda: untyped.arg(0.0), "int"),
        (lambda: untyped.arg_float_or(9, "1"), "float"),
        (lambda: program.arg_float_or(9, True), "float"),
        (lambda: untyped.set_text_output(1), "string"),
        (lambda: untyped.set_text_output(b"a"), "string"),
        (lambda: untyped.set_output("a"), "int"),
    ],
)
def test_type_mismatches(call: Callable[[], object], kind: str) -> None:
    with pytest.raises(ScriptError) as caught:
        run(call, "a")
    assert str(caught.value) == f"type mismatch: expected {kind}"


def test_surplus_arguments_are_ignored() -> None:
    assert result_of(program.arg, 0, 1, 2, args=("a",)) == "a"


def test_arguments_by_name() -> None:
    results: list[object] = []
    run(lambda: results.append(program.arg_or(index=3, default="x")))
    assert results == ["x"]


def test_args_is_a_list_of_its_own() -> None:
    results: list[list[str]] = []

    def main() -> None:
        program.args().append("z")
        results.append(program.args())

    run(main, "a", "")
    assert results == [["a", ""]]


def test_last_text_wins() -> None:
    def main() -> None:
        assert program.set_text_output("first") is True
        program.set_text_output("second")

    assert run(main) == ScriptTextOutput(text="second")


def test_nothing_published_is_no_error() -> None:
    assert run(lambda: None) == ScriptTextOutput("", None, None, None, None)


def test_elapsed_ends_with_the_run(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = iter([10.0, 12.0, 17.0])
    monkeypatch.setattr("time.perf_counter", lambda: next(clock))

    def main() -> None:
        program.start_timer()
        program.start_decode_timer()
        program.set_decode_token_count(5)
        program.set_token_count(6)

    assert run(main) == ScriptTextOutput("", 6, 7.0, 5, 5.0)


def test_start_timer_forgets_counts_and_decode_timer() -> None:
    def main() -> None:
        program.start_decode_timer()
        program.set_decode_token_count(5)
        program.set_token_count(6)
        program.start_timer()

    output = run(main)
    assert output.elapsed is not None
    assert (output.generated_tokens, output.decode_tokens, output.decode_elapsed) == (
        None,
        None,
        None,
    )


def test_start_decode_timer_forgets_its_count() -> None:
    def main() -> None:
        program.set_decode_token_count(5)
        program.start_decode_timer()

    assert run(main).decode_tokens is None


def test_compact2_counts_roots() -> None:
    first, second = torch.zeros(2), torch.zeros(2)
    counts: list[int] = []

    def main() -> None:
        counts.append(untyped.compact2(first, second))
        counts.append(untyped.compact2(first, first))
        untyped.set_output(first)
        counts.append(untyped.compact2(second, None))
        counts.append(untyped.compact2(0, 77))

    run(main)
    assert counts == [2, 1, 2, 1]


def test_outside_a_run() -> None:
    for call in (lambda: program.arg(0), lambda: program.compact2(None, None)):
        with pytest.raises(HostError, match="only during a run"):
            call()


def test_a_program_fails_by_itself() -> None:
    with pytest.raises(HostError) as caught:
        run(lambda: program.fail("no such thing"))
    assert caught.value.message == "flint::runtime::fail: no such thing"
