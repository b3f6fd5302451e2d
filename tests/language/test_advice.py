"""What a wrong program is told: the code, the place of the carets, and what to do about it."""

from __future__ import annotations

from typing import Final

import pytest

from flintc.compiler import compile_text

# program, code, line and column, length of the carets, help
ADVICE: Final = [
    ("let x = 3 + ;", "E_EXPECTED_EXPRESSION", "1:13", 1, "`+` needs a value on its right"),
    ("let x = +3;", "E_EXPECTED_EXPRESSION", "1:9", 1, "a single value has no `+` before it"),
    ("let mut i = 0; i++;", "E_EXPECTED_EXPRESSION", "1:18", 1, "write `name += 1;`"),
    ("let mut i = 0; ++i;", "E_EXPECTED_EXPRESSION", "1:16", 1, "write `name += 1;`"),
    ("fn f() -> int {\n    1\n", "E_UNCLOSED_BLOCK", "3:1", 1, ""),
    ("while true { if true { 1; }\n", "E_UNCLOSED_BLOCK", "2:1", 1, ""),
    ("let x = (1 + 2));", "E_EXPECTED_SEMICOLON", "1:16", 1, "remove this `)`"),
    ("let x: int?[] = [];", "E_TYPE_SYNTAX", "1:12", 1, "`array<T?>`"),
    ('println("{} {}", 1);', "E_FORMAT", "1:9", 7, "`{}` takes value 2, but 1 is given"),
    ('println("{3}", 1, 2);', "E_FORMAT", "1:9", 5, "`{3}` takes value 4, but 2 are given"),
    ('println("{", 1, 2);', "E_FORMAT", "1:9", 3, "literal braces are `{{` and `}}`"),
    ("struct P { ab: int } let p: P = {ab: 1}; p.abb;", "E_UNKNOWN_FIELD", "1:44", 3, "`ab`?"),
    ("struct P { a: int } let p: P = {a: 1}; p.z;", "E_UNKNOWN_FIELD", "1:42", 1, "fields: `a`"),
    ("let p: Piont = {x: 1};", "E_UNKNOWN_TYPE", "1:8", 5, ""),
    ("let p: flaot = 1.5;", "E_UNKNOWN_TYPE", "1:8", 5, "did you mean `float`?"),
    ('let a = if true => { "x" } else => { 0 };', "E_BRANCH_TYPES", "1:38", 1, "the same type"),
    ("let a = if true => { 1.5 } else => { 0 };", "E_BRANCH_TYPES", "1:38", 1, "write `1.0`"),
    ("let mut o: int? = 3; if o != null { if o > 1 { o = 4; } }", "E_BRANCH_TYPES", "1:40", 5,
     "an assigned optional is optional again"),
    ("use stdlib::rss::strngs;", "E_FILE_NOT_FOUND", "1:5", 19, "did you mean `strings`?"),
    ("use stdlib::rss::sql;", "E_FILE_NOT_FOUND", "1:5", 16, "its modules: bytes, cli, "),
]  # fmt: skip


@pytest.mark.parametrize(("program", "code", "place", "carets", "help"), ADVICE)
def test_advice(program: str, code: str, place: str, carets: int, help: str) -> None:
    (problem,) = compile_text(program, "main.rss").problems.items
    assert problem.code == code
    assert problem.span is not None
    position = problem.span.position
    assert f"{position.line}:{position.column}" == place
    assert max(1, problem.span.end - problem.span.start) == carets
    assert help in (problem.help or "")
    assert (problem.help is None) == (help == "")


def test_an_index_of_the_wrong_type_is_named() -> None:
    (problem,) = compile_text('let a: [int] = [1]; let i = "0"; a[i];', "main.rss").problems.items
    assert problem.title == "a value of type array<int> is indexed by int, not string"
