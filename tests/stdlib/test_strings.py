"""Module `strings` (language reference 7.1), edge cases worked out by hand."""

from __future__ import annotations

from collections.abc import Callable, Iterable

Check = Callable[[str, Iterable[tuple[str, object]]], None]


def test_comparison(check: Check) -> None:
    cases: list[tuple[str, object]] = [
        ('m::equals("a", "a")', True),
        ('m::equals("a", "A")', False),
        ('m::equals("", "")', True),
        ('m::is_empty("")', True),
        ('m::is_empty(" ")', False),
        ('m::non_empty("")', False),
        ('m::non_empty("\\n")', True),
    ]
    check("strings", cases)


def test_contains(check: Check) -> None:
    rows = [
        ("abc", "bc", True),
        ("abc", "cb", False),
        ("abc", "", True),
        ("", "", True),
        ("", "a", False),
    ]
    check(
        "strings",
        [(f'm::contains("{text}", "{needle}")', expected) for text, needle, expected in rows],
    )


def test_split(check: Check) -> None:
    rows = [
        ("a,,b", ",", ["a", "", "b"]),
        ("", ",", [""]),
        ("a,", ",", ["a", ""]),
        (",a", ",", ["", "a"]),
        ("abc", ",", ["abc"]),
        ("aaa", "aa", ["", "a"]),  # the second pair overlaps the first
        ("1<>2<>3", "<>", ["1", "2", "3"]),
        ("", "", []),
        ("äb€", "", ["ä", "b", "€"]),
    ]
    check("strings", [(f'm::split("{text}", "{at}")', pieces) for text, at, pieces in rows])


def test_trim(check: Check) -> None:
    rows = [
        ("", ""),
        (" \\t\\r\\n", ""),
        ("a", "a"),
        (" a", "a"),
        ("a ", "a"),
        ("\\r\\n a \\n b \\t", "a \n b"),
        ("\\x0ba\\x0c", "\x0ba\x0c"),  # vertical tab and form feed stay
        ("\u00a0a\u2003", "\u00a0a\u2003"),  # and so do the spaces beyond ASCII
    ]
    check("strings", [(f'm::trim("{value}")', expected) for value, expected in rows])


def test_replace(check: Check) -> None:
    rows = [
        ("aaa", "aa", "b", "ba"),
        ("abab", "b", "", "aa"),
        ("abc", "", "x", "abc"),
        ("a", "a", "aa", "aa"),  # what was put in is not searched again
        ("", "a", "b", ""),
        ("x.y", ".", "$1", "x$1y"),
    ]
    check("strings", [(f'm::replace("{a}", "{b}", "{c}")', expected) for a, b, c, expected in rows])
