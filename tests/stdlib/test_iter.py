"""Module `iter` (language reference 7.3), edge cases worked out by hand."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import pytest

from flint.lang.errors import ScriptError

Check = Callable[[str, Iterable[tuple[str, object]]], None]
Evaluate = Callable[[str], list[object]]

USE = "use stdlib::rss::iter as m;\n"
MAX = 2**63 - 1


def test_ranges(check: Check) -> None:
    cases: list[tuple[str, object]] = [
        ("m::range(3)", [0, 1, 2]),
        ("m::range(1)", [0]),
        ("m::range(0)", []),
        ("m::range(-1)", []),
        ("m::range_step(1, 4, 1)", [1, 2, 3]),
        ("m::range_step(0, 5, 2)", [0, 2, 4]),
        ("m::range_step(0, 4, 2)", [0, 2]),
        ("m::range_step(4, 0, -2)", [4, 2]),
        ("m::range_step(0, -3, -1)", [0, -1, -2]),
        ("m::range_step(3, 3, 1)", []),
        ("m::range_step(3, 3, -1)", []),
        ("m::range_step(0, 9, -1)", []),
        ("m::range_step(9, 0, 1)", []),
        ("m::range_step(0, 9, 0)", []),
    ]
    check("iter", cases)


def test_range_ends_with_the_integers(check: Check) -> None:
    rows = [
        (f"{MAX - 3}", f"{MAX}", "2", [MAX - 3, MAX - 1]),  # the next would wrap around
        (f"{-MAX + 1}", f"{-MAX - 1}", "-2", [-MAX + 1]),  # the end itself is left out
        (f"{-MAX}", f"{-MAX - 1}", "-2", [-MAX]),
        (f"{-MAX - 1}", f"{MAX}", f"{MAX}", [-MAX - 1, -1, MAX - 1]),
        ("0", f"{MAX}", f"{2**62}", [0, 2**62]),
    ]
    check("iter", [(f"m::range_step({a}, {b}, {step})", expected) for a, b, step, expected in rows])


def test_pairs(check: Check) -> None:
    cases: list[tuple[str, object]] = [
        ("m::enumerate::<string>([])", []),
        ('m::enumerate::<string>(["a", "b"])', [[0, "a"], [1, "b"]]),
        ('m::zip::<int, string>([1, 2, 3], ["a", "b"])', [[1, "a"], [2, "b"]]),
        ('m::zip::<int, string>([1], ["a", "b"])', [[1, "a"]]),
        ("m::zip::<int, string>([], ['a'])", []),
        ("m::zip::<int, string>([1], [])", []),
    ]
    check("iter", cases)


def test_take_and_skip(check: Check) -> None:
    rows = [
        ("0", [], [1, 2, 3]),
        ("1", [1], [2, 3]),
        ("3", [1, 2, 3], []),
        ("4", [1, 2, 3], []),
        ("-1", [], [1, 2, 3]),
        (f"{MAX}", [1, 2, 3], []),
        (f"{-MAX - 1}", [], [1, 2, 3]),
    ]
    check("iter", [(f"m::take::<int>([1, 2, 3], {count})", taken) for count, taken, _ in rows])
    check("iter", [(f"m::skip::<int>([1, 2, 3], {count})", rest) for count, _, rest in rows])


def test_chunk(check: Check) -> None:
    rows = [
        ("[1, 2, 3, 4]", "2", [[1, 2], [3, 4]]),
        ("[1, 2, 3]", "2", [[1, 2], [3]]),
        ("[1, 2]", "1", [[1], [2]]),
        ("[1, 2]", "5", [[1, 2]]),
        ("[]", "2", []),
        ("[1]", "0", []),
        ("[1]", "-3", []),
        ("[1, 2]", f"{MAX}", [[1, 2]]),
    ]
    check("iter", [(f"m::chunk::<int>({values}, {size})", chunks) for values, size, chunks in rows])


def test_totals(check: Check) -> None:
    cases: list[tuple[str, object]] = [
        ("m::sum([])", 0),
        ("m::sum([1, 2, -4])", -1),
        ("m::sum([1, 0.5])", 1.5),
        ("m::sum([2.0])", 2.0),
        (f"m::sum([{MAX}, 1])", -MAX - 1),
        ("m::any_true([])", False),
        ("m::any_true([false, true, false])", True),
        ("m::any_true([false])", False),
        ("m::all_true([])", True),
        ("m::all_true([true, false])", False),
        ("m::all_true([true, true])", True),
    ]
    check("iter", cases)


def test_functions_over_elements(check: Check) -> None:
    cases: list[tuple[str, object]] = [
        ("m::map::<int, float>([1, 2], |n| n * 0.5)", [0.5, 1.0]),
        ("m::map::<int, [int]>([1, 2], |n| [n, n])", [[1, 1], [2, 2]]),
        ("m::map::<int, int>([], |n| n / 0)", []),
        ("m::filter::<int>([1, 2, 3], |n| n != 2)", [1, 3]),
        ("m::filter::<int>([1], |n| false)", []),
        # the fold goes from the left: ((10 - 1) - 2) - 3
        ("m::reduce::<int, int>([1, 2, 3], 10, |left, n| left - n)", 4),
        ("m::reduce::<string, int>(['ab', 'c'], 0, |total, s| total + s.length)", 3),
        ("m::reduce::<int, string>([], 'start', |text, n| text)", "start"),
    ]
    check("iter", cases)


def test_filter_calls_once_for_each_element_in_order(evaluate: Evaluate) -> None:
    script = """let mut calls = 0;
let pick: fn(string) -> bool = |s| if true => { calls = calls * 10 + s.length; s.length > 1 }
    else => { false };
m::filter::<string>(["a", "bb", "ccc"], pick);
calls;"""
    assert evaluate(USE + script) == [["bb", "ccc"], 123]


def test_each_gives_null(evaluate: Evaluate, capsys: pytest.CaptureFixture[str]) -> None:
    assert evaluate(USE + "m::each::<int, string>([1, 2], |n| println(n));") == [None]
    assert capsys.readouterr().out == "1\n2\n"


def test_error_of_a_callback_ends_the_program(evaluate: Evaluate) -> None:
    with pytest.raises(ScriptError, match="division by zero"):
        evaluate(USE + "m::map::<int, int>([1, 0], |n| 6 / n);")


def test_long_arrays_take_linear_time(evaluate: Evaluate) -> None:
    script = """let many = m::range(300000);
m::chunk::<int>(many, 1).length;
m::sum(m::map::<int, int>(m::filter::<int>(many, |n| n % 2 == 0), |n| 1));"""
    assert evaluate(USE + script) == [300_000, 150_000]
