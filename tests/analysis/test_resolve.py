"""What names mean, and which names mean nothing (language reference 2.5 to 2.14, 8.3 to 8.7)."""

from __future__ import annotations

import pytest

from flintc.analysis.symbols import (
    BuiltinTarget,
    FunctionTarget,
    HostTarget,
    NamespaceTarget,
    Target,
    VariableTarget,
)
from flintc.problems import Problem, Severity
from flintc.syntax import nodes
from tests.analysis.support import Analysed, analyse, sound


def targets(analysed: Analysed) -> list[Target]:
    found = analysed.resolution.targets
    return [found[node] for node in sorted(found, key=lambda node: node.span.start)]


def only(text: str, **modules: str) -> Problem:
    found = analyse(text, **modules).problems
    assert len(found) == 1, [problem.title for problem in found]
    return found[0]


# -- variables ------------------------------------------------------------------------------


def test_blocks_open_no_scope() -> None:
    found = sound("let x = 1; if true { let x = 2; } for i in 0..2 { let x = 3; } x; i;")
    assert [variable.name for variable in found.resolution.root.top.variables] == ["x", "i"]


def test_let_in_a_function_hides_the_outer_variable_from_there_on() -> None:
    found = sound("let v = 7; fn f() -> int { let first = v; let v = 100; first + v } f();")
    (function,) = (
        s for s in found.resolution.scopes.values() if isinstance(s.owner, nodes.Function)
    )
    (outer,) = (v for v in found.resolution.root.top.variables)
    assert [variable.name for variable in function.variables] == ["first", "v"]
    assert list(function.captures) == [outer]


def test_map_loop_and_some_bindings_end_with_their_body() -> None:
    text = "let m = {a: 1}; let k = 5; for (k, v) in &m { k; v; } k;"
    found = sound(text)
    assert [v.kind for v in found.resolution.root.top.variables] == [
        "let",
        "let",
        "map_loop",
        "map_loop",
    ]
    assert only("let m = {a: 1}; for (k, v) in &m { v; } v;").code == "E_UNKNOWN_LOCAL"
    assert only("let o: int? = 1; match o { Some(n) => n, _ => 0 }; n;").code == "E_UNKNOWN_LOCAL"


def test_closure_may_call_itself_by_its_own_name() -> None:
    sound("let f = |n| if n < 1 => { 0 } else => { let r: int = f(n - 1); r }; f(3);")
    assert only("let f = || f();").code == "E_UNKNOWN_FUNCTION"
    assert only("let f = f + 1;").code == "E_UNKNOWN_LOCAL"


def test_range_end_sees_the_loop_variable() -> None:
    sound("for i in 0..i + 1 { break; }")
    assert only("for i in i..3 { }").code == "E_UNKNOWN_LOCAL"


def test_functions_see_only_earlier_top_level_variables() -> None:
    problem = only("fn f() -> int { later } let later = 4;")
    assert problem.code == "E_UNKNOWN_LOCAL"
    assert problem.span is not None
    assert problem.span.text == "later"


def test_nested_functions_are_known_in_the_whole_file() -> None:
    sound("g(); fn f() -> int { fn g() -> int { 1 } 2 } f();")


# -- mutability -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "let a = 1; a = 2;",
        "let a = 1; a += 2;",
        "let a = [1]; a[0] = 2;",
        "let a = {x: 1}; a.x = 2;",
        "let a = 1; let b = &mut a;",
        "let a = [1]; let b = &mut a[0];",
        "for i in 0..3 { i = 1; }",
        "let m = {a: 1}; for (k, v) in &m { v = 2; }",
        "let o: int? = 1; match o { Some(n) => if true => { n = 2; n } else => { 0 }, _ => 0 };",
        "let a = 1; fn f() -> int { a = 2; a }",
        "let a = 1; let f = || if true => { a = 2; a } else => { 0 };",
        "let mut i = 0; for i in 0..3 { } i = 5;",
    ],
)
def test_immutable(text: str) -> None:
    assert only(text).code == "E_IMMUTABLE_LOCAL"


def test_mutable() -> None:
    sound("let mut a = 1; let a = 5; a = 6; fn f(p) { p = p + 1; p } f(1);")
    sound("for mut i in 0..3 { i = 5; } let f = |x| if true => { x = 1; x } else => { 0 }; f(2);")


@pytest.mark.parametrize("change", ["m = {};", "m.a = 1;", 'm["a"] = 1;', "let m = {};", "&mut m;"])
def test_map_is_borrowed_by_its_loop(change: str) -> None:
    problem = only(f"let mut m = {{a: 1}}; for (k, v) in &m {{ {change} }}")
    assert problem.code == "E_BORROW_CONFLICT"
    sound(f"let mut m = {{a: 1}}; for (k, v) in &m {{ m; }} {change}")


# -- calls ----------------------------------------------------------------------------------


def test_targets() -> None:
    text = """
        use math; use acme; use flint; use acme::{load as l}; use re as r;
        fn own(a) { a } fn outside(a: int) -> int;
        let f = len; own(1); f("a"); print(1); math::pi(); acme::x::y(1); flint::llama::load("m");
        l(1); outside(1); r::match("a", "b"); let g = own;
    """
    found = targets(sound(text))
    kinds = [type(target).__name__ for target in found]
    assert kinds == [
        "BuiltinTarget",
        "FunctionTarget",
        "VariableTarget",
        "BuiltinTarget",
        "NamespaceTarget",
        "HostTarget",
        "HostTarget",
        "HostTarget",
        "HostTarget",
        "NamespaceTarget",
        "FunctionTarget",
    ]
    assert isinstance(found[2], VariableTarget)
    assert isinstance(found[4], NamespaceTarget)
    assert found[5] == HostTarget("acme::x::y", None)
    assert isinstance(found[6], HostTarget)
    assert found[6].function is not None
    assert found[7] == HostTarget("acme::load", None)
    assert found[8] == HostTarget("outside", None)


def test_host_wildcard_takes_unknown_calls_while_it_is_alone() -> None:
    found = targets(sound("use acme::*; go(1); print(2);"))
    assert found == [HostTarget("acme::go", None), BuiltinTarget("print")]
    assert only("use acme::*; use other::*; go(1);").code == "E_UNKNOWN_FUNCTION"


def test_own_function_wins_over_a_builtin() -> None:
    (target,) = targets(sound("fn type(a: int, b: int) -> int { a + b } type(1, 2);"))
    assert isinstance(target, FunctionTarget)
    assert targets(sound("fn print(x); print(1, 2 + 3);".replace("1, 2 + 3", "1"))) == [
        BuiltinTarget("print")
    ]


@pytest.mark.parametrize(
    ("text", "code", "help"),
    [
        ("let total = 1; totl;", "E_UNKNOWN_LOCAL", "did you mean `total`?"),
        ("fn area(w) { w } aera(1);", "E_UNKNOWN_FUNCTION", "did you mean `area`?"),
        ("len([1]);", "E_UNKNOWN_FUNCTION", None),
        ("let mut a = 1; bb = 2;", "E_UNKNOWN_LOCAL", None),
        ("math::pi();", "E_UNKNOWN_NAMESPACE", "import it before the call: `use math;`"),
        ("use math; math::sqr(2);", "E_UNKNOWN_FUNCTION", "did you mean `sqrt`?"),
        ("use math as m; math::pi();", "E_UNKNOWN_NAMESPACE", None),
        ("use math; math::a::b();", "E_UNKNOWN_FUNCTION", None),
        ("fn f(a) { a } f(1, 2);", "E_ARGUMENT_COUNT", None),
        ('string_contains("a");', "E_ARGUMENT_COUNT", None),
        ("use math; math::sqrt();", "E_ARGUMENT_COUNT", None),
        ('use re; re::find("a");', "E_ARGUMENT_COUNT", None),
        ("use acme; acme::f(1); acme::f(1, 2);", "E_ARGUMENT_COUNT", None),
        ("fn f<T>(a: T) -> T { a } f(1);", "E_TYPE_ARGUMENTS", None),
        ("fn f(a: int) -> int { a } f::<int>(1);", "E_TYPE_ARGUMENTS", None),
        ("let f = |x| x; f::<int>(1);", "E_TYPE_ARGUMENTS", None),
        ("use acme; acme::f::<int>(1);", "E_TYPE_ARGUMENTS", None),
        ("use acme as a; use math as a;", "E_IMPORT", None),
        ("fn f() -> int { 1 } fn f() -> int { 2 }", "E_DUPLICATE_FUNCTION", None),
        ("struct S { a: int } struct S { a: int }", "E_DUPLICATE_STRUCT", None),
        ("let f = 1; fn f() -> int { 2 }", "E_DUPLICATE_NAME", None),
        ("struct P { x: int } let p: Q = {x: 1};", "E_UNKNOWN_TYPE", None),
        ("struct P<T> { x: T } let p: P = {x: 1};", "E_TYPE_ARGUMENTS", None),
        ("fn f<T>(a: T<int>) -> int { 1 }", "E_TYPE_ARGUMENTS", None),
        ('println("{} {}", 1);', "E_FORMAT", None),
        ('let t = "{}"; println(t, 1);', "E_FORMAT", None),
        ("let m = {a: 1}; for (k: string, v: int) in &m { v; }", "E_MAP_LOOP", None),
        ("let m: map<int> = {a: 1}; for (k: string, v: float) in &m { v; }", "E_MAP_LOOP", None),
    ],
)
def test_error(text: str, code: str, help: str | None) -> None:
    problem = only(text)
    assert problem.code == code
    assert help is None or problem.help == help


def test_two_spellings_of_a_host_count_as_one_function() -> None:
    problem = only("use acme; use acme as b; acme::f(1);\nb::f(1, 2);")
    assert problem.span is not None
    assert problem.span.line == 2
    assert problem.labels[0].span.line == 1


def test_unknown_host_function_of_ours_is_a_warning() -> None:
    problem = only('use flint; flint::llama::laod("m");')
    assert problem.severity is Severity.WARNING
    assert problem.help == "did you mean `flint::llama::load`?"


# -- imports --------------------------------------------------------------------------------

TOOLS = "pub fn inc(n: int) -> int { hidden(n) } fn hidden(n: int) -> int { n + 1 }"


@pytest.mark.parametrize(
    "text",
    [
        "use tools; tools::inc(1); inc(2);",
        "use tools as t; t::inc(1); inc(2);",
        "use tools::*; tools::inc(1); inc(2);",
        "use tools::{inc as plus}; plus(1);",
        "inc(1); use tools;",
        "use tools; let f = inc; f(1);",
        "use tools; use tools::{inc as plus}; plus(1); let inc = 5; inc;",
    ],
)
def test_import(text: str) -> None:
    sound(text, tools=TOOLS)


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("use tools as t; tools::inc(1);", "E_UNKNOWN_NAMESPACE"),
        ("use tools::{inc}; tools::inc(1);", "E_UNKNOWN_NAMESPACE"),
        ("tools::inc(1); use tools;", "E_UNKNOWN_NAMESPACE"),
        ("use tools; hidden(1);", "E_UNKNOWN_FUNCTION"),
        ("use tools; tools::hidden(1);", "E_UNKNOWN_FUNCTION"),
        ("use tools::{hidden};", "E_IMPORT"),
        ("use tools::{absent};", "E_IMPORT"),
        ("use tools; tools::inc(1, 2);", "E_ARGUMENT_COUNT"),
        ("use tools; fn inc(a: int) -> int { a }", "E_IMPORT"),
    ],
)
def test_import_error(text: str, code: str) -> None:
    assert only(text, tools=TOOLS).code == code


def test_ambiguity_counts_only_where_the_bare_name_is_used() -> None:
    cat, dog = 'pub fn sound() -> string { "meow" }', 'pub fn sound() -> string { "woof" }'
    sound("use cat; use dog; cat::sound(); dog::sound();", cat=cat, dog=dog)
    sound("use cat; use dog::{sound}; sound();", cat=cat, dog=dog)
    assert only("use cat; use dog; sound();", cat=cat, dog=dog).code == "E_AMBIGUOUS_NAME"


def test_structs_of_other_files() -> None:
    struct = "struct R { w: int } pub fn make() -> R { {w: 1} }"
    assert only("use other; let r: R = make();", other=struct).code == "E_UNKNOWN_TYPE"
    sound("use other; struct R { w: int } let r: R = make();", other=struct)
    conflict = "use other; struct R { w: float } make();"
    assert only(conflict, other=struct).code == "E_STRUCT_CONFLICT"
