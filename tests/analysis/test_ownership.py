"""The accepted and rejected programs of language reference 4.9, and how problems are told."""

from __future__ import annotations

import pytest

from flintc.problems import Problem
from tests.analysis.ownership_support import found, ownership_problems

ARRAY = "let a = [1, 2, 3]; let mut s = 0; "
MAP = 'let m = {a: {b: 1, c: 2}, s: "x"}; '

# Language reference 4.9: a program, and the code that rejects it.
TABLE: list[tuple[str, str | None]] = [
    ('let a = "x"; let b = a; a;', "E_LOCAL_MOVED"),
    ('let a = "x"; let b = a.copy(); a;', None),
    ("let a = g(); let b = a; a;", None),
    ("let a = 1; let b = a; a;", None),
    ("let a = [1]; let b = a; a; b;", None),
    ("let mut a = [1]; let b = a; a[0] = 2;", "E_MUTATE_ALIASED_COLLECTION"),
    ("let mut a = [1]; let b = a.copy(); a[0] = 2;", None),
    ('let a = "x"; peek(a); a;', None),
    ('let a = "x"; eat(a); a;', "E_LOCAL_MOVED"),
    ('let a = "x"; let b = a + a; a;', None),
    ('let a = "x"; if c { let b = a; } a;', "E_LOCAL_MOVED"),
    ('let mut a = "x"; let b = a; a = "y"; a;', None),
    ('let a = "x"; let f = || a; a;', "E_LOCAL_MOVED"),
    ('let a = "x"; let f = || a.copy(); a;', None),
    ("let a = 1; let f = || a; a;", None),
    ("let a = [1]; let f = || a.length; a;", "E_LOCAL_MOVED"),
    ('let a = "x"; fn h() -> string { a } a;', "E_LOCAL_MOVED"),
    ("let a = [1, 2]; let x = a[0]; let y = a[1];", None),
    ("let a = [1, 2]; let x = a[0]; let y = a[0];", "E_FIELD_MOVED"),
    ("let a = [1, 2]; let x = a[0]; a.length;", "E_LOCAL_PARTIALLY_MOVED"),
    ("let a = [1, 2]; print(a[0]); print(a[0]);", "E_FIELD_MOVED"),
    ("let a = [1, 2]; print(a[0] + a[0]);", None),
    ("let a = [1, 2]; print(a[0] * 2); print(a[0]);", "E_FIELD_MOVED"),
    ("let a = [1, 2]; print(&a[0]); print(&a[0]);", None),
    ('let m = {n: 1, s: "x"}; m.n; m.n;', None),
    ('let m = {n: 1, s: "x"}; print(m.s); print(m.s);', "E_FIELD_MOVED"),
    (
        "fn make() -> map<int> { {x: 1} } let p = make(); let a = p.x; let b = p.x;",
        "E_FIELD_MOVED",
    ),
    (f"{MAP} m.a.b + m.a.c;", "E_FIELD_MOVED"),
    (f"{MAP} let t = m.a.copy(); t.b + t.c;", None),
    (f"{ARRAY} for i in 0..3 {{ s = s + a[i]; }}", None),
    (f"{ARRAY} for i in 0..3 {{ s += a[i]; }}", None),
    (f"{ARRAY} for i in 0..3 {{ s = s + a[i] * 2; }}", "E_FIELD_MOVED"),
    (f"{ARRAY} for i in 0..3 {{ print(a[i]); }}", "E_FIELD_MOVED"),
    (f"{ARRAY} for i in 0..3 {{ let e = &a[i]; print(e); }}", None),
    ("fn f(a: [int]) -> int { let mut s = 0; for i in 0..3 { s = s + a[i] * 2; } s }", None),
    ("fn f(a: [int]) -> null { for i in 0..3 { print(a[i]); } null }", None),
    (f'{MAP} if m.s == "x" {{ print(1); }} if m.s == "x" {{ print(2); }}', "E_FIELD_MOVED"),
    ('let s = "hello"; let t = s[1:3]; s;', "E_LOCAL_PARTIALLY_MOVED"),
    ('let s = "hello"; let t = s[1:3]; let u = s[0:1];', "E_LOCAL_PARTIALLY_MOVED"),
    ('let s = "hello"; let t = s.copy()[1:3]; t; s;', None),
    ('let mut a = ["p"]; let x = a[0]; a[0] = "z"; a;', None),
    ('let mut p = {a: "x"}; let t = p.a; p.a = "q"; p;', None),
    ("for i in 0..3 { let t = i; } t;", "E_LOCAL_UNAVAILABLE"),
    ("if c { let y = 1; } else { let y = 2; } y;", None),
]


@pytest.mark.parametrize(("text", "code"), TABLE)
def test_table(text: str, code: str | None) -> None:
    assert [problem.partition(" ")[0] for problem in found(text)] == ([code] if code else [])


# -- how a problem is told ---------------------------------------------------------------------


def only(text: str) -> Problem:
    [problem] = ownership_problems(text)
    return problem


@pytest.mark.parametrize(
    ("text", "span", "label", "help"),
    [
        ('let a = "x"; let b = a; print(a);', "a", ("a", "moved here"), "`a.copy()`"),
        (
            'fn eat(s: string) -> string { let t = s; t } let a = "x"; eat(a); print(a);',
            "a",
            ("eat(a)", "moved into this call"),
            "`a.copy()`",
        ),
        (
            "let a = [1]; let f = || 1 + a.length; print(a);",
            "a",
            ("a", "moved into this function or closure"),
            "`&a`",
        ),
        ('let m = {s: "x"}; let t = m.s; m.s;', "m.s", ("m.s", "moved out here"), "`&m.s`"),
        (
            'let m = {s: "x"}; let t = m["s"]; print(m);',
            "m",
            ('m["s"]', "moved out here"),
            '`&m["s"]`',
        ),
        (
            "let mut a = [1]; let b = &a; a[0] = 2;",
            "a",
            ("&a", "shares the value from here on"),
            "`a.copy()`",
        ),
        (
            "while true { let y = 1; } y;",
            "y",
            ("y", "only bound on some paths"),
            "`let mut y = …;`",
        ),
    ],
)
def test_message(text: str, span: str, label: tuple[str, str], help: str) -> None:
    problem = only(text)
    assert problem.span is not None
    assert problem.span.text == span
    assert [(label.span.text, label.text) for label in problem.labels] == [label]
    assert problem.help is not None
    assert help in problem.help


def test_a_move_in_a_loop_names_the_earlier_round() -> None:
    for body in ("let b = a;", "print(a); let b = a;", "let f = || a;"):
        assert "earlier round of the loop" in only(f'let a = "x"; while true {{ {body} }}').title
    for body in ("print(a[0]);", "print(a[0:1]);", "print(a.length); print(a[0]);"):
        assert "earlier round of the loop" in only(f"let a = [1]; while true {{ {body} }}").title


def test_a_capture_is_told_in_the_first_line_of_the_body() -> None:
    text = 'let a = "x"; let b = a;\nfn f() -> string {\n    a\n}'
    problem = only(text)
    assert problem.span is not None
    assert (problem.span.text, problem.span.line) == ("f", 2)
    assert found('let a = "x"; let b = a; let f = || "<" + a;') == ["E_LOCAL_MOVED a"]


def test_the_last_move_before_the_use_explains_it() -> None:
    problem = only('let mut a = "x"; let b = a; a = "y"; let d = a; print(a);')
    assert [label.span.start for label in problem.labels] == [45]


def test_each_variable_and_field_is_reported_once() -> None:
    text = (
        'let a = "x"; let b = a; a; a; a + a; let m = {s: "x", t: "y"}; m.s; m.t; m.s; m.s; m.t; m;'
    )
    assert found(text) == [
        "E_LOCAL_MOVED a",
        "E_FIELD_MOVED m.s",
        "E_FIELD_MOVED m.t",
        "E_LOCAL_PARTIALLY_MOVED m",
    ]


def test_problems_of_inner_bodies_come_first() -> None:
    text = 'let a = "x"; let b = a; a; fn f() -> string { let p = "x"; let q = p; p }'
    assert found(text) == ["E_LOCAL_MOVED p", "E_LOCAL_MOVED a"]


def test_every_module_is_checked() -> None:
    library = 'pub fn h() -> string {\n    let p = "x";\n    let q = p;\n    p\n}'
    [problem] = ownership_problems("use lib; lib::h();", lib=library)
    assert problem.span is not None
    assert (problem.span.file.path, problem.span.line) == ("lib.rss", 4)


def test_functions_of_other_modules_consume() -> None:
    library = "pub fn keep(s: string) -> string { let t = s; t }"
    assert found('use lib; let a = "x"; lib::keep(a); a;', lib=library) == ["E_LOCAL_MOVED a"]
