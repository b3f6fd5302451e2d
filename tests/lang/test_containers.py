"""Indexing, updates, slices and maps (language.md 5.6, 5.7)."""

import math
from collections.abc import Iterable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from flint import lang
from flint.lang.errors import ScriptError


def make_map(pairs: Iterable[tuple[object, object]]) -> dict[object, object]:
    return lang.without_nulls({lang.map_key(key): value for key, value in pairs})


def error(function, *arguments) -> str:
    with pytest.raises(ScriptError) as caught:
        function(*arguments)
    return str(caught.value)


@pytest.mark.parametrize(
    ("container", "key", "value"),
    [
        ("h\u00e9\U0001f5fcx", 2, "\U0001f5fc"),
        (b"a\xff", 1, 255),
        ([1, "b"], 1, "b"),
        ({"k": None}, "k", None),
    ],
)
def test_item(container, key, value) -> None:
    assert lang.item(container, key) == value


@pytest.mark.parametrize(
    ("container", "key", "text"),
    [
        ("abc", 3, "host error: string index 3 out of bounds"),
        ("abc", -1, "host error: string index must be non-negative"),
        (b"abc", 3, "host error: bytes index 3 out of bounds"),
        (b"abc", -1, "host error: bytes index must be non-negative"),
        ([1], 1, "host error: array index 1 out of bounds"),
        ([1], -1, "host error: array index must be non-negative"),
        ({}, "a", "host error: map key not found"),
        ([1], "0", "type mismatch: expected int"),
        ([1, 2], True, "type mismatch: expected int"),
        (None, 0, "type mismatch: expected bytes/array/map/string"),
        (7, 0, "type mismatch: expected bytes/array/map/string"),
    ],
)
def test_item_errors(container, key, text: str) -> None:
    assert error(lang.item, container, key) == text


def test_typed_items_agree_with_the_general_one() -> None:
    assert lang.array_item([5, 6], 1) == 6
    assert lang.string_item("ab", 0) == "a"
    assert lang.bytes_item(b"ab", 0) == 97
    assert lang.map_item({"a": 1}, "a") == 1
    assert error(lang.array_item, [], 0) == "host error: array index 0 out of bounds"
    assert error(lang.string_item, "a", -2) == "host error: string index must be non-negative"
    assert error(lang.bytes_item, b"", 0) == "host error: bytes index 0 out of bounds"
    assert error(lang.map_item, {}, 1) == "host error: map key not found"


def test_writing_at_the_length_appends() -> None:
    items = [1]
    assert lang.set_item(items, 1, 2) is None
    lang.set_item(items, 0, None)
    assert items == [None, 2]
    assert error(lang.set_item, items, 5, 0) == "host error: array index 5 out of bounds"
    assert error(lang.set_item, items, -1, 0) == "host error: array index must be non-negative"
    assert error(lang.set_item, "abc", 0, "x") == "type mismatch: expected array/map"


def test_null_deletes_a_map_entry() -> None:
    entries = make_map([("a", 1), ("b", None), ("c", 3), ("c", None), ("d", 4)])
    assert entries == {"a": 1, "d": 4}
    lang.set_item(entries, "a", None)
    lang.set_item(entries, "absent", None)
    assert entries == {"d": 4}


def test_keys_of_different_kinds_stay_apart() -> None:
    keys = [1, 1.0, True, "1", b"1", None, 0, False, 0.5]
    entries = make_map((key, str(index)) for index, key in enumerate(keys))
    assert lang.length(entries) == len(keys)
    assert [lang.item(entries, key) for key in keys] == [str(i) for i in range(len(keys))]
    assert [type(key) for key in lang.keys(entries)] == [type(key) for key in keys]
    assert lang.keys(entries) == keys


def test_float_keys() -> None:
    entries = make_map([(0.0, "zero"), (math.nan, "nan"), (-0.0, "minus")])
    assert lang.length(entries) == 2
    assert lang.item(entries, 0.0) == "minus"
    assert lang.item(entries, math.nan) == "nan"


def test_containers_are_keys_by_their_content() -> None:
    key = [1, {"a": [2]}]
    entries = make_map([(key, "here"), ([1.0, {"a": [2]}], "float"), ([True], "bool")])
    assert lang.item(entries, [1, {"a": [2]}]) == "here"
    assert lang.has(entries, [1.0, {"a": [2]}])
    assert not lang.has(entries, [1])  # true and 1 are different keys, inside arrays too
    assert lang.keys(entries)[0] == [1, {"a": [2]}]


def test_map_keys_ignore_the_order_of_their_entries() -> None:
    entries = make_map([({"a": 1, "b": 2}, "here")])
    assert lang.item(entries, {"b": 2, "a": 1}) == "here"


def test_later_changes_of_a_key_do_not_reach_the_map() -> None:
    key = [1]
    entries = make_map([(key, "here")])
    key.append(2)
    lang.keys(entries)[0].append(3)
    assert lang.has(entries, [1])
    assert lang.keys(entries) == [[1]]


def test_callables_are_no_keys() -> None:
    expected = "host error: callable values are not supported as map keys"
    assert error(lang.map_key, len) == expected


@pytest.mark.parametrize(
    ("container", "key", "value"),
    [
        (None, "k", None),
        ({"k": 1}, "k", 1),
        ({"k": 1}, "z", None),
        ([5], 0, 5),
        ([5], 1, None),
        ([5], -1, None),
        ([5], True, None),
        ("ab", 1, "b"),
        (b"ab", 1, None),
        (7, 1, None),
    ],
)
def test_optional_item(container, key, value) -> None:
    assert lang.optional_item(container, key) == value


def test_has() -> None:
    assert lang.has([1, 2], 1)
    assert not lang.has([1, 2], 2)
    assert not lang.has([1, 2], -1)
    assert lang.has(b"abc", 2)
    assert lang.has({1.0: 1}, 1) is True
    assert not lang.has(make_map([(1.0, 1)]), 1)
    assert error(lang.has, "abc", 0) == "type mismatch: expected bytes/array/map"


def test_keys_and_length() -> None:
    assert lang.keys([7, 7]) == [0, 1]
    assert lang.keys({"b": 1, "a": 2}) == ["b", "a"]
    assert [lang.length(v) for v in ("\U0001f5fc", b"ab", [1], {})] == [1, 2, 1, 0]
    assert error(lang.length, None) == "type mismatch: expected bytes/array/map/string"


@pytest.mark.parametrize(
    ("start", "end", "result"),
    [
        (-2, None, ""),
        (None, -2, "hel"),
        (1, 3, "el"),
        (4, None, "o"),
        (None, None, "hello"),
        (3, 2, ""),
        (5, 9, ""),
        (2, 99, "llo"),
        (0, -9, ""),
        (2, -9, ""),
    ],
)
def test_slices_of_hello(start, end, result: str) -> None:
    assert lang.slice_("hello", start, end) == result


@given(st.lists(st.integers(), max_size=6), *[st.none() | st.integers(-9, 9)] * 2)
def test_slices_follow_the_rule_step_by_step(items, start, end) -> None:
    first = 0 if start is None else start
    last = len(items) if end is None else end + len(items) if end < 0 else end
    count = last - first
    expected = []
    if first >= 0 and count > 0 and first < len(items):
        expected = [items[i] for i in range(first, min(first + count, len(items)))]
    assert lang.slice_(items, start, end) == expected
    assert lang.slice_(bytes(len(items)), start, end) == bytes(len(expected))


def test_slice_bounds_are_ints() -> None:
    assert error(lang.slice_, "abc", 1.0, None) == "type mismatch: expected int"
    assert error(lang.slice_, {}, 0, 1) == "type mismatch: expected bytes/array/string"


def test_map_loops_run_over_a_snapshot() -> None:
    entries = {"a": 1, "b": 2}
    seen = []
    for key, value in lang.map_items(entries):
        entries[key + "x"] = value
        seen.append((key, value))
    assert seen == [("a", 1), ("b", 2)]
    expected = "host error: borrowed map iteration requires string keys"
    assert error(lang.map_items, {1: 10}) == expected


def test_own_copies_one_level() -> None:
    inner = [1]
    outer = [inner]
    copy = lang.own(outer)
    copy.append(2)
    assert outer == [inner]
    assert copy[0] is inner
    assert lang.own("text") == "text"
