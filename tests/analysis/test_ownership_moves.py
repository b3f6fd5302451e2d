"""Moves of whole variables: which are movable, what moves them, captures, consuming parameters.

Programs derived from language reference 4.1, 4.3 and 4.5.
"""

from __future__ import annotations

import pytest

from tests.analysis.ownership_support import found

ACCEPTED = [
    # what is not movable: anything but literals
    'let a = "x" + "y"; let b = a; a;',
    'let a = ["x"]; let i = 0; let s = a[i] + ""; let b = s; s;',
    "let a = 2.5; let b = a; a;",
    "let a = null; let b = a; a;",
    "let a: map<int> = {}; let b = a; a;",
    "let f = |x| x + 1; let h = f; f(1);",
    'let a: string? = "x"; a.unwrap_or("y"); a.unwrap_or("z");',
    'let a = match 1 { 1 => "x", _ => g() }; let b = a; a;',
    'let a = if c => { "x" } else => { g() }; let b = a; a;',
    'let a = "x"; let b = a.copy(); let d = b; b; a;',
    'let a = "x"; let b = &a; let d = b; b; a;',
    # rebinding makes it usable, or not movable
    'let mut a = "x"; a = g(); let b = a; a;',
    'let a = "x"; let b = a; let a = "y"; a;',
    'let mut a = "x"; let b = a; a = "y"; a; b;',
    'let mut a = "x"; if c { let b = a; a = "y"; } a;',
    'let mut a = "x"; for i in 0..3 { let b = a; a = "y"; }',
    # what copies or looks
    'let a = "x"; let b = [a]; a;',
    'let a = "x"; let b = {k: a}; a;',
    'let a = "x"; let b = (a + ""); a;',
    'let a = "x"; a == a; a;',
    'let a = "x"; type(a); a;',
    'let a = "x"; print("{} {}", a, a); a;',
    'let a = "x"; let b = if c => { a } else => { a }; a;',
    'let a = "x"; let b = match 1 { 1 => a, _ => "y" }; a;',
    'let a = "x"; let mut m = {k: "y"}; m.k = a; a;',
    'let a = "x"; let mut xs = ["y"]; xs[0] = a; a;',
    'let mut a = "x"; a = a; a;',
    'let a = "x"; let a = a; a;',
    'fn f() -> string { let a = "x"; a } f();',
    'fn f(p: string) -> string { let q = p; p + q } f("x");',
    # arguments of what consumes nothing
    'fn f(p: string) -> string { p } let a = "x"; f(a); a;',
    'fn f(p: string) -> string { let t = p; t + p } let a = "x"; f(a); a;',
    'fn f(p: string) -> string { let t = p; p.length; t } let a = "x"; f(a); a;',
    'fn f(p: string) -> string { if p == "" { let t = p; } p } let a = "x"; f(a); a;',
    'fn f(p: [string]) -> string { let i = 0; let t = p[i]; t } let a = "x"; f([a]); a;',
    'let f = |p| p; let a = "x"; f(a); a;',
    'let a = "x"; eat(a.copy()); a;',
    'let a = "x"; eat(&a); a;',
    'let a = "x"; eat(a + ""); a;',
    "let a = g(); eat(a); a;",
    # captures
    'let a = "x"; let f = || &a; a;',
    'let a = "x"; let f = || a.copy() + &a; a;',
    'let a = "x"; let f = || a.copy()[0:1]; a;',
    'let a = "x"; let f = || (&a).length; a;',
    "let a = [1, 2]; let f = || &a[0]; a.length;",
    "let a = [1, 2]; let i = 0; let f = || a.copy()[i]; a.length; i;",
    "let a = [1, 2]; fn h() -> int { (&a).length } a.length;",
    "let m: map<int> = {k: 1}; fn h() -> null { for (k, v) in &m { print(k); } null } m.length;",
    "let a = g(); let f = || a; a;",
    "let a = true; let f = || a; a;",
    "let mut n = 0; let up = || if c => { n = n + 1; n } else => { 0 }; up(); n;",
    "let mut log: [int] = []; fn add(v: int) -> int { log[log.length] = v; v } log = []; log;",
    "let f = |n| if n < 1 => { 0 } else => { f(n - 1) }; f(3);",
    "fn outer() -> int { let k = 2; fn inner() -> int { k } inner() + k } outer();",
    'let a = "x"; for i in 0..2 { let f = || a.copy(); } a;',
]

REJECTED = [
    ('let a = "x"; let b = a; let d = a;', "E_LOCAL_MOVED a"),
    ('let a = b"x"; let b = a; a.length;', "E_LOCAL_MOVED a"),
    ('let a = "x"; let b = a; let d = b; b;', "E_LOCAL_MOVED b"),
    ('let a = "x"; let mut b = ""; b = a; a;', "E_LOCAL_MOVED a"),
    ('let a = "x"; let b = a; a.copy();', "E_LOCAL_MOVED a"),
    ('let a = "x"; let b = a; &a;', "E_LOCAL_MOVED a"),
    ('let a = "x"; let b = a; a[0];', "E_LOCAL_MOVED a"),
    ('let a = "x"; let b = a; [a];', "E_LOCAL_MOVED a"),
    ('let a = "x"; let b = a; a == "x";', "E_LOCAL_MOVED a"),
    ('let a = "x"; let b = a; if a == "x" { print(1); }', "E_LOCAL_MOVED a"),
    ('let a: string = "x"; let b = a; a;', "E_LOCAL_MOVED a"),
    ('let mut a = g(); a = "x"; let b = a; a;', "E_LOCAL_MOVED a"),
    ('let a = match 1 { 1 => "x", _ => "y" }; let b = a; a;', "E_LOCAL_MOVED a"),
    ('let a = if c => { let q = "x"; q } else => { "y" }; let b = a; a;', "E_LOCAL_MOVED a"),
    ('let a = "x"; if c { let b = a; } else { let b = a; } a;', "E_LOCAL_MOVED a"),
    ('let a = "x"; match 1 { 1 => eat(a), _ => "y" }; a;', "E_LOCAL_MOVED a"),
    ('let a = "x"; c && eat(a) == "x"; a;', "E_LOCAL_MOVED a"),
    ('fn f(p: string) -> string { let a = "x"; let b = a; a } f("y");', "E_LOCAL_MOVED a"),
    ('fn f(p: string) -> string { p = "x"; let b = p; p } f("y");', "E_LOCAL_MOVED p"),
    ('let f = |p| if c => { let a = "x"; let b = a; a } else => { "" };', "E_LOCAL_MOVED a"),
    # consuming parameters
    (
        'fn f(p: string) -> string { let mut t = ""; t = p; t } let a = "x"; f(a); a;',
        "E_LOCAL_MOVED a",
    ),
    ('let a = "x"; eat(a); eat(a);', "E_LOCAL_MOVED a"),
    ('let a = "x"; let b = eat(a); a;', "E_LOCAL_MOVED a"),
    ('let a = "x"; print(eat(a) + a);', "E_LOCAL_MOVED a"),
    ('let a = "x"; for i in 0..2 { eat(a); }', "E_LOCAL_MOVED a"),
    ('fn f(p: string) -> string { eat(p) } let a = "x"; f(a); a;', "E_LOCAL_MOVED a"),
    (
        "fn f(n: int, p: string) -> string { let t = p; t } " 'let a = "x"; f(1, a); a;',
        "E_LOCAL_MOVED a",
    ),
    (
        "fn f(p: string) -> string { h(p) } fn h(q: string) -> string { f(q); let t = q; t } "
        'let a = "x"; f(a); a;',
        "E_LOCAL_MOVED a",
    ),
    ('fn f(p) -> string { let t = p.k; t } let a = "x"; f(a); a;', "E_LOCAL_MOVED a"),
    ('fn f(p) -> int { p[0]; 1 } let a = "x"; f(a); a;', "E_LOCAL_MOVED a"),
    (
        'fn f(p) -> int { if c2() { p["k"]; } 1 } fn c2() -> bool { true } '
        'let a = "x"; f(a); a;',
        "E_LOCAL_MOVED a",
    ),
    # captures
    ('let a = "x"; let f = || a + a.copy(); a;', "E_LOCAL_MOVED a"),
    ('let a = "x"; let f = || [&a, a]; a;', "E_LOCAL_MOVED a"),
    ("let m = {k: 1}; let f = || m.k; m;", "E_LOCAL_MOVED m"),
    ("let m = {k: 1}; let n = m; let f = || m.k; m;", "E_LOCAL_MOVED m"),
    ("let mut a = [1]; let f = || if c => { a[0] = 2; 1 } else => { 0 }; a;", "E_LOCAL_MOVED a"),
    ('let k = "k"; let m = {k: 1}; let f = || &m[k]; k;', "E_LOCAL_MOVED k"),
    ('let a = "x"; let f = || a; let h = || a;', "E_LOCAL_MOVED a"),
    ('let a = "x"; let b = a; let f = || a.copy();', "E_LOCAL_MOVED a"),
    ('let a = "x"; let b = a; fn h() -> int { peek(a) }', "E_LOCAL_MOVED a"),
    ('let a = "x"; for i in 0..2 { let f = || a; }', "E_LOCAL_MOVED a"),
    ('let a = "x"; if c { let f = || a; } a;', "E_LOCAL_MOVED a"),
    ('let a = "x"; fn h() -> string { let b = a; a } h();', "E_LOCAL_MOVED a"),
    ("let a = [1, 2]; let x = a[0]; let f = || a.copy();", "E_LOCAL_PARTIALLY_MOVED a"),
    ("let a = [1, 2]; let x = a[0]; fn h() -> int { a.length }", "E_LOCAL_PARTIALLY_MOVED a"),
]


@pytest.mark.parametrize("text", ACCEPTED)
def test_accepted(text: str) -> None:
    assert found(text) == []


@pytest.mark.parametrize(("text", "problem"), REJECTED)
def test_rejected(text: str, problem: str) -> None:
    assert found(text) == [problem]


def test_a_variable_out_of_reach_brings_no_follow_up_problem() -> None:
    """`resolve` has reported it (5.8)."""
    assert found('let a = "x"; let f = |x| |y| a + x + y; a;') == []
