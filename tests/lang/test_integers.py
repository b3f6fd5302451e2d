"""64-bit integer arithmetic against C's own types and exact fractions."""

import ctypes
import math
from fractions import Fraction

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from flint.lang import div, rem, wrap
from flint.lang.errors import DivisionByZero, IntegerOverflow

MIN, MAX = -(2**63), 2**63 - 1
INT64 = st.integers(MIN, MAX)


@given(st.integers(-(2**130), 2**130))
@example(MAX + 1)
@example(MIN - 1)
def test_wrap_keeps_the_low_64_bits_as_c_does(number: int) -> None:
    assert wrap(number) == ctypes.c_int64(number & (2**64 - 1)).value


@given(INT64, INT64.filter(bool))
@example(-7, 2)
@example(7, -3)
def test_division_truncates_the_exact_quotient(a: int, b: int) -> None:
    if (a, b) == (MIN, -1):
        return
    assert div(a, b) == math.trunc(Fraction(a, b))
    assert div(a, b) * b + rem(a, b) == a
    assert rem(a, b) == 0 or (rem(a, b) < 0) == (a < 0)


@pytest.mark.parametrize(
    ("a", "b", "quotient", "remainder"), [(-7, 2, -3, -1), (-7, 3, -2, -1), (7, -3, -2, 1)]
)
def test_signs(a: int, b: int, quotient: int, remainder: int) -> None:
    assert (div(a, b), rem(a, b)) == (quotient, remainder)


@pytest.mark.parametrize("operation", [div, rem])
def test_by_zero(operation) -> None:
    with pytest.raises(DivisionByZero, match=r"^division by zero$"):
        operation(1, 0)


def test_smallest_by_minus_one() -> None:
    with pytest.raises(IntegerOverflow, match=r"^integer overflow in division$"):
        div(MIN, -1)
    with pytest.raises(IntegerOverflow, match=r"^integer overflow in remainder$"):
        rem(MIN, -1)
