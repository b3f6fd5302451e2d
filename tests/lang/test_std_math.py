"""`math::` against exact arithmetic and the values of the specification (language.md 6.3)."""

import math as python_math
import struct
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from flint.lang.errors import ScriptError
from flint.lang.std import math

INF, NAN = python_math.inf, python_math.nan
FLOATS = st.floats(allow_nan=False, allow_infinity=False)


def same(left: object, right: object) -> bool:
    """Equal kind and value; floats by bits, all NaNs alike."""
    if type(left) is not type(right):
        return False
    if isinstance(left, float) and isinstance(right, float):
        both_nan = left != left and right != right
        return both_nan or struct.pack("d", left) == struct.pack("d", right)
    return left == right


@pytest.mark.parametrize(
    ("result", "expected"),
    [
        (math.sqrt(16), 4.0),
        (math.sqrt(-1), NAN),
        (math.sqrt(-0.0), -0.0),
        (math.cbrt(27), 3.0),
        (math.cbrt(-3.375), -1.5),
        (math.cbrt(-0.0), -0.0),
        (math.cbrt(-INF), -INF),
        (math.ln(0), -INF),
        (math.ln(-1), NAN),
        (math.ln_1p(-1), -INF),
        (math.log2(8), 3.0),
        (math.log10(1000), 3.0),
        (math.log(8, 2), 3.0),
        (math.log(2, 1), INF),
        (math.exp(1000), INF),
        (math.exp2(10), 1024.0),
        (math.sin(INF), NAN),
        (math.asin(2), NAN),
        (math.sinh(-1000), -INF),
        (math.sinh(-0.0), -0.0),
        (math.cosh(-1000), INF),
        (math.hypot(3, 4), 5.0),
        (math.atan2(0, -1), python_math.pi),
        (math.copysign(3, -1.0), -3.0),
        (math.to_degrees(math.pi()), 180.0),
        (math.fract(-2.75), -0.75),
        (math.fract(5), 0.0),
        (math.fract(INF), NAN),
    ],
)
def test_values(result: float, expected: float) -> None:
    assert same(result, expected)


@pytest.mark.parametrize(
    ("base", "exponent", "expected"),
    [
        (9, 0.5, 3.0),
        (-8.0, 1 / 3, NAN),
        (0.0, -1, INF),
        (-0.0, -1, -INF),
        (-0.0, -2, INF),
        (10, 400, INF),
        (-10, 401, -INF),
        (1, NAN, 1.0),
    ],
)
def test_powf(base, exponent, expected: float) -> None:
    assert same(math.powf(base, exponent), expected)


@pytest.mark.parametrize(
    ("base", "exponent", "expected"),
    [(2, 10, 1024.0), (2.0, -2, 0.25), (-3, 3, -27.0), (5, 0, 1.0), (0, -1, INF), (10, 999, INF)],
)
def test_powi(base, exponent: int, expected: float) -> None:
    assert same(math.powi(base, exponent), expected)


@pytest.mark.parametrize(
    ("function", "argument", "expected"),
    [
        (math.abs, -(2**63), -(2**63)),
        (math.abs, -2.5, 2.5),
        (math.floor, -2.5, -3.0),
        (math.floor, 7, 7),
        (math.ceil, -0.5, -0.0),
        (math.ceil, 1e300, 1e300),
        (math.trunc, -2.9, -2.0),
        (math.round, 2.5, 3.0),
        (math.round, -2.5, -3.0),
        (math.round, -0.4, -0.0),
        (math.round, 0.49999999999999994, 0.0),
        (math.round, 4503599627370497.0, 4503599627370497.0),
        (math.round, NAN, NAN),
        (math.floor, -INF, -INF),
        (math.signum, -5, -1),
        (math.signum, 0, 0),
        (math.signum, 0.0, 1.0),
        (math.signum, -0.0, -1.0),
        (math.signum, NAN, NAN),
    ],
)
def test_functions_that_keep_the_kind(function, argument, expected) -> None:
    assert same(function(argument), expected)


@given(FLOATS)
def test_round_is_half_away_from_zero(value: float) -> None:
    exact = Fraction(abs(value)) + Fraction(1, 2)
    assert math.round(value) == python_math.copysign(exact.numerator // exact.denominator, value)


@given(FLOATS, FLOATS, FLOATS)
def test_mul_add_rounds_once(a: float, b: float, c: float) -> None:
    result = math.mul_add(a, b, c)
    exact = Fraction(a) * Fraction(b) + Fraction(c)
    if python_math.isinf(result):
        assert abs(exact) > Fraction(1.797e308)
        return
    below, above = python_math.nextafter(result, -INF), python_math.nextafter(result, INF)
    error = abs(Fraction(result) - exact)
    for neighbour in (below, above):
        assert python_math.isinf(neighbour) or error <= abs(Fraction(neighbour) - exact)


def test_mul_add_special() -> None:
    assert same(math.mul_add(0.1, 10.0, -1.0), 5.551115123125783e-17)
    assert same(math.mul_add(2, 3, 4), 10.0)
    assert same(math.mul_add(0.0, -1.0, -0.0), -0.0)
    assert same(math.mul_add(1e200, 1e200, INF), INF)
    assert same(math.mul_add(1e200, 1e200, 0), INF)
    assert same(math.mul_add(-1e200, 1e200, 0), -INF)
    assert same(math.mul_add(INF, 0.0, 1.0), NAN)


@pytest.mark.parametrize(
    ("result", "expected"),
    [
        (math.min(3, 7), 3),
        (math.max(3, 7), 7),
        (math.min(2.5, 1), 1.0),
        (math.max(2, 2.5), 2.5),
        (math.min(NAN, 1.0), 1.0),
        (math.max(2.0, NAN), 2.0),
        (math.min(NAN, NAN), NAN),
        (math.clamp(5, 1, 3), 3),
        (math.clamp(5, 1, 3.0), 3.0),
        (math.clamp(NAN, 0, 1), NAN),
    ],
)
def test_choices(result, expected) -> None:
    assert same(result, expected)


@pytest.mark.parametrize(
    ("function", "arguments", "text"),
    [
        (math.clamp, (5, 3, 1), "host error: math::clamp min must be <= max"),
        (math.clamp, (5.0, 3.0, 1.0), "host error: math::clamp bounds must be ordered numbers"),
        (math.clamp, (5.0, 0.0, NAN), "host error: math::clamp bounds must be ordered numbers"),
        (math.powi, (2, 2**31), "host error: math::powi exponent out of range for i32"),
        (math.powi, (2, 1.0), "type mismatch: expected int"),
        (math.sqrt, ("4",), "type mismatch: expected number"),
        (math.abs, (True,), "type mismatch: expected number"),
        (math.min, (1, None), "type mismatch: expected number"),
    ],
)
def test_errors(function, arguments, text: str) -> None:
    with pytest.raises(ScriptError) as caught:
        function(*arguments)
    assert str(caught.value) == text


def test_predicates_and_constants() -> None:
    assert math.is_nan(NAN)
    assert not math.is_nan(1)
    assert math.is_infinite(-INF)
    assert math.is_finite(2**63 - 1)
    assert math.epsilon() == 2.0**-52
    assert math.tau() == 2 * math.pi()
    assert math.neg_inf() == -math.inf()
    assert math.is_nan(math.nan())
    assert math.ln(math.e()) == 1.0
