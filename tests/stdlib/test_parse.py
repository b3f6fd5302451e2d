"""Module `parse` (language reference 7.5), edge cases worked out by hand."""

from __future__ import annotations

from collections.abc import Callable, Iterable

Check = Callable[[str, Iterable[tuple[str, object]]], None]
Evaluate = Callable[[str], list[object]]

MAX = 2**63 - 1


def or_(value: object, fallback: object) -> object:
    return fallback if value is None else value


def test_decimal_integers(check: Check) -> None:
    rows = [
        ("0", 0),
        ("-0", 0),
        ("007", 7),
        ("+12", 12),
        ("-12", -12),
        ("\\t 5 \\r\\n", 5),
        (f"{MAX}", MAX),
        (f"-{MAX + 1}", -MAX - 1),
        (f"{MAX + 1}", -MAX - 1),  # wraps around
        (f"{2**64 + 5}", 5),
        ("", None),
        (" ", None),
        ("+", None),
        ("-", None),
        ("+-1", None),
        ("1-", None),
        ("- 1", None),
        ("1 2", None),
        ("1_000", None),
        ("0x10", None),
        ("1.0", None),
        ("1e3", None),
        ("a", None),
        ("\u0661", None),  # a digit, but not of ASCII
        ("\u00a01", None),  # white space, but not of ASCII
    ]
    check("parse", [(f'm::is_int_literal("{text}")', value is not None) for text, value in rows])
    check("parse", [(f'm::try_parse_int("{text}")', value) for text, value in rows])
    check("parse", [(f'm::parse_int_or("{text}", 77)', or_(value, 77)) for text, value in rows])


def test_integers_to_any_base(check: Check) -> None:
    rows = [
        ("101", "2", 5),
        ("-101", "2", -5),
        ("2", "2", None),
        ("777", "8", 511),
        ("8", "8", None),
        ("a", "10", None),
        ("a", "11", 10),
        ("b", "11", None),
        ("fF", "16", 255),
        ("-Ff", "16", -255),
        ("zz", "36", 35 * 36 + 35),
        ("Z", "35", None),
        ("7fffffffffffffff", "16", MAX),
        ("8000000000000000", "16", -MAX - 1),
        ("ffffffffffffffff", "16", -1),
        ("0", "2", 0),
        ("0", "1", None),
        ("0", "0", None),
        ("1", "-10", None),
        ("0", "37", None),
        ("", "16", None),
        ("[", "36", None),  # stands after Z in ASCII
    ]
    texts = [(f'"{text}", {base}', value) for text, base, value in rows]
    check("parse", [(f"m::is_int_literal_base({text})", n is not None) for text, n in texts])
    check("parse", [(f"m::try_parse_int_base({text})", n) for text, n in texts])
    check("parse", [(f"m::parse_int_base_or({text}, 77)", or_(n, 77)) for text, n in texts])


def test_booleans(check: Check) -> None:
    rows = [
        ("true", True),
        ("false", False),
        (" true\\n", True),
        ("\\tfalse ", False),
        ("True", None),
        ("FALSE", None),
        ("1", None),
        ("", None),
        ("true false", None),
    ]
    check("parse", [(f'm::is_bool_literal("{text}")', value is not None) for text, value in rows])
    check("parse", [(f'm::try_parse_bool("{text}")', value) for text, value in rows])
    for default in (True, False):
        fallback = str(default).lower()
        check(
            "parse",
            [(f'm::parse_bool_or("{t}", {fallback})', or_(value, default)) for t, value in rows],
        )


def test_long_texts_take_linear_time(evaluate: Evaluate) -> None:
    script = """use stdlib::rss::parse as m;
let mut digits = "1";
for i in 0..17 { digits = digits + digits; }
m::is_int_literal(digits); m::is_int_literal(digits + "x");
m::is_int_literal(" " + digits + "\\n");"""
    assert evaluate(script) == [True, False, True]
