"""Texts of values (language.md 5.11); expected texts from the specification's tables."""

import math
from collections.abc import Iterable
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from flint import lang
from flint.lang.floats import debug_float, display_float, exponent_float, json_float
from flint.lang.state import run_state


def make_map(pairs: Iterable[tuple[object, object]]) -> dict[object, object]:
    return lang.without_nulls({lang.map_key(key): value for key, value in pairs})


FINITE = st.floats(allow_nan=False, allow_infinity=False)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "null"),
        (True, "true"),
        (-5, "-5"),
        (1.0, "1"),
        (0.1, "0.1"),
        (1e20, "100000000000000000000"),
        (1e-7, "0.0000001"),
        (-0.0, "-0"),
        (math.nan, "NaN"),
        (math.inf, "inf"),
        (-math.inf, "-inf"),
        (9999999999999999000000000.0, "9999999999999999000000000"),
        ('a"b', 'a"b'),
        (b"\x00\xffa", "bytes[len=3 hex=00ff61]"),
        (b"", "bytes[len=0 hex=]"),
        (b"0123456789abcdefXYZ", "bytes[len=19 hex=30313233343536373839616263646566..]"),
        ([], "[]"),
        ([1, "a", [None]], "[1, a, [null]]"),
        ({}, "{}"),
        ({"k": "v", 2: 1.0}, "{k: v, 2: 1}"),
    ],
)
def test_display(value, text: str) -> None:
    assert lang.display(value) == text


@given(FINITE)
def test_display_of_floats_reads_back_and_is_shortest(value: float) -> None:
    text = display_float(value)
    assert float(text) == value
    assert set(text) <= set("-.0123456789")
    assert not text.endswith(".0")
    assert Decimal(text) == Decimal(repr(value))


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (1.0, "1.0"),
        (0.0001, "0.0001"),
        (5e-5, "5e-5"),
        (1e15, "1000000000000000.0"),
        (1e16, "1e16"),
        (1.5e300, "1.5e300"),
        (-0.0, "-0.0"),
        (math.nan, "NaN"),
        (-math.inf, "-inf"),
    ],
)
def test_debug_of_floats(value: float, text: str) -> None:
    assert debug_float(value) == text
    assert lang.debug(value) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.00001, "0.00001"),
        (0.000012345, "0.000012345"),
        (0.000001, "1e-6"),
        (1.2345e-7, "1.2345e-7"),
        (1e15, "1000000000000000.0"),
        (1e16, "1e+16"),
        (123456789012345680000.0, "1.2345678901234568e+20"),
        (1e-300, "1e-300"),
        (-0.0, "-0.0"),
        (1.0, "1.0"),
    ],
)
def test_json_floats(value: float, text: str) -> None:
    assert json_float(value) == text


@pytest.mark.parametrize(
    ("value", "precision", "text"),
    [
        (1500.0, None, "1.5e3"),
        (12345.0, None, "1.2345e4"),
        (0.0, None, "0e0"),
        (-0.0, None, "-0e0"),
        (0.00012, None, "1.2e-4"),
        (100.0, None, "1e2"),
        (1500.0, 0, "2e3"),
        (2500.0, 0, "2e3"),
        (1.0, 3, "1.000e0"),
        (math.inf, 2, "inf"),
    ],
)
def test_exponent_form(value: float, precision: int | None, text: str) -> None:
    assert exponent_float(value, precision) == text


@given(FINITE)
def test_other_forms_read_back(value: float) -> None:
    for text in (debug_float(value), json_float(value), exponent_float(value, None)):
        assert float(text) == value


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("a\"b\\c\n\r\t\0'", r'''"a\"b\\c\n\r\t\0'"'''),
        ("\x01\x7f\u200b\u00a0", r'"\u{1}\u{7f}\u{200b}\u{a0}"'),
        ("\u00e9\u65e5\U0001f5fc", '"\u00e9\u65e5\U0001f5fc"'),
        ("e\u0301", '"e\\u{301}"'),
        (b"a", "bytes[len=1 hex=61]"),
        (None, "null"),
        ([1, 2.0], "[Int(1), Float(2.0)]"),
        ({"a": [None, True]}, '{String("a"): Array([Null, Bool(true)])}'),
        ([b"ab"], "[Bytes([97, 98])]"),
    ],
)
def test_debug(value, text: str) -> None:
    assert lang.debug(value) == text


def test_stack() -> None:
    stack = [1, make_map([(True, 1.5)]), "x"]
    assert lang.stack_text(stack) == '[Int(1), Map({Bool(true): Float(1.5)}), String("x")]'


PRETTY = """\
[
    Array(
        [
            Int(
                1,
            ),
        ],
    ),
    Array(
        [],
    ),
]"""


def test_pretty() -> None:
    assert lang.debug_pretty([[1], []]) == PRETTY
    name = '{\n    String(\n        "name",\n    ): String(\n        "x",\n    ),\n}'
    assert lang.debug_pretty({"name": "x"}) == name
    assert lang.debug_pretty([None]) == "[\n    Null,\n]"


def named() -> None: ...


def test_callables_have_small_numbers() -> None:
    def literal() -> None: ...

    with run_state():
        shown = [lang.display(f) for f in (named, literal, lambda: 1, lang.length, named)]
    assert shown == ["<fn#0>", "<closure#1>", "<closure#2>", "<host-fn#3>", "<fn#0>"]


def test_handles_show_their_number_or_type() -> None:
    class Model:
        handle = 7

    class Plain: ...

    assert lang.display(Model()) == "7"
    assert lang.display(Plain()) == "Plain"


@pytest.mark.parametrize(("value", "text"), [("a", "a"), (1, "1"), (1.0, "1"), (2.5, "2.5")])
def test_operands_beside_a_string(value, text: str) -> None:
    assert lang.text_operand(value) == text


@pytest.mark.parametrize("value", [None, True, [1], {}, b"a"])
def test_what_a_string_does_not_take(value) -> None:
    with pytest.raises(lang.TypeMismatch, match=r"^type mismatch: expected string$"):
        lang.text_operand(value)


@pytest.mark.parametrize(
    ("value", "name"),
    [
        (None, "null"),
        (True, "bool"),
        (1, "int"),
        (1.0, "float"),
        ("", "string"),
        (b"", "bytes"),
        ([], "array"),
        ({}, "map"),
        (len, "callable"),
        (object(), "int"),
    ],
)
def test_type_names(value, name: str) -> None:
    assert lang.type_name(value) == name
