"""Module `math` (language reference 7.4): each function once or more, with values known exactly
or from tables.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable

import pytest

from flint.lang.errors import ScriptError

Check = Callable[[str, Iterable[tuple[str, object]]], None]
Evaluate = Callable[[str], list[object]]

USE = "use stdlib::rss::math as m;\n"
INF = float("inf")
NAN = float("nan")
MAX = 2**63 - 1


def test_constants(check: Check) -> None:
    cases: list[tuple[str, object]] = [
        ("m::pi()", 3.141592653589793),
        ("m::tau()", 6.283185307179586),
        ("m::e()", 2.718281828459045),
        ("m::epsilon()", 2.0**-52),
        ("m::inf()", INF),
        ("m::neg_inf()", -INF),
        ("m::nan()", NAN),
    ]
    check("math", cases)


def test_size_and_sign(check: Check) -> None:
    cases: list[tuple[str, object]] = [
        ("m::abs(-3)", 3),
        ("m::abs(-3.5)", 3.5),
        (f"m::abs({-MAX - 1})", -MAX - 1),  # wraps around
        ("m::min(2, 3)", 2),
        ("m::min(2, 1.5)", 1.5),
        ("m::min(2, 3.0)", 2.0),
        ("m::max(2, 3)", 3),
        ("m::max(2, 1.5)", 2.0),
        ("m::max(m::nan(), 1)", 1.0),
        ("m::clamp(5, 1, 3)", 3),
        ("m::clamp(0, 1, 3)", 1),
        ("m::clamp(2, 1, 3)", 2),
        ("m::clamp(2, 2.5, 3)", 2.5),
        ("m::signum(-7)", -1),
        ("m::signum(0)", 0),
        ("m::signum(0.0)", 1.0),
        ("m::signum(-0.0)", -1.0),
        ("m::signum(m::nan())", NAN),
        ("m::sign(-7)", -1),
        ("m::sign(0.001)", 1),
        ("m::sign(-0.0)", 0),
        ("m::sign(m::neg_inf())", -1),
        ("m::sign(m::nan())", 0),
        ("m::copysign(3, -1)", -3.0),
        ("m::copysign(-3, 0.0)", 3.0),
    ]
    check("math", cases)


def test_rounding(check: Check) -> None:
    names = ("floor", "ceil", "round", "trunc", "fract")
    rows = [
        ("2.5", 2.0, 3.0, 3.0, 2.0, 0.5),
        ("-2.5", -3.0, -2.0, -3.0, -2.0, -0.5),
        ("2.25", 2.0, 3.0, 2.0, 2.0, 0.25),
        ("7", 7, 7, 7, 7, 0.0),
    ]
    for value, *expected in rows:
        calls = [f"m::{name}({value})" for name in names]
        check("math", list(zip(calls, expected, strict=True)))


def test_remainders_ranges_and_tests(check: Check) -> None:
    cases: list[tuple[str, object]] = [
        ("m::fmod(7, 3)", 1),
        ("m::fmod(-7, 3)", -1),
        ("m::fmod(7, -3)", 1),
        ("m::fmod(5.5, 2)", 1.5),
        ("m::fmod(1.0, 0.0)", NAN),
        ("m::in_range(1, 1, 3)", True),
        ("m::in_range(3, 1, 3)", True),
        ("m::in_range(4, 1, 3)", False),
        ("m::in_range(0, 1, 3)", False),
        ("m::in_range(1, 1.0, 3.0)", False),  # an int equals no float
        ("m::in_range(2, 1.0, 3.0)", True),
        ("m::in_range(m::nan(), 0, 1)", False),
        ("m::in_range(2, 3, 1)", False),
        ("m::is_even(0)", True),
        ("m::is_even(-2)", True),
        ("m::is_even(-1)", False),
        ("m::is_odd(-1)", True),
        ("m::is_odd(2)", False),
        (f"m::is_odd({MAX})", True),
        ("m::sum([])", 0),
        ("m::sum([1, 2])", 3),
        ("m::sum([1, 0.5])", 1.5),
        ("m::is_nan(m::nan())", True),
        ("m::is_nan(1)", False),
        ("m::is_infinite(m::neg_inf())", True),
        ("m::is_infinite(m::nan())", False),
        ("m::is_finite(1)", True),
        ("m::is_finite(m::inf())", False),
        ("m::is_finite(m::nan())", False),
    ]
    check("math", cases)


def test_exact_values(check: Check) -> None:
    cases: list[tuple[str, object]] = [
        ("m::sqrt(9)", 3.0),
        ("m::sqrt(-1)", NAN),
        ("m::cbrt(-27)", -3.0),
        ("m::powf(2, 3)", 8.0),
        ("m::powf(4, 0.5)", 2.0),
        ("m::powf(-8, 0.5)", NAN),
        ("m::powi(2, -3)", 0.125),
        ("m::exp(0)", 1.0),
        ("m::exp2(10)", 1024.0),
        ("m::ln(1)", 0.0),
        ("m::ln(0)", -INF),
        ("m::ln(-1)", NAN),
        ("m::ln_1p(0)", 0.0),
        ("m::log2(8)", 3.0),
        ("m::log10(1000)", 3.0),
        ("m::sin(0)", 0.0),
        ("m::cos(0)", 1.0),
        ("m::tan(0)", 0.0),
        ("m::asin(2)", NAN),
        ("m::acos(1)", 0.0),
        ("m::atan(0)", 0.0),
        ("m::sinh(0)", 0.0),
        ("m::cosh(0)", 1.0),
        ("m::tanh(m::inf())", 1.0),
        ("m::hypot(3, 4)", 5.0),
        ("m::mul_add(2, 3, 4)", 10.0),
        ("m::to_degrees(m::pi())", 180.0),
        ("m::deg(m::pi())", 180.0),
    ]
    check("math", cases)


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("m::exp(1)", 2.718281828459045),
        ("m::ln(10)", 2.302585092994046),
        ("m::ln_1p(1)", 0.6931471805599453),
        ("m::log(32, 2)", 5.0),  # the base comes second
        ("m::sin(0.5)", 0.479425538604203),
        ("m::cos(0.5)", 0.8775825618903728),
        ("m::tan(0.5)", 0.5463024898437905),
        ("m::asin(1)", 1.5707963267948966),
        ("m::acos(0)", 1.5707963267948966),
        ("m::atan(1)", 0.7853981633974483),
        ("m::atan2(1, 0)", 1.5707963267948966),  # y comes first
        ("m::atan2(0, -1)", 3.141592653589793),
        ("m::sinh(1)", 1.1752011936438014),
        ("m::cosh(1)", 1.5430806348152437),
        ("m::tanh(1)", 0.7615941559557649),
        ("m::to_radians(90)", 1.5707963267948966),
        ("m::rad(180)", 3.141592653589793),
    ],
)
def test_table_values(evaluate: Evaluate, expression: str, expected: float) -> None:
    (result,) = evaluate(USE + expression + ";")
    assert isinstance(result, float)
    assert math.isclose(result, expected, rel_tol=4e-16)


def test_mul_add_rounds_once(check: Check) -> None:
    # (1 + 2^-52)^2 - (1 + 2^-51) is exactly 2^-104; rounding the product first gives 0
    factor = "1.0 + m::epsilon()"
    check("math", [(f"m::mul_add({factor}, {factor}, -1.0 - 2.0 * m::epsilon())", 2.0**-104)])


@pytest.mark.parametrize(
    ("expression", "message"),
    [
        ("m::fmod(1, 0)", "division by zero"),
        ("m::clamp(1, 3, 2)", "math::clamp min must be <= max"),
        ("m::clamp(1, 3.0, 2.0)", "math::clamp bounds must be ordered numbers"),
        ("m::powi(1, 2147483648)", "math::powi exponent out of range for i32"),
    ],
)
def test_errors(evaluate: Evaluate, expression: str, message: str) -> None:
    with pytest.raises(ScriptError, match=message):
        evaluate(USE + expression + ";")


def test_one_program_may_mix_ints_and_floats(evaluate: Evaluate) -> None:
    script = "m::abs(-1); m::abs(-1.5); m::sum([1]); m::sum([0.5]); m::fmod(5, 3); m::fmod(5.5, 3);"
    assert repr(evaluate(USE + script)) == "[1, 1.5, 1, 0.5, 2, 2.5]"
