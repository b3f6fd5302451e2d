"""`json::` (language.md 6.7), checked against Python's own reader where both agree."""

import json as python_json
import math
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from flint import lang
from flint.lang.errors import HostError
from flint.lang.json_reader import _FAST, _Reader
from flint.lang.std import json

VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**63 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)


@given(VALUES)
def test_round_trip(value) -> None:
    text = json.encode(value)
    assert lang.equal(json.decode(text), value)
    assert repr(python_json.loads(text)) == repr(json.decode(text))


@given(VALUES)
def test_both_readers_agree(value) -> None:
    text = json.encode(value)
    assert repr(_Reader(text).document()) == repr(_FAST.decode(text))


@given(VALUES, st.integers(0, 3))
def test_reads_what_python_writes(value, indent: int) -> None:
    text = python_json.dumps(value, indent=indent, ensure_ascii=indent % 2 == 0)
    assert lang.equal(json.decode(text), value)


@given(st.text(alphabet='[]{},:"\\ud8e1-0.+ntrfalse \n', max_size=12))
def test_accepts_only_json(text: str) -> None:
    try:
        value = json.decode(text)
    except HostError as error:
        problem = error.message
    else:
        problem = ""
        if "-0" not in text:  # Python reads it as int 0
            assert repr(python_json.loads(text)) == repr(value)
    assert problem == "" or problem.startswith("json_decode failed: ")


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ({"zeta": 1, "Alpha": 2, "10": 4, "9": 5, "\u00e9": 6, "_": 7},
         '{"10":4,"9":5,"Alpha":2,"_":7,"zeta":1,"\u00e9":6}'),
        ('a"b\\c\n\t\x01\u00e9\U0001f5fc\x7f', '"a\\"b\\\\c\\n\\t\\u0001\u00e9\U0001f5fc\x7f"'),
        ("\b\f\r\x1f/", '"\\b\\f\\r\\u001f/"'),
        ([0.1, 100.0, 1e-5, 1e16, -0.0], "[0.1,100.0,0.00001,1e+16,-0.0]"),
        ([], "[]"),
        ({}, "{}"),
        ([None, True, False], "[null,true,false]"),
        ({"a": None}, '{"a":null}'),
    ],
)  # fmt: skip
def test_encode(value, text: str) -> None:
    assert json.encode(value) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (math.nan, "json_encode does not support NaN or infinity"),
        ([math.inf], "json_encode does not support NaN or infinity"),
        (b"a", "json_encode does not support bytes values"),
        (len, "json_encode does not support callable values"),
        ({1: 2}, "json_encode map keys must be strings"),
    ],
)
def test_encode_errors(value, text: str) -> None:
    with pytest.raises(HostError) as caught:
        json.encode(value)
    assert caught.value.message == text


def test_a_value_nested_beyond_python_is_a_clear_error() -> None:
    value: list = []
    for _ in range(200_000):
        value = [value]
    with pytest.raises(HostError, match="nested too deeply"):
        json.encode(value)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("9223372036854775807", 2**63 - 1),
        ("-9223372036854775808", -(2**63)),
        ("9223372036854775808", 9223372036854775808.0),
        ("1.0", 1.0),
        ("1e2", 100.0),
        ("-0", -0.0),
        (" [ 1 , null ] ", [1, None]),
        ('{"a": null}', {"a": None}),
        ('"\\u65e5 \\ud83d\\uddfc \\\\ \\/ \\""', '\u65e5 \U0001f5fc \\ / "'),
        ("1" * 400 + "e-399", float("1" * 400 + "e-399")),
    ],
)
def test_decode(text: str, value) -> None:
    assert repr(json.decode(text)) == repr(value)


@pytest.mark.parametrize(
    ("text", "line", "column"),
    [
        ("[1,]", 1, 4),
        ("1 2", 1, 3),
        ("", 1, 1),
        ("[1,\n 2,\n x]", 3, 2),
        ('{"a": 1,\n "a": 2}', 2, 2),
        ('{"a": 1 "b": 2}', 1, 9),
        ("{1: 2}", 1, 2),
        ("01", 1, 2),
        ("1.", 1, 2),
        ("1e999", 1, 1),
        ("NaN", 1, 1),
        ("Infinity", 1, 1),
        ("'a'", 1, 1),
        ('"\\ud83d"', 1, 1),
        ('"\\x41"', 1, 2),
        ("[" * 300_000, 1, 1001),
        ("\ufeff1", 1, 1),
        ("\u0661", 1, 1),
        ("1\u00a0", 1, 2),
    ],
)
def test_faults_have_a_place(text: str, line: int, column: int) -> None:
    with pytest.raises(HostError) as caught:
        json.decode(text)
    assert caught.value.message.startswith("json_decode failed: ")
    assert caught.value.message.endswith(f" at line {line} column {column}")


@pytest.mark.parametrize("text", ["[", '{"a":', '[{"a": "[[["},\n[', '["\\"", [['])
def test_deep_nesting_never_ends_python(text: str) -> None:
    """With the limits of a run, and of a compilation before it, C code would overflow the stack."""
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(1_000_000)
    try:
        with pytest.raises(HostError, match=r"recursion limit exceeded at line \d+ column \d+"):
            json.decode(text * 300_000)
    finally:
        sys.setrecursionlimit(limit)


def test_many_brackets_that_are_not_nested() -> None:
    assert json.decode(f"[{'[],' * 5000}0]")[-1] == 0
    assert json.decode(f"[{'[' * 900}{']' * 900}]")
    brackets = "[{" * 2000 + '\\"'
    assert json.decode(f'["{brackets}"]') == [brackets.replace('\\"', '"')]
