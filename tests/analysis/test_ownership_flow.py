"""Availability, branches, loops and unreachable code (language reference 4.2), and the cost."""

from __future__ import annotations

import pytest

from tests.analysis.ownership_support import found

ACCEPTED = [
    "for i in 0..3 { print(i); } i;",
    "let n = 3; for i in n..n { print(i); } i;",
    "if c { let y = 1; y; }",
    "if c { let y = 1; } let y = 2; y;",
    "let y = 1; if c { let y = 2; } y;",
    "if c { let y = 1; } else if c { let y = 2; } else { let y = 3; } y;",
    "let z = if c => { let y = 1; y } else => { let y = 2; y }; y + z;",
    "let z = match 1 { 1 => if c => { let y = 1; y } else => { let y = 2; y }, _ => 3 };",
    "while c { let y = 1; print(y); break; }",
    "while c { if c { break; } else { let y = 1; } print(y); }",
    "while c { if c { continue; } else { let y = 1; } print(y); }",
    "for i in 0..3 { let y = i; for k in 0..y { print(y); } }",
    'let a = "x"; let b = a; while c { break; print(a); }',
    'let a = "x"; let b = a; while c { if c { break; } else { continue; } print(a); }',
    'let a = "x"; while c { let b = a; break; }',
    'let a = "x"; while c { if c { let b = a; break; } print(a); }',
    'let mut a = "x"; while c { let b = a; if c { a = "y"; continue; } break; }',
    'let a = "x"; if c { let b = a; } else { print(a); }',
    'let a = "x"; let b = if c => { eat(a) } else => { a + "" };',
    "let m: map<int> = {k: 1}; for (k: string, v: int) in &m { let y = v; print(y + v); }",
    "let v: int? = 3; match v { Some(n) => n + n, _ => 0 };",
    'let mut s = ""; for i in 0..3 { s = s + "x"; } let r = s.copy(); s + r;',
    "fn f() -> int { 1 } while c { f(); }",
]

REJECTED = [
    ("if c { let y = 1; } y;", "E_LOCAL_UNAVAILABLE y"),
    ("if c { let y = 1; } else { print(1); } y;", "E_LOCAL_UNAVAILABLE y"),
    ("if c { let y = 1; } else if c { let y = 2; } y;", "E_LOCAL_UNAVAILABLE y"),
    ("while c { let y = 1; } y;", "E_LOCAL_UNAVAILABLE y"),
    ("while c { if c { break; } let y = 1; } y;", "E_LOCAL_UNAVAILABLE y"),
    ("for i in 0..2 { for k in 0..2 { print(k); } } k;", "E_LOCAL_UNAVAILABLE k"),
    ("let m = {k: 1}; for (k, v) in &m { let y = 1; } y;", "E_LOCAL_UNAVAILABLE y"),
    ("for i in 0..2 { if i == 0 { let y = 1; } print(y); }", "E_LOCAL_UNAVAILABLE y"),
    ("for i in 0..2 { if i == 0 { let y = 1; continue; } print(y); }", "E_LOCAL_UNAVAILABLE y"),
    ("c && (if c => { let y = 1; c } else => { let y = 2; c }); y;", "E_LOCAL_UNAVAILABLE y"),
    (
        "let n: int? = 1; n.unwrap_or(if c => { let y = 1; 1 } else => { let y = 2; 2 }); y;",
        "E_LOCAL_UNAVAILABLE y",
    ),
    (
        "match 1 { 1 => if c => { let y = 1; 1 } else => { let y = 2; 2 }, _ => 3 }; y;",
        "E_LOCAL_UNAVAILABLE y",
    ),
    ("if c { let mut y = 1; } y = 2;", "E_LOCAL_UNAVAILABLE_ASSIGN y"),
    ("if c { let mut y = 1; } y += 2;", "E_LOCAL_UNAVAILABLE_ASSIGN y"),
    ("if c { let mut y = [1]; } y[0] = 2;", "E_LOCAL_UNAVAILABLE_ASSIGN y"),
    ("if c { let mut y = {k: 1}; } y.k = 2;", "E_LOCAL_UNAVAILABLE_ASSIGN y"),
    ("if c { let y = 1; } let f = || y;", "E_LOCAL_UNAVAILABLE y"),
    ("if c { let y = 1; } fn f() -> int { y }", "E_LOCAL_UNAVAILABLE y"),
    ("if c { let f = |x| x; } f(1);", "E_LOCAL_UNAVAILABLE f"),
    ("if c { let m = {k: 1}; } for (k, v) in &m { print(k); }", "E_LOCAL_UNAVAILABLE m"),
    ('let a = "x"; while c { while c { let b = a; } }', "E_LOCAL_MOVED a"),
    ('let a = "x"; while c { print(a); while c { let b = a; } }', "E_LOCAL_MOVED a"),
    ('let a = "x"; while c { while c { print(a); } let b = a; }', "E_LOCAL_MOVED a"),
    ('let a = "x"; while c { if c { let b = a; continue; } break; }', "E_LOCAL_MOVED a"),
    ('let a = "x"; while c { if c { let b = a; break; } } a;', "E_LOCAL_MOVED a"),
    (
        'let mut a = "x"; while c { if c { let b = a; break; } a = "y"; break; } a;',
        "E_LOCAL_MOVED a",
    ),
    ('let mut a = "x"; while c { let b = a; if c { a = "y"; continue; } }', "E_LOCAL_MOVED a"),
    ('let mut a = "x"; let b = a; while c { a = "y"; break; } a;', "E_LOCAL_MOVED a"),
    (
        "let mut m = {n: 1}; while c { if c { m.n = g(); break; } m.n = 2; break; } m.n; m.n;",
        "E_FIELD_MOVED m.n",
    ),
    (
        'let mut a = "x"; let mut b = g(); while c { let d = b; print(b); b = a; a = "y"; }',
        "E_LOCAL_MOVED b",
    ),
]


@pytest.mark.parametrize("text", ACCEPTED)
def test_accepted(text: str) -> None:
    assert found(text) == []


@pytest.mark.parametrize(("text", "problem"), REJECTED)
def test_rejected(text: str, problem: str) -> None:
    assert found(text) == [problem]


def test_nested_loops_cost_no_more_than_their_text() -> None:
    """Two visits a level would be a million million visits of the innermost body."""
    depth = 40
    text = 'let a = "x";' + "".join(f"while c {{ let y{n} = {n};" for n in range(depth))
    assert found(f"{text} let b = a; {'}' * depth}") == ["E_LOCAL_MOVED a"]
    assert found(f"{text} print(a); {'}' * depth}") == []


def test_loops_with_many_exits() -> None:
    exits = "".join(f'let y{n} = "y"; if c {{ break; }} if c {{ continue; }}' for n in range(300))
    assert found(f"while c {{ {exits} }}") == []
    assert found(f"while c {{ {exits} }} y299;") == ["E_LOCAL_UNAVAILABLE y299"]
