"""Fields that are moved out, looked at and written again; names that share a collection.

Programs derived from language reference 4.4 and 4.7.
"""

from __future__ import annotations

import pytest

from tests.analysis.ownership_support import found

MAKE = "fn make() -> map<string> { {a: g(), b: g()} } let m = make(); "
ARRAY = 'let mut a = ["x", "y", "z"]; '
NUMBERS = "let mut a = [1, 2, 3]; "

ACCEPTED = [
    f"{MAKE} let x = m.a; let y = m.b;",
    f'{MAKE} let x = m["a"]; let y = m.b;',
    f"{MAKE} let x = m.a.copy(); let y = m.a;",
    f"{MAKE} let x = &m.a; let y = &m.a; m.length;",
    f"{MAKE} m.a + m.a + m.a; m;",
    f'{MAKE} let s = "<" + m.a + ">"; m.a;',
    f'{MAKE} m?.a; m?.a; m.has("a"); m.keys; m.length;',
    f"{MAKE} (&m).a; (&m).a; m.copy().a; m;",
    "fn make() -> map<string> { {a: g()} } make().a; make().a;",
    f"{NUMBERS} let n = a[0] + 1; let k = 1 + a[0]; a;",
    f"{NUMBERS} let n = a[0] - 1; let k = a[1] - 1;",
    f"{NUMBERS} for i in 0..3 {{ let e = a[i].copy(); }}",
    f"{NUMBERS} for i in 0..a.length {{ print(1 + a[i]); }}",
    f"{NUMBERS} let i = 0; a[i] = a[i] + 1; a;",
    f"{NUMBERS} a[0] = a[0] * 2; a;",
    f"{NUMBERS} for i in 0..3 {{ a[i] = a[i] * 2; }} a;",
    # written again
    f'{ARRAY} let x = a[0]; a[0] = "q"; let y = a[0];',
    f'{ARRAY} let x = a[0]; let y = a[1]; let i = 0; a[i] = "q"; a;',
    f'{ARRAY} let i = 0; let x = a[i]; a[i] = "q"; a;',
    f"{ARRAY} let x = a[0]; a = []; a.length;",
    f'{ARRAY} let x = a[0]; a[1] = "q";',
    f'{ARRAY} for i in 0..3 {{ let x = a[0]; a[0] = "q"; }} a;',
    'let mut p = {a: "x"}; let t = p.a; p.a = "q"; p.a;',
    'let mut p = {a: "x"}; if c { let t = p.a; p.a = "q"; } p;',
    # copyable fields
    "let m = {n: 1, f: 2.5, b: true, z: null}; m.n; m.n; m.f; m.f; m.b; m.b; m;",
    "let m = {n: 1 + 2 * 3, k: -4, b: !c, o: 1 < 2 && c}; m.n; m.n; m.k; m.k; m.b; m.b; m.o; m.o;",
    "let k = 3; let m = {n: k, o: k + 1}; m.n; m.n; m.o; m.o;",
    "let k = 3; let m = {n: if c => { 1 } else => { k }, o: match k { 3 => 1, _ => 2 }}; "
    "m.n; m.n; m.o; m.o;",
    "let m = {n: 1}; let w = {k: m.n}; w.k; w.k; m.n;",
    'let m = {["a" + "b"]: 1, n: 2}; m.n; m.n;',
    "let m = {1: 5}; m[1]; m[1];",
    'let mut m = {n: "x"}; m.n = 1; m.n; m.n; m;',
    "let m = {n: 1}; let w = m; w.n; w.n;",
    "let m = {n: 1}; if m.n == 1 { print(1); } if m.n == 1 { print(2); }",
    "for i in 0..3 { let m = {n: i}; m.n; m.n; }",
    # what has no tracked fields: parameters, captures, bindings
    "fn f(p: [int]) -> int { print(p[0]); print(p[0]); p.length } f([1]);",
    "fn f(p: map<string>) -> string { let x = p.a; let y = p.a; p; x }",
    "let f = |p| [p.a, p.a, p.length];",
    "let a = [1]; let f = || [a[0], a[0], a.length];",
    "let m: map<map<int>> = {}; for (k: string, v: map<int>) in &m { print(v.a); print(v.a); }",
    "let v: map<int>? = {a: 1}; match v { Some(x) => [x.a, x.a], _ => [] };",
    # aliases
    "let a = [1]; let b = a; let d = b; a; b; d;",
    "let mut a = [1]; let mut b = a; b = [2]; a[0] = 3;",
    "let mut a = [1]; let b = a; a = [2]; a[0] = 3; b;",
    "let mut a = [1]; let b = a.copy(); a[0] = 3; b;",
    "let mut a = [1]; let b = (&a).copy(); a[0] = 3; b;",
    "let mut a = [1]; let b = [a]; a[0] = 3; b;",
    "let mut a = [1]; let b = {k: a}; a[0] = 3; b;",
    "let mut a = [1]; let b = a + [2]; a[0] = 3; b;",
    "let mut a = [1]; let b = a[0:1]; a = [3]; a[0] = 4; b;",
    "fn other(p: [int]) -> [int] { p + [1] } let mut a = [1]; let b = other(a); a[0] = 3;",
    "fn id(p: [int]) -> [int] { p } let mut a = [1]; let b = id(a.copy()); a[0] = 3;",
    "fn f(p: [int]) -> int { let mut q = p; p[0] = 3; q[0] = 4; 1 } f([1]);",
    "let mut a = if c => { [1] } else => { [2] }; a[0] = 3;",
    "let mut a = [1]; let mut b = [2]; if c { b = a; b = []; } a[0] = 3;",
    # two buffers that are exchanged share nothing
    "let mut now = [1]; for i in 0..3 { let mut next: [int] = []; next[0] = i; now = next; }",
    "let mut x = [1]; let mut y = [2]; if c { x = y; y = [3]; } x[0] = 4; y[0] = 5;",
    "let mut x = [1]; let mut y = [2]; "
    "for i in 0..3 { y[y.length] = i; x = y; y = []; } x[0] = 4; y[0] = 5;",
]

REJECTED = [
    (f"{MAKE} let x = m.a; m.a;", "E_FIELD_MOVED m.a"),
    (f'{MAKE} let x = m.a; m["a"];', 'E_FIELD_MOVED m["a"]'),
    (f"{MAKE} let x = m.a; m.a + g();", "E_FIELD_MOVED m.a"),
    (f"{MAKE} let x = m.a; &m.a;", "E_FIELD_MOVED m.a"),
    (f"{MAKE} let x = m.a; m.a.copy();", "E_FIELD_MOVED m.a"),
    (f'{MAKE} let k = "b"; let x = m.a; m[k];', "E_FIELD_MOVED m[k]"),
    (f'{MAKE} let k = "b"; let x = m[k]; m.a;', "E_FIELD_MOVED m.a"),
    (f"{MAKE} let x = m.a; m;", "E_LOCAL_PARTIALLY_MOVED m"),
    (f"{MAKE} let x = m.a; m.length;", "E_LOCAL_PARTIALLY_MOVED m"),
    (f"{MAKE} let x = m.a; m.keys;", "E_LOCAL_PARTIALLY_MOVED m"),
    (f'{MAKE} let x = m.a; m.has("b");', "E_LOCAL_PARTIALLY_MOVED m"),
    (f"{MAKE} let x = m.a; m?.b;", "E_LOCAL_PARTIALLY_MOVED m"),
    (f"{MAKE} let x = m.a; let n = m;", "E_LOCAL_PARTIALLY_MOVED m"),
    (f"{MAKE} let x = m.a; m.copy();", "E_LOCAL_PARTIALLY_MOVED m"),
    (f"{MAKE} let x = m.a; [m];", "E_LOCAL_PARTIALLY_MOVED m"),
    (f"{MAKE} let x = m.a; for (k, v) in &m {{ print(k); }}", "E_LOCAL_PARTIALLY_MOVED m"),
    (f"{MAKE} if c {{ let x = m.a; }} m.a;", "E_FIELD_MOVED m.a"),
    (f'{MAKE} if m.a == "x" {{ print(1); }} else {{ print(m.a); }}', "E_FIELD_MOVED m.a"),
    (f'{MAKE} match m.a {{ "x" => 1, _ => 2 }}; m.a;', "E_FIELD_MOVED m.a"),
    (f"{MAKE} peek(m.a); m.a;", "E_FIELD_MOVED m.a"),
    (f"{MAKE} [m.a]; m.a;", "E_FIELD_MOVED m.a"),
    (f"{MAKE} m.a.length; m.a.length;", "E_FIELD_MOVED m.a"),
    ("let m = {a: {b: [1], d: [2]}}; m.a.b; m.a.d;", "E_FIELD_MOVED m.a"),
    ("let m = {a: {b: 1}}; let x = m.a.b + 1; m.a;", "E_FIELD_MOVED m.a"),
    (f"{NUMBERS} -a[0]; a[0];", "E_FIELD_MOVED a[0]"),
    (f"{NUMBERS} a[0] - 1; a[0];", "E_FIELD_MOVED a[0]"),
    (f"{NUMBERS} 1 + a[0] * 2; a[0];", "E_FIELD_MOVED a[0]"),
    (f"{NUMBERS} let x = 5 - 1 - a[0]; a[0];", "E_FIELD_MOVED a[0]"),
    (f"{NUMBERS} a[0] < 1; a[0] < 1;", "E_FIELD_MOVED a[0]"),
    (f"{NUMBERS} let i = a[a[0]];", "E_FIELD_MOVED a[a[0]]"),
    (f"{NUMBERS} a[0:1]; a[0];", "E_FIELD_MOVED a[0]"),
    (f"{NUMBERS} a[0]; a[0:1];", "E_LOCAL_PARTIALLY_MOVED a"),
    (f"{NUMBERS} while a[0] < 3 {{ print(1); }}", "E_FIELD_MOVED a[0]"),
    (f"{NUMBERS} for i in 0..a[0] {{ print(1); }}", "E_FIELD_MOVED a[0]"),
    (f"{NUMBERS} for i in 0..3 {{ if i == 1 {{ print(a[0]); continue; }} }}", "E_FIELD_MOVED a[0]"),
    (
        f"{NUMBERS} for i in 0..3 {{ if i == 1 {{ print(a[0]); break; }} }} a[0];",
        "E_FIELD_MOVED a[0]",
    ),
    (f"{NUMBERS} let b = a[0]; a[1] = 5; a;", "E_LOCAL_PARTIALLY_MOVED a"),
    (f"{NUMBERS} let i = 0; let x = a[i]; a[0] = 1; a;", "E_LOCAL_PARTIALLY_MOVED a"),
    ("let p = [1, 2]; let a = p; a[0]; a[0];", "E_FIELD_MOVED a[0]"),
    ("fn f(p: [int]) -> int { let a = p; print(a[0]); a[0] } f([1]);", "E_FIELD_MOVED a[0]"),
    # fields that are not copyable
    ('let m = {s: "x"}; m.s; m.s;', "E_FIELD_MOVED m.s"),
    ("let m = {a: [1]}; m.a; m.a;", "E_FIELD_MOVED m.a"),
    ("let k = g(); let m = {a: k}; m.a; m.a;", "E_FIELD_MOVED m.a"),
    ("let m = {n: 1, n: g()}; m.n; m.n;", "E_FIELD_MOVED m.n"),
    ("let mut m = {n: 1}; m.n = peek(g()); m.n; m.n;", "E_FIELD_MOVED m.n"),
    ('let mut m = {n: 1}; let k = "n"; m[k] = 2; m.n; m.n;', "E_FIELD_MOVED m.n"),
    ('let m = {n: 1}; let k = "n"; m[k]; m[k];', "E_FIELD_MOVED m[k]"),
    ("let m = {n: 1}; let w = m.copy(); w.n; w.n;", "E_FIELD_MOVED w.n"),
    ("let m = if c => { {n: 1} } else => { {n: 2} }; m.n; m.n;", "E_FIELD_MOVED m.n"),
    ("let mut m = {n: 1}; if c { m.n = g(); } m.n; m.n;", "E_FIELD_MOVED m.n"),
    ("let mut a = [0]; a[0] = 1; a[0]; a[0];", "E_FIELD_MOVED a[0]"),
    ("let mut m: map<int> = {}; m = {n: g()}; m.k = 1; m.n; m.n; m.k; m.k;", "E_FIELD_MOVED m.n"),
    (f"{MAKE} let mut w = m; w.n = 1; w.n; w.n;", "E_FIELD_MOVED w.n"),
    # aliases
    ("let mut m = {a: 1}; let n = m; m.b = 2;", "E_MUTATE_ALIASED_COLLECTION m"),
    ("let a = [1]; let mut b = a; b[0] = 2;", "E_MUTATE_ALIASED_COLLECTION b"),
    ("let mut a = [1]; let mut b = [2]; b = a; a[0] = 2;", "E_MUTATE_ALIASED_COLLECTION a"),
    ("let mut a = [1]; let mut b = [2]; b = &a; a[0] = 2;", "E_MUTATE_ALIASED_COLLECTION a"),
    (
        "let mut a = [1]; let b = a; let d = b; a = []; let mut e = d; e[0] = 1;",
        "E_MUTATE_ALIASED_COLLECTION e",
    ),
    ("let mut a = [1]; if c { let b = a; } a[0] = 2;", "E_MUTATE_ALIASED_COLLECTION a"),
    ("let mut a = [1]; for i in 0..2 { a[0] = i; let b = a; }", "E_MUTATE_ALIASED_COLLECTION a"),
    (
        "let mut a = if c => { [1] } else => { [2] }; let b = a; a[0] = 3;",
        "E_MUTATE_ALIASED_COLLECTION a",
    ),
    (
        "fn id(p: [int]) -> [int] { p } let mut a = [1]; let b = id(a); a[0] = 2;",
        "E_MUTATE_ALIASED_COLLECTION a",
    ),
    (
        "fn at(k: int, p: [int]) -> [int] = p; let mut a = [1]; let b = at(1, a); a[0] = 2;",
        "E_MUTATE_ALIASED_COLLECTION a",
    ),
    (
        "fn f() -> int { let mut a = [1]; let b = a; a[0] = 2; 1 } f();",
        "E_MUTATE_ALIASED_COLLECTION a",
    ),
]


@pytest.mark.parametrize("text", ACCEPTED)
def test_accepted(text: str) -> None:
    assert found(text) == []


@pytest.mark.parametrize(("text", "problem"), REJECTED)
def test_rejected(text: str, problem: str) -> None:
    assert found(text) == [problem]


def test_a_group_of_many_names_stays_cheap() -> None:
    """Only a few names that share a value are remembered, and each mutation is still found."""
    text = "let mut a0 = [0];" + "".join(f"let mut a{n + 1} = a{n};" for n in range(300))
    assert found(text + "a0[0] = 1;") == ["E_MUTATE_ALIASED_COLLECTION a0"]
