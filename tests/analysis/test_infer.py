"""The type of each value, by the rules of the language (reference 3.1 to 3.8, 5.2 to 5.8).

UNKNOWN is always a right answer; these tests say where more must be known, and where a more precise
type would be wrong.
"""

from __future__ import annotations

import pytest

from flintc.analysis.type_names import type_name
from flintc.syntax import nodes
from tests.analysis.support import analyse, sound


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("1", "int"),
        ("0", "int"),
        ("1.5", "float"),
        ('"a"', "string"),
        ('b"a"', "bytes"),
        ("true", "bool"),
        ("1 + 2", "int"),
        ("1 + 2.0", "float"),
        ("7 / 2", "int"),
        ("2 * 1.5 - 1", "float"),
        ("-1.5", "float"),
        ('"a" + 1', "string"),
        ('1 + 2 + "a"', "string"),
        ('b"a" + b"b"', "bytes"),
        ("1 < 2", "bool"),
        ("!true && false", "bool"),
        ("[1, 2]", "[int, int]"),
        ('[1, "a"]', "[int, string]"),
        ("[1, 2] + [3]", "array<int>"),
        ('[1, "a"][0]', "int"),
        ('[1, "a"][1:]', "array<unknown>"),
        ('("abc")[0]', "string"),
        ('(b"abc")[0]', "int"),
        ("{a: 1, b: true}", "{a: int, b: bool}"),
        ("{a: 1, b: true}.b", "bool"),
        ('{a: 1, b: true}["a"]', "int"),
        ("{1: 1, a: 2}", "map<int>"),
        ("{}", "{}"),
        ('("abc").length', "int"),
        ("[1].has(0)", "bool"),
        ("{a: 1}.keys", "array<string>"),
        ("[1].keys", "array<int>"),
        ("if true => { 1 } else => { 2 }", "int"),
        ("if true => { 1 } else => { 2.5 }", "number"),
        ("if true => { 1 } else => { null }", "int?"),
        ('if true => { 1 } else => { "a" }', "unknown"),
        ('match 3 { 1 => "one", _ => "many" }', "string"),
        ("|x| 1", "fn(unknown) -> int"),
        ("print(1.5)", "float"),
        ('print("{}", 1)', "string"),
        ("println(1)", "string"),
        ("type(1)", "string"),
        ('string_split_literal("a b", " ")', "array<string>"),
    ],
)
def test_expression(value: str, expected: str) -> None:
    assert sound(f"let v = {value};").type_of("v") == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("let mut v = 1; v = v + 1;", "int"),
        ("let mut v = 1; while true { v = v + 1.5; }", "number"),
        ("let mut v = 1; v += 2.5;", "number"),
        ('let mut v = 1; v = "a";', "unknown"),
        ("let mut v = []; v[v.length] = 1;", "array<int>"),
        ("let mut v = [1]; v[0] = 2.5;", "array<number>"),
        ("let mut v = {}; v.a = 1; v.b = true;", "{a: int, b: bool}"),
        ('let mut v = {a: 1}; let k = "a" + "b"; v[k] = 2;', "map<int>"),
        ("let mut v = {}; while true { let w = v.a; v.a = 1; }", "{a: int}"),
        ("let v: array<int> = [];", "array<int>"),
        ("let v: map<float> = {};", "map<float>"),
        ("let v: int? = null;", "int?"),
        ("let v: number = 1;", "number"),
        ('let v: [int, string] = [1, "a"];', "[int, string]"),
        ("for v in 0..3 { }", "int"),
        ("for v in 0.5..3 { }", "float"),
        ("let m: map<float> = {a: 1.0}; for (k, v) in &m { }", "float"),
        ("let o: int? = 1; match o { Some(v) => v, _ => 0 };", "int"),
        ("let o: int? = 1; let v = o.unwrap_or(2);", "int"),
        ("let mut a = [1]; a = [a]; let v = a;", "[unknown]"),
    ],
)
def test_variable(text: str, expected: str) -> None:
    assert sound(text).type_of("v") == expected


def test_host_and_json_values_are_what_the_program_declares() -> None:
    text = """
        use acme; use json; struct P { x: int, tags: [string] }
        let a: int = acme::f(); let b = acme::g(); let p: P = json::decode("{}"); let x = p.x;
        let q = json::decode::<P>("{}"); let t = q.tags; let c: [float] = acme::list();
    """
    found = sound(text)
    assert [found.type_of(name) for name in ("a", "b", "x", "t", "c")] == [
        "int",
        "unknown",
        "int",
        "array<string>",
        "array<float>",
    ]


def test_element_assignments_are_not_checked_so_they_are_not_trusted() -> None:
    text = """
        fn first(xs: [int]) -> int { xs[0] }
        let mut xs: [int] = [1]; xs[0] = "s"; let v = first(xs);
        struct P { x: int } let mut p: P = {x: 1}; p.x = "s"; let w = p.x;
        struct Q { x: int } let q: Q = {x: 1}; let u = q.x;
    """
    found = sound(text)
    assert [found.type_of(name) for name in ("v", "w", "u")] == ["unknown", "unknown", "int"]


# -- functions ------------------------------------------------------------------------------


def test_parameters_get_the_types_of_all_calls() -> None:
    found = sound("fn f(a, b) { b } f(1, true); f(2, false);")
    assert (found.type_of("a"), found.result_of("f")) == ("int", "bool")
    assert sound("fn f(a) { [a] } f(1); f(2.5);").type_of("a") == "number"
    assert sound('fn f(a) { [a] } f(1); f("a");').type_of("a") == "unknown"
    assert sound("fn f(a: number) -> number { a } f(1);").type_of("a") == "number"
    assert sound("fn never(a: int, b) -> int { a }").type_of("b") == "unknown"


def test_results_pass_through_recursion_and_text_order() -> None:
    text = "let v = even(4); fn even(n) { if n == 0 => { true } else => { odd(n - 1) } }"
    found = sound(text + " fn odd(n) { if n == 0 => { false } else => { even(n - 1) } }")
    assert found.type_of("v") == "bool"
    assert found.type_of("n") == "int"


def test_generic_functions_are_typed_by_their_type_arguments() -> None:
    text = """
        fn id<T>(x: T) -> T { x } fn all<T>(x: T) -> [T] { [x] }
        let a = id::<int>(1); let b = id::<string>("a"); let c = all::<float>(1.5);
    """
    found = sound(text)
    assert [found.type_of(name) for name in "abc"] == ["int", "string", "array<float>"]


def test_functions_of_other_files() -> None:
    found = sound("use tools; let v = tools::twice(4);", tools="pub fn twice(n) { n + n }")
    assert found.type_of("v") == "int"


def test_struct_fields() -> None:
    text = """
        struct Box<T> { value: T, next: Box<T>? }
        let a: Box<int> = {value: 1, next: null}; let b: Box<string> = {value: "s", next: null};
        let c: Box<bool> = {value: true, next: {value: false, next: null}};
        let x = a.value; let y = b.value; let z = c?.next;
    """
    found = sound(text)
    assert [found.type_of(name) for name in "xyz"] == ["int", "string", "Box<bool>?"]


# -- closures -------------------------------------------------------------------------------


def test_closures_that_are_only_called_by_name_know_their_arguments() -> None:
    found = sound("let f = |x| x + 1; let v = f(1); f(2);")
    assert (found.type_of("x"), found.type_of("v")) == ("int", "int")


def test_closures_that_travel_know_only_declared_types() -> None:
    text = "fn apply(f: fn(int) -> int, n: int) -> int { f(n) } let v = apply(|x| x * 2, 3);"
    found = sound(text)
    assert (found.type_of("x"), found.type_of("v")) == ("int", "int")
    text = "let f = |x| x; let g = f; g(1); g(true); let h = |y| y; h(2.5);"
    found = sound(text)
    assert found.type_of("x") == "unknown"
    assert found.type_of("y") == "float"


def test_closures_in_containers() -> None:
    text = """
        let ops: map<fn(int) -> int> = {inc: |x| x + 1};
        let f: fn(int) -> int = ops.inc; let v = f(5);
    """
    found = sound(text)
    assert (found.type_of("x"), found.type_of("v")) == ("int", "int")


def test_functions_that_travel_keep_their_declared_parameters() -> None:
    text = """
        fn shout(s: string) -> string { s + "!" } fn double(n: int) -> int { n * 2 }
        fn words(f: fn(string) -> string) -> string { f("a") }
        fn numbers(f: fn(int) -> int) -> int { f(1) }
        words(shout); numbers(double); numbers(|x| x + 1);
    """
    found = sound(text)
    assert [found.type_of(name) for name in ("s", "n", "x")] == ["string", "int", "int"]


def test_function_values_know_their_result() -> None:
    assert sound("fn f(a: int) -> bool { a > 1 } let g = f; let v = g(1);").type_of("v") == "bool"


# -- refinement -----------------------------------------------------------------------------


def inner_type(text: str) -> str:
    """The type of the last `x` of a program."""
    found = analyse(text)
    names = [n for n in found.typing.types if isinstance(n, nodes.Name) and n.name == "x"]
    return type_name(found.typing.of(max(names, key=lambda name: name.span.start)))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("let x: int? = 1; x;", "int?"),
        ("let x: int? = 1; if x != null { x; }", "int"),
        ("let x: int? = 1; if null != x { x; }", "int"),
        ("let x: int? = 1; let v: int = if x != null => { x } else => { 0 };", "int"),
        ("let x: int? = 1; if x != null { 1; } else { x; }", "int?"),
        ("let x: int? = 1; if x != null { 1; } x;", "int?"),
        ("let x: number = 1; if type(x) == \"int\" { x; }", "int"),
        ("let mut x: int? = 1; if x != null { x = null; x; }", "int?"),
        ("let mut x: int? = 1; let f = || if true => { x = null; 1 } else => { 0 };"
         " if x != null { f(); x; }", "int?"),
    ],
)  # fmt: skip
def test_refinement(text: str, expected: str) -> None:
    assert inner_type(text) == expected


# -- cost -----------------------------------------------------------------------------------


def test_long_chains_against_the_text_order_end_early_and_stay_right() -> None:
    """A value that needs one more visit of the body for each variable on its way."""
    count = 400
    text = "".join(f"let mut x{at} = 1;\n" for at in range(count))
    text += "while true {" + "".join(f"x{at} = x{at + 1};\n" for at in range(count - 1))
    found = sound(text + f"x{count - 1} = 1.5; }}")
    assert found.type_of("x0") in ("number", "unknown")


def test_types_stay_small() -> None:
    text = "let x0 = [1, 2];" + "".join(
        f"let x{at} = [x{at - 1}, x{at - 1}];" for at in range(1, 80)
    )
    assert len(sound(text).type_of("x79")) < 5000
