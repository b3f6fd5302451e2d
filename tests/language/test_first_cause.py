"""A mistake is reported once: not again for what follows from it."""

from __future__ import annotations

import pytest

from flintc.compiler import compile_text

CAUSES = [
    # a failed import takes its name along
    ('use stdlib::rss::strings::{upper, split}; upper("a"); let g = upper;', ["E_IMPORT"]),
    (
        'use stdlib::rss::strings::{upper as u}; u("a"); upper("a");',
        ["E_IMPORT", "E_UNKNOWN_FUNCTION"],
    ),
    # a variable without a value is still a variable
    ("let name; name;", ["E_MISSING_INITIALIZER"]),
    ("let mut n: int; n = 1; n;", ["E_MISSING_INITIALIZER"]),
    # calls that conflict leave a parameter, a result and what is bound to it without a type
    ('fn f(a) { a + 1 } f(1); f("s");', ["E_CONFLICTING_CALLS"]),
    (
        'fn glue(l, r) { l + r } let n = glue(1, 2); let s = glue("a", "b"); n; s;',
        ["E_CONFLICTING_CALLS"],
    ),
    ("fn f(a) { let t = a; t } f(1); f(2.5);", ["E_CONFLICTING_CALLS"]),
    # branches that differ leave the variable without a type
    ("let n = 1; let t = if n > 0 => { n } else => { 1.5 }; t;", ["E_BRANCH_TYPES"]),
    ('let n = 1; let mut v = 1; if n > 0 { v = "a"; } else { v = 2; }', ["E_BRANCH_TYPES"]),
    ("let mut x = 1; for i in 0..3 { x = x + 0.5; }", ["E_BRANCH_TYPES"]),
    ('use json; fn f(s: string) { json::decode(s) } let x = f("1");', ["E_RESULT_UNKNOWN"]),
    # two mistakes are two
    ('let x = []; let y: int = "a";', ["E_TYPE_MISMATCH", "E_NOT_CONCRETE"]),
]


@pytest.mark.parametrize(("text", "codes"), CAUSES)
def test_only_the_first_cause_is_reported(text: str, codes: list[str]) -> None:
    found = [problem.code for problem in compile_text(text).problems.items]
    assert found == codes


HELP = [
    ("let mut t = 0; t = 1.5;", "ints and floats differ"),
    ("let mut t = 1 + 1; t = 2.5 * 2.0;", "declare `t: number`"),
    ('let mut t = 1; t = "a";', "use another name"),
    ("let n: number = 1; let z = n + 1;", "`z: number`"),
    ("let xs = [];", "`xs: array<int>`"),
    ("let fs = [|x| x];", "`fs: array<fn(int) -> int>`"),
    ("fn f(a) { a * 2 } f(1); f(2.5);", "`a: number`"),
    ('fn f(a) { a } f(1); f("a");', "write two functions"),
]


@pytest.mark.parametrize(("text", "help"), HELP)
def test_the_help_is_of_use(text: str, help: str) -> None:
    (problem,) = compile_text(text).problems.items
    assert help in (problem.help or "")
