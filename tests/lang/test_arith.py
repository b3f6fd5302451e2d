"""Operators on values of unknown kind (language.md 5.2 to 5.5)."""

import math
import operator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from flint import lang
from flint.lang.errors import ScriptError

FINITE = st.floats(allow_nan=False)


def text_of_error(function, *arguments) -> str:
    with pytest.raises(ScriptError) as caught:
        function(*arguments)
    return str(caught.value)


@pytest.mark.parametrize(
    ("left", "right", "result"),
    [
        (1, 2, 3),
        (2**63 - 1, 1, -(2**63)),
        (1, 0.5, 1.5),
        ("a", "b", "ab"),
        (b"\x01", b"\x02", b"\x01\x02"),
        ([1], [2], [1, 2]),
        ("a", 1, "a1"),
        (2.0, "b", "2b"),
    ],
)
def test_add(left, right, result) -> None:
    assert lang.add(left, right) == result
    assert type(lang.add(left, right)) is type(result)


@pytest.mark.parametrize(
    ("left", "right"),
    [("a", True), ("a", None), (None, 1), (True, 1), ([1], "a"), (b"a", "a"), ({}, {})],
)
def test_add_refuses(left, right) -> None:
    expected = "type mismatch: expected number/string or bytes/bytes or array/array"
    assert text_of_error(lang.add, left, right) == expected


@pytest.mark.parametrize(
    "operation", [lang.sub, lang.mul, lang.divide, lang.remainder, lang.less, lang.greater_equal]
)
@pytest.mark.parametrize(("left", "right"), [("a", "b"), (1, None), (True, 1), (1, [1])])
def test_only_numbers(operation, left, right) -> None:
    assert text_of_error(operation, left, right) == "type mismatch: expected number"


def test_int_operations_wrap_and_truncate() -> None:
    assert lang.mul(2**62, 4) == 0
    assert lang.sub(-(2**63), 1) == 2**63 - 1
    assert lang.divide(-7, 2) == -3
    assert lang.remainder(-7, 3) == -1
    assert lang.negate(-(2**63)) == -(2**63)


def test_mixed_operations_are_floats() -> None:
    assert lang.divide(1, 2.0) == 0.5
    assert lang.remainder(-5.5, 2) == -1.5
    assert lang.mul(3, 0.5) == 1.5
    assert str(lang.negate(0.0)) == "-0.0"


@pytest.mark.parametrize(
    ("dividend", "divisor", "result"),
    [(1.0, 0.0, math.inf), (-1.0, 0.0, -math.inf), (1.0, -0.0, -math.inf), (5.5, 2.0, 2.75)],
)
def test_float_division(dividend: float, divisor: float, result: float) -> None:
    assert lang.fdiv(dividend, divisor) == result


def test_float_division_without_result() -> None:
    assert math.isnan(lang.fdiv(0.0, 0.0))
    assert math.isnan(lang.fdiv(math.nan, 0.0))
    assert math.isnan(lang.frem(5.5, 0.0))
    assert math.isnan(lang.frem(math.inf, 2.0))


@pytest.mark.parametrize(
    ("a", "b", "result"), [(5.5, 2.0, 1.5), (-5.5, 2.0, -1.5), (5.5, -2.0, 1.5), (-4.0, 2.0, -0.0)]
)
def test_float_remainder_has_the_sign_of_the_dividend(a: float, b: float, result: float) -> None:
    assert str(lang.frem(a, b)) == str(result)


@given(st.integers(-100, 100), st.integers(-100, 100))
def test_int_comparisons(a: int, b: int) -> None:
    assert lang.less(a, b) == operator.lt(a, b)
    assert lang.greater(a, b) == operator.gt(a, b)
    assert lang.less_equal(a, b) == operator.le(a, b)
    assert lang.greater_equal(a, b) == operator.ge(a, b)


def test_int_against_float() -> None:
    assert lang.less_equal(2, 3.0)
    assert not lang.less_equal(3, 3.0)
    assert not lang.greater_equal(3.0, 3)
    # as floats both are 2**53
    assert not lang.less(9007199254740993, 9007199254740992.0)
    assert not lang.greater(9007199254740993, 9007199254740992.0)
    assert not lang.less_equal(math.nan, math.nan)


@pytest.mark.parametrize(
    ("left", "right", "result"),
    [
        (1, 1, True),
        (1, 1.0, False),
        (1, True, False),
        (0, False, False),
        (None, None, True),
        (None, 0, False),
        (0.0, -0.0, True),
        ("a", "a", True),
        ("a", b"a", False),
        ([1, [2]], [1, [2]], True),
        ([1], [1.0], False),
        ([1], [1, 2], False),
        ({"a": 1, "b": [2]}, {"b": [2], "a": 1}, True),
        ({"a": 1}, {"a": True}, False),
        ({"a": 1}, {"b": 1}, False),
        ({"a": None}, {"b": None}, False),
    ],
)
def test_equal(left, right, result: bool) -> None:
    assert lang.equal(left, right) is result
    assert lang.equal(right, left) is result


def test_nan_is_not_equal_to_itself_even_inside_one_container() -> None:
    nan = [math.nan]
    assert not lang.equal(nan[0], nan[0])
    assert not lang.equal(nan, nan)
    assert not lang.equal({"a": nan[0]}, {"a": nan[0]})


def test_callables_and_handles_are_equal_by_identity() -> None:
    first, second = (lambda: 1), (lambda: 1)
    assert lang.equal(first, first)
    assert not lang.equal(first, second)

    class Handle:
        def __eq__(self, other: object) -> bool:
            raise AssertionError("a handle's own comparison must not be used")

    handle = Handle()
    assert lang.equal([handle], [handle])
    assert not lang.equal(handle, Handle())


@pytest.mark.parametrize("value", [1, 0, "", None, [], "true"])
def test_conditions_take_only_bools(value) -> None:
    assert text_of_error(lang.truth, value) == "type mismatch: expected bool"
    assert text_of_error(lang.not_, value) == "type mismatch: expected bool"


def test_bools() -> None:
    assert lang.truth(True) is True
    assert lang.truth(False) is False
    assert lang.not_(True) is False
    assert lang.not_(False) is True
