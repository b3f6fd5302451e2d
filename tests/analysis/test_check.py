"""Programs that the type rules accept and reject (language reference 3), rule by rule."""

from __future__ import annotations

import pytest

from flintc.analysis.check import check
from flintc.analysis.infer import infer
from flintc.analysis.resolve import resolve
from flintc.modules import load_program
from flintc.problems import Problem, Problems
from tests.analysis.support import MemoryFiles, catalogue

ACCEPTED = [
    "struct P { x: int } fn f(p) { p.x } let a: P = {x: 1}; f(a); f({x: 2}); let b = f(a) + 1;",
    "struct P { x: int } fn f(p) { p.x } f({x: 2}); let a: P = {x: 1}; f(a); let b = f(a) + 1;",
    "fn a(x: int) -> int { x } fn b(y: int) -> int { y } let mut f = a; if true { f = b; } f(1);",
    "let mut f = |x| x + 1; if true { f = |y| y * 2; }",
    "struct I { v: int } struct O { i: I? } let o: O = {i: null}; let v = o?.i?.v;",
    "use json; json::encode({}); json::encode({a: 1, b: [1, 2.5, null]}); json::encode(null);",
    "let mut a = []; a[a.length] = 1;",
    "let a: array<int> = [];",
    "let mut m = {};",
    "use ns; let v: int = ns::host();",
    'use json; let v: int = json::decode("1");',
    "let a = [1, 2]; let k = 1; let b = a[k];",
    "let x: int? = 1; let r: int = if x != null => { x + 1 } else => { 0 };",
    "let c = true; let r = if c => { 1 } else => { null };",
    '"a" - "b";',
    "let n: number = 1; let z: number = n + 1;",
    "let mut x = 1; x = 2.5 + 1.0;",
    "fn good(c: bool) -> int { let r = if c => { let y = 3; y } else => { 0 }; r }",
    'let f = |x| x; f(1); f("a");',
    "let f: fn(int) -> int = |x| x + 1; f(1 + 2);",
    "let a: [fn(int) -> int] = [|x| x];",
    "fn g(a: int) -> int { a } let fs = [g, g];",
    'let mut p: [int] = [1]; p[0] = "s";',
    'struct P {x: int} let mut p: P = {x: 1}; p.x = "s"; p.q = 1;',
    "let mut n = 1; n += 2.5;",
    'let x = [1, "a"]; let y = x[0]; let z = x[1];',
    'let t: [int, string] = [1, "a", 2.5];',
    "let m: map<int> = {a: 1, b: 2};",
    "struct P {x: int} let m: map<int> = {x: 1}; ",
    "struct P {x: int, y: string?} let p: P = {x: 1, y: null, z: 3};",
    'fn f(a: fn(int) -> string) -> string { a(1) } f(|x| "n" + x);',
    "fn id<T>(v: T) -> T { v } let a = id::<int>(3); a + 1;",
    "fn id<T>(v: T) -> T { v } let g = id::<int>; g(1);",
    "fn id<T>(v: T) -> T { v } let g: fn(int) -> int = id; g(1);",
    "struct Box<T> { value: T } let b: Box<int> = {value: 1}; let c = b.value + 1;",
    "let v: int? = null; v.unwrap_or(4); v == null;",
    "let v: int? = 3; match v { Some(n) => n + 1, _ => 0 };",
    'match 3 { 1 => "one", _ => "many" };',
    'use re; let m = re::find("a", "b"); if m != null { m.length; }',
    'use json; struct P {x: int} let p = json::decode::<P>("{}"); p.x + 1;',
    "let x = 1.5; let y = if x > 1 => { 2.5 } else => { 3.5 };",
    "let mut x: number = 1; while x < 3 { x = x + 0.5; }",
    'let s = "abc"; for i in 0..s.length { let c: string = s.copy()[i]; }',
    "let m = {a: 1}; for (k: string, v) in &m { println(k); println(v); }",
    "let m: map<int> = {a: 1}; let mut t: int = 0; for (k, v) in &m { t = t + v; }",
    "let m: map<int> = {a: 1}; let mut t = 0; for (k: string, v: int) in &m { t = t + v; }",
    "use acme; print(acme::h()); acme::h() == 1; if acme::h() == 2 { } acme::g(acme::h());",
    "use acme; let b = acme::h() < 1;",
    "use acme; fn f() -> int { acme::h() } f();",
    "fn f(a: number) -> number { a } f(1); f(2.5);",
    "fn apply(g: fn(int) -> int, x: int) -> int { g(x) } fn h(a: int) -> int { a } apply(h, 1);",
    'let x: int? = 1; if type(x) == "int" { x + 1; }',
    "let a = 1; let f = || a; f() + 1;",
    "struct N { v: int, next: N? } let n: N = {v: 1, next: null}; let k: N? = n?.next;",
    "let a = {x: {y: 1}}; let b = a.x.y + 1;",
    "let f: fn() -> int = || 3; let g = f; g() + 1;",
    "let c = true; let mut v = 1; if c { v = 2; } else { v = 3; } v;",
    'let r = match 2 { 1 => null, _ => "x" };',
    "let c = 1 == 1; let y = !c;",
    "let x = -1; let y = x * 2; let z = y / 3 % 2;",
    'fn f(p: [string, int]) -> string { p[0] } f(["a", 1]);',
    'let a: [int, string...] = [1, "a", "b"]; ',
    "let p: fn(number) -> number = |x| x; p(1); p(1.5);",
    "fn fact(n: int) -> int { if n <= 1 => { 1 } else => { n * fact(n - 1) } } fact(3);",
    "use math; let a = math::max(1, 2); let b = math::sqrt(4); let c = math::floor(1.5);",
    'let a = b"ab"; let c = a[0] + 1; a.has(0); ',
    "let f = |n| if n < 1 => { 0 } else => { let r: int = f(n - 1); r + 1 }; f(3);",
    "use acme; let xs: [string] = acme::list(); let t = xs[0];",
    "let mut xs: [[int]] = []; xs[xs.length] = [1]; let r: [int] = xs[0];",
    "let mut best: int? = null; for i in 0..3 { if best == null { best = i; } }",
    "fn f(x: int?) -> int { x.unwrap_or(0) } f(null); f(1);",
    "fn f(x: int?) -> int { if x != null => { x } else => { 0 } } f(3);",
    'struct P { n: string? } let p: P = {n: "a"}; let q = p?.n; println(q.unwrap_or("none"));',
    'let s: string = string_lower_ascii("A"); assert(s == "a");',
    'let parts: [string] = string_split_literal("a b", " "); parts[0];',
    'let x = 3; println("{} {}", x, x); print(x); let l = println(x);',
    "let a = [1]; let b = [2]; let c = a + b; c.length;",
    "let x: int? = if true => { 1 } else => { null };",
    "fn f() -> int? { if true => { 1 } else => { null } } let v = f(); v.unwrap_or(2);",
    "fn f() -> null { null } f();",
    'fn greet() { "hi" } let g = greet(); g + "x";',
    "let op = if true => { |a| a + 1 } else => { |a| a - 1 }; op(1);",
    'let m = {"a b": 1, c: 2.5}; m.c;',
    'let m = {1: "a", 2: "b"}; m[1];',
]

# Each program has one error, of this code.
REJECTED = [
    ("struct I { v: int } struct O { i: I? } let o: O = {i: null}; o.i.v;", "E_OPTIONAL_VALUE"),
    ("use json; println(json::encode([]));", "E_JSON_ENCODE"),
    ("use json; let a = [1] + [2]; json::encode(a);", "E_JSON_ENCODE"),
    (
        "fn a(x: int) -> int { x } fn b(s: string) -> string { s } let c = true;"
        " let f = if c => { a } else => { b };",
        "E_BRANCH_TYPES",
    ),
    (
        "fn a(x: int) -> int { x } fn b(x: int, y: int) -> int { x } let c = true;"
        " let mut f = a; if c { f = b; }",
        "E_BRANCH_TYPES",
    ),
    ('let x = 1; let x = "s"; let x = true;', "E_NOT_CONCRETE"),
    ('let i = "s"; for i in 0..3 { }', "E_NOT_CONCRETE"),
    ('let x = 1; let x = "s";', "E_NOT_CONCRETE"),
    ('let mut x = 1; x = "s";', "E_NOT_CONCRETE"),
    ("let a = [];", "E_NOT_CONCRETE"),
    ("use ns; let v = ns::host();", "E_NOT_CONCRETE"),
    ('use json; let v = json::decode("1");', "E_NOT_CONCRETE"),
    ('let a = [1, "x"]; let k = 1; let b = a[k];', "E_NOT_CONCRETE"),
    ('let y = "a" - "b";', "E_NOT_CONCRETE"),
    ("let n: number = 1; let z = n + 1;", "E_NOT_CONCRETE"),
    ("let a = [|x| x];", "E_NOT_CONCRETE"),
    ("let x: float = 1;", "E_TYPE_MISMATCH"),
    ("let x: int = 1.5;", "E_TYPE_MISMATCH"),
    ('let x: int = "a";', "E_TYPE_MISMATCH"),
    ("let x: int = null;", "E_TYPE_MISMATCH"),
    ("let x: int? = 1; let y: int = x;", "E_OPTIONAL_VALUE"),
    ("let x: int? = 1; let y = x + 1;", "E_OPTIONAL_VALUE"),
    ("let x: int? = 1; x == 1;", "E_OPTIONAL_VALUE"),
    ("let x: int? = 1; -x;", "E_OPTIONAL_VALUE"),
    ("let x: int? = 1; x.length;", "E_OPTIONAL_VALUE"),
    ("let x: int? = 1; while x != null { x + 1; }", "E_OPTIONAL_VALUE"),
    ("let x: int? = 1; if x != null && true { x + 1; }", "E_OPTIONAL_VALUE"),
    ("let x = 1; x.unwrap_or(2);", "E_NOT_OPTIONAL"),
    ('let x: int? = 1; x.unwrap_or("a");', "E_BRANCH_TYPES"),
    ("let x: int? = 1; if x == null { } else { x + 1; }", "E_OPTIONAL_VALUE"),
    ("let mut x = 1; while true { x = x + 1.0; }", "E_BRANCH_TYPES"),
    ('let c = true; let mut v = 1; if c { v = "one"; } else { v = 2; }', "E_BRANCH_TYPES"),
    ("let c = true; (if c => { 1 } else => { 2.5 });", "E_BRANCH_TYPES"),
    ('let c = true; let r = if c => { 1 } else => { "a" };', "E_BRANCH_TYPES"),
    ('match 1 { 1 => 1, _ => "a" };', "E_BRANCH_TYPES"),
    ("let n = 5; match n { Some(v) => v, _ => 0 };", "E_NOT_OPTIONAL"),
    ('struct P { x: int } let p: P = {x: "a"};', "E_TYPE_MISMATCH"),
    ("struct P { x: int } let p: P = {y: 1};", "E_TYPE_MISMATCH"),
    ("struct P { x: int } let p: P = {x: 1}; p.y;", "E_UNKNOWN_FIELD"),
    ("struct P { x: int } let p: P = {x: 1}; p[0];", "E_INDEX_TYPE"),
    ("struct P { x: int } let p: P? = {x: 1}; p.x;", "E_OPTIONAL_VALUE"),
    ("struct P { x: int } let p: P? = {x: 1}; p?.y;", "E_UNKNOWN_FIELD"),
    ("let t: [int, string] = [1];", "E_TYPE_MISMATCH"),
    ('let m: map<int> = {a: "s"};', "E_TYPE_MISMATCH"),
    ('let a: [int] = [1, "a"];', "E_TYPE_MISMATCH"),
    ("let a: [int] = 5;", "E_TYPE_MISMATCH"),
    ('fn f(a: int) -> int { a } f("a");', "E_TYPE_MISMATCH"),
    ("fn f(a: int) -> int { a } f(1.5);", "E_TYPE_MISMATCH"),
    ("fn f(a: int) -> int { a } let x: int? = 1; f(x);", "E_OPTIONAL_VALUE"),
    ('fn f() -> int { "a" }', "E_TYPE_MISMATCH"),
    ("fn f() -> int { null }", "E_TYPE_MISMATCH"),
    ('fn f() -> int? { "a" }', "E_TYPE_MISMATCH"),
    ("fn f(a) { a }", "E_NOT_CONCRETE"),
    ("fn f(a: array) -> int { a.length } f([1]);", "E_NOT_CONCRETE"),
    ("struct S { a: array } ", "E_NOT_CONCRETE"),
    ("fn f() -> map { {a: 1} } f();", "E_NOT_CONCRETE"),
    ('fn glue(a, b) { a + b } glue(1, 2); glue("a", "b");', "E_CONFLICTING_CALLS"),
    ('let f: fn(int) -> int = |x| x + 1; f("a");', "E_TYPE_MISMATCH"),
    ("let f: fn(int, int) -> int = |a| a;", "E_TYPE_MISMATCH"),
    ('let f: fn(int) -> int = |a| "n" + a;', "E_TYPE_MISMATCH"),
    ("let f: fn(int) -> string = |a| a;", "E_TYPE_MISMATCH"),
    ("fn g(s: string) -> string { s } let f: fn(int) -> int = g;", "E_TYPE_MISMATCH"),
    ('fn apply(f: fn(int) -> int) -> int { f(1) } apply(|x| "a");', "E_TYPE_MISMATCH"),
    ("fn apply(f: fn(int) -> int) -> int { f(1) } apply(|x, y| 1);", "E_TYPE_MISMATCH"),
    ('fn id<T>(v: T) -> T { v } id::<int>("a");', "E_TYPE_MISMATCH"),
    ('struct Box<T> { value: T } let b: Box<int> = {value: "a"};', "E_TYPE_MISMATCH"),
    ("assert(1);", "E_ARGUMENT_TYPE"),
    ('string_contains("a", 1);', "E_ARGUMENT_TYPE"),
    ('use math; math::sqrt("a");', "E_ARGUMENT_TYPE"),
    ("use math; let x: int? = 1; math::abs(x);", "E_OPTIONAL_VALUE"),
    ('let s = "a"; s.has(0);', "E_ARGUMENT_TYPE"),
    ("let n = 5; n.length;", "E_ARGUMENT_TYPE"),
    ("let n = 5; n.keys;", "E_ARGUMENT_TYPE"),
    ('let mut s = "abc"; s[0] = "x";', "E_ARGUMENT_TYPE"),
    ("let mut n = 5; n[0] = 1;", "E_ARGUMENT_TYPE"),
    ('let mut s = "a"; s += "b";', "E_ARGUMENT_TYPE"),
    ('let mut n = 1; n += "a";', "E_ARGUMENT_TYPE"),
    ('use json; json::encode(b"a");', "E_JSON_ENCODE"),
    ("use json; let m: map<int> = {a: 1}; json::encode(m);", "E_JSON_ENCODE"),
    ("use json; let x: int? = 1; json::encode(x);", "E_OPTIONAL_VALUE"),
    ('let a = [1, 2]; a["x"];', "E_INDEX_TYPE"),
    ('let s = "abc"; s["x"];', "E_INDEX_TYPE"),
    ("let m: map<int> = {a: 1}; for (k, v) in &m { let q = v; }", "E_NOT_CONCRETE"),
    ('fn load(s: string) { s - s } load("1");', "E_RESULT_UNKNOWN"),
    ('use json; fn load(s: string) { json::decode(s) } load("1");', "E_RESULT_UNKNOWN"),
    ("fn f(n) { if n == 0 => { 0 } else => { 1 + f(n - 1) } } f(3);", "E_BRANCH_TYPES"),
    ("use acme; use math; math::sqrt(acme::h());", "E_UNKNOWN_VALUE"),
    ("use acme; fn f(a: int) -> int { a } f(acme::h());", "E_UNKNOWN_VALUE"),
    ("use acme; fn f(a) { a } f(acme::h());", "E_NOT_CONCRETE"),
    ("use acme; let r: int = if true => { acme::h() } else => { 1 };", "E_BRANCH_TYPES"),
    ("let m: map<int> = {a: 1}; let mut t = 0; for (k, v) in &m { t = t + v; }", "E_BRANCH_TYPES"),
    ("struct P { x: int } let m: map<int> = {a: 1}; let p: P = m;", "E_TYPE_MISMATCH"),
    ('let mut x: int = 1; x = "a";', "E_TYPE_MISMATCH"),
    ("let mut x: int = 1; x = null;", "E_TYPE_MISMATCH"),
    ("struct P { x: int } fn mk() -> P { {x: 1} } let v = mk()?.x;", "E_UNDECLARED_TYPE"),
    ("let a = {x: 1}; let v = a?.x;", "E_UNDECLARED_TYPE"),
    ("let x = 1; for (k, v) in &x { }", "E_ARGUMENT_TYPE"),
    ("let n = 3; let s = n[0];", "E_NO_PARTS"),
    ("let n = 3; let s = n.x;", "E_NO_PARTS"),
    ("fn id<T>(v: T) -> T { v } let g = id;", "E_TYPE_ARGUMENTS"),
    ("let f = |x| x; let g: fn(int, int) -> int = f;", "E_TYPE_MISMATCH"),
    ("let x: int? = 1; for i in 0..x { }", "E_OPTIONAL_VALUE"),
    ("let x: int? = 1; [1, 2][x];", "E_OPTIONAL_VALUE"),
    ('let x: string? = "a"; let y = "b" + x;', "E_OPTIONAL_VALUE"),
    ("let m = {a: 1}; let x: int? = 1; m?.[x];", "E_OPTIONAL_VALUE"),
    ("let x: int? = 1; let y: int? = 2; x.unwrap_or(y);", "E_OPTIONAL_VALUE"),
]


def errors(text: str, **modules: str) -> list[Problem]:
    problems = Problems()
    texts = {"main.rss": text, **{f"{name}.rss": source for name, source in modules.items()}}
    resolution = resolve(
        load_program("main.rss", MemoryFiles(texts), problems), catalogue(), problems
    )
    typing = infer(resolution, catalogue(), problems)
    assert [problem.title for problem in problems.items] == []
    check(resolution, typing, problems)
    return problems.items


@pytest.mark.parametrize("text", ACCEPTED)
def test_accepted(text: str) -> None:
    assert [problem.title for problem in errors(text)] == []


@pytest.mark.parametrize(("text", "code"), REJECTED)
def test_rejected(text: str, code: str) -> None:
    assert code in [problem.code for problem in errors(text)]


def test_a_wrong_argument_is_shown_where_it_stands_with_both_types() -> None:
    (problem,) = errors('fn area(w: int, h: int) -> int { w * h }\nlet a = area(2,\n  "3");')
    assert problem.span is not None
    assert (problem.span.line, problem.span.text) == (3, '"3"')
    assert "string" in problem.title
    assert "int" in problem.title


def test_an_unknown_parameter_is_one_error() -> None:
    problems = errors("fn f(a) { let b = a + 1; let c = b * 2; if c == 0 => { a } else => { 1 } }")
    assert [problem.code for problem in problems] == ["E_NOT_CONCRETE"]
    assert problems[0].span is not None
    assert problems[0].span.text == "a"


def test_errors_of_other_files_are_theirs() -> None:
    (problem,) = errors("use tools; tools::f();", tools="pub fn f() -> string {\n  1\n}")
    assert problem.span is not None
    assert (problem.span.file.path, problem.span.line) == ("tools.rss", 2)


def test_long_chains_of_undeclared_results() -> None:
    chain = "".join(f"fn f{at}(a) {{ f{at + 1}(a) }}\n" for at in range(500))
    assert errors(chain + "fn f500(a) { a }\nlet y = f0(1);") == []


def test_nested_loops_are_looked_at_once() -> None:
    depth = 50
    loops = "".join(f"for i{at} in 0..2 {{" for at in range(depth)) + "s = s + 1;" + "}" * depth
    assert errors("let mut s = 0;" + loops) == []
