"""Values that contradict the type that a program declares for them (language reference 3.6, 5.12).

JSON is taken at its word until an operation needs a type; an optional field is taken for plain
until it is null where a plain value is declared.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.language.running import result

INT = "type mismatch: expected int at 1"
STRING = "type mismatch: expected string at 1"
BOOL = "type mismatch: expected bool at 1"

FROM_JSON = [
    # operations fail, and none of them takes a value of another type for what was declared
    ("let x: int = json::decode('true'); x + 1;", INT),
    ("let x: int = json::decode('true'); -x;", INT),
    ("let x: int = json::decode('true'); x < 3;", INT),
    ("let x: int = json::decode('\"a\"'); x * 3;", INT),
    ("let x: int = json::decode('[1]'); 2 * x;", INT),
    ("let x: int = json::decode('1.5'); for i in 0..x { i; }", INT),
    ("let x: string = json::decode('1'); x + '!';", STRING),
    ("let x: string = json::decode('null'); '!' + x;", STRING),
    ("let x: bool = json::decode('1'); if x { 1; }", BOOL),
    ("let x: bool = json::decode('null'); x || true;", BOOL),
    ("let x: bool = json::decode('1'); !x;", BOOL),
    ("let x: bool = json::decode('1'); while x { 1; }", BOOL),
    # the parts of what was decoded as well
    ("let a: [int] = json::decode('[true]'); &a[0] + 1;", INT),
    ("let a: [int] = json::decode('[true]'); let e = &a[0]; e + 1;", INT),
    (
        "struct P { name: string } let p: P = json::decode::<P>('{\"name\": null}');"
        " 'hello ' + p.name;",
        STRING,
    ),
    # what needs no type goes on
    ("let x: int = json::decode('\"a\"'); x; [x];", "['a', ['a']]"),
    ("let x: int = json::decode('[1, 2]'); let y = [x]; y;", "[[[1, 2]]]"),
    ("let x: float = json::decode('1'); x + 1.5;", "[2.5]"),
    ("let x: int = json::decode('2'); x + 1; -x; x < 3;", "[3, -2, True]"),
    # calls check what they pass and give
    (
        "fn f(n: int) -> int { n } let a: [int] = json::decode('[true]'); f(&a[0]);",
        "type mismatch: expected callable argument schema at 1",
    ),
    (
        "fn f() -> int { json::decode('true') } f();",
        "type mismatch: expected callable return schema at 1",
    ),
]


@pytest.mark.parametrize(("text", "expected"), FROM_JSON)
def test_values_from_json(tmp_path: Path, text: str, expected: str) -> None:
    assert result(tmp_path, f"use json; {text}") == expected


STRUCT = (
    "struct N { label: string? } fn get(n: N) -> string { n.label } fn f(s: string) -> int { 1 }"
)
FIELDS = [
    ('let n: N = {label: "a"}; let s: string = &n.label; s + "!";', "['a!']"),
    ('let n: N = {label: "a"}; get(n); f(&n.label);', "['a', 1]"),
    ("let n: N = {label: null}; let s: string = n.label; 1;", "host error: map key not found at 1"),
    ("let n: N = {label: null}; f(n.label);", "host error: map key not found at 1"),
    ("let n: N = {label: null}; get(n);", "host error: map key not found at 1"),
    ("let n: N = {label: null}; let s: string? = n.label; s;", "[None]"),
    ("let n: N = {label: null}; println(n.label);", "null\n['null\\n']"),
]


@pytest.mark.parametrize(("text", "expected"), FIELDS)
def test_optional_fields_where_a_plain_value_is_declared(
    tmp_path: Path, text: str, expected: str
) -> None:
    assert result(tmp_path, f"{STRUCT} {text}") == expected
