"""Module `collections` (language reference 7.2), edge cases worked out by hand."""

from __future__ import annotations

from collections.abc import Callable, Iterable

Check = Callable[[str, Iterable[tuple[str, object]]], None]
Evaluate = Callable[[str], list[object]]

NAN = float("nan")
USE = "use stdlib::rss::collections as m;\n"


def test_search(check: Check) -> None:
    cases: list[tuple[str, object]] = [
        ("m::index_of::<int>([5, 7, 5], 5)", 0),
        ("m::index_of::<int>([5, 7, 5], 7)", 1),
        ("m::index_of::<int>([5], 6)", -1),
        ("m::index_of::<int>([], 6)", -1),
        ("m::index_of::<number>([1.0, 1], 1)", 1),  # an int equals no float
        ("m::index_of::<[int]>([[1], [1, 2]], [1, 2])", 1),
        ("m::index_of::<map<int>>([{a: 1}, {b: 1}], {b: 1})", 1),
        ('m::contains::<string>(["a", "b"], "b")', True),
        ('m::contains::<string>(["a", "b"], "")', False),
    ]
    check("collections", cases)


def test_nan_is_not_found(evaluate: Evaluate) -> None:
    found = evaluate(USE + "use math;\nm::index_of::<float>([math::nan()], math::nan());")
    assert found == [-1]


def test_reverse(check: Check) -> None:
    cases: list[tuple[str, object]] = [
        ("m::reverse::<int>([])", []),
        ("m::reverse::<int>([1])", [1]),
        ("m::reverse::<int>([1, 2, 3])", [3, 2, 1]),
        ('m::reverse::<[string]>([["a", "b"], ["c"]])', [["c"], ["a", "b"]]),
    ]
    check("collections", cases)


def test_dedup(check: Check) -> None:
    cases: list[tuple[str, object]] = [
        ("m::dedup::<int>([])", []),
        ("m::dedup::<int>([2, 1, 2, 3, 1, 1])", [2, 1, 3]),
        ("m::dedup::<number>([1, 1.0, 1, 1.0])", [1, 1.0]),
        ("m::dedup::<float>([0.0, -0.0])", [0.0]),
        ("m::dedup::<bool>([true, false, true, false])", [True, False]),
        ('m::dedup::<bytes>([b"a", b"b", b"a"])', [b"a", b"b"]),
        ("m::dedup::<int?>([null, 1, null])", [None, 1]),
        ("m::dedup::<[int]>([[1], [2], [1]])", [[1], [2]]),
        ("m::dedup::<map<int>>([{a: 1}, {a: 1}, {a: 2}])", [{"a": 1}, {"a": 2}]),
    ]
    check("collections", cases)


def test_dedup_keeps_every_nan(evaluate: Evaluate) -> None:
    # nothing equals a NaN, nor an array that holds one
    script = """use math;
let one: [float] = [math::nan()];
m::dedup::<float>([math::nan(), math::nan()]);
m::dedup::<[float]>([one, one]);"""
    assert repr(evaluate(USE + script)) == repr([[NAN, NAN], [[NAN], [NAN]]])


def test_dedup_of_functions(evaluate: Evaluate) -> None:
    script = """fn up(n: int) -> int { n + 1 }
fn down(n: int) -> int { n - 1 }
m::dedup::<fn(int) -> int>([up, down, up]).length;"""
    assert evaluate(USE + script) == [2]


def test_lookup(check: Check) -> None:
    cases: list[tuple[str, object]] = [
        ('m::has::<string, int>({a: 1}, "a")', True),
        ('m::has::<string, int>({a: 1}, "b")', False),
        ("m::has::<int, int>({5: 1}, 5)", True),
        ("m::has::<float, int>({5: 1}, 5.0)", False),
        ('m::get_or::<string, int>({a: 1}, "a", 9)', 1),
        ('m::get_or::<string, int>({a: 1}, "b", 9)', 9),
        ("m::get_or::<bool, string>({true: 'yes'}, true, 'no')", "yes"),
    ]
    check("collections", cases)


def test_maps(check: Check) -> None:
    cases: list[tuple[str, object]] = [
        ("m::values::<int>({})", []),
        ("m::values::<string>({1: 'a', 1.0: 'b'})", ["a", "b"]),
        ("m::entries::<string, int>({})", []),
        ("m::entries::<int, string>({2: 'a', 1: 'b'})", [[2, "a"], [1, "b"]]),
        ("m::merge::<int>({a: 1, b: 2}, {b: 3, c: 4})", {"a": 1, "b": 3, "c": 4}),
        ("m::merge::<int>({}, {a: 1})", {"a": 1}),
        ("m::merge::<int>({a: 1}, {})", {"a": 1}),
    ]
    check("collections", cases)


def test_values_follow_the_keys(evaluate: Evaluate) -> None:
    script = "let t: map<int> = {b: 1, a: 2, c: 3};\nt.keys;\nm::values::<int>(t);"
    keys, values = evaluate(USE + script)
    assert dict(zip(keys, values, strict=True)) == {"b": 1, "a": 2, "c": 3}  # type: ignore[call-overload]


def test_null_values_vanish_in_a_merge(evaluate: Evaluate) -> None:
    # only JSON makes maps with null values; written into a map, null removes the key
    script = """use json;
let nulls: map<int> = json::decode("{\\"a\\": null, \\"b\\": 1}");
m::merge::<int>(nulls, {c: 2});
m::merge::<int>({a: 1}, nulls);"""
    assert evaluate(USE + script) == [{"b": 1, "c": 2}, {"b": 1}]


def test_arguments_stay_as_they_are(evaluate: Evaluate) -> None:
    script = """let left: map<int> = {a: 1};
let list: [int] = [1, 1, 2];
m::merge::<int>(left, {a: 2}); m::dedup::<int>(list); m::reverse::<int>(list);
left; list;"""
    assert evaluate(USE + script)[-2:] == [{"a": 1}, [1, 1, 2]]


def test_dedup_takes_linear_time(evaluate: Evaluate) -> None:
    # 100 000 different elements: comparing all pairs would take an hour
    script = """use stdlib::rss::iter as it;
m::dedup::<int>(it::range(100000)).length;"""
    assert evaluate(USE + script) == [100_000]
