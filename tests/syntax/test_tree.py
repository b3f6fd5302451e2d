"""Which tree a source text has (language reference 2)."""

from __future__ import annotations

import pytest

from flintc.problems import Problems
from flintc.source import SourceFile
from flintc.syntax.dump import dump
from flintc.syntax.nodes import ExprStatement, Function, IntLiteral, Let
from flintc.syntax.parser import parse


def statement(text: str) -> object:
    problems = Problems()
    (result,) = parse(SourceFile("test.rss", text), problems).statements
    assert not problems.items
    return result


def expression(text: str) -> str:
    result = statement(f"{text};")
    assert isinstance(result, ExprStatement)
    return dump(result.value)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a + b - c", "(Operation [a b c] [+ -])"),
        ("(a + b) - c", "(Operation [(Operation [a b] [+]) c] [-])"),
        ("a - (b - c)", "(Operation [a (Operation [b c] [-])] [-])"),
        ("a + b * c", "(Operation [a (Operation [b c] [*])] [+])"),
        ("a * b + c", "(Operation [(Operation [a b] [*]) c] [+])"),
        ("a < b == c", "(Operation [a b c] [< ==])"),
        ("a && b || c && d", "(Operation [(Operation [a b] [&&]) (Operation [c d] [&&])] [||])"),
        (
            "a || b + c % d * e == f",
            "(Operation [a (Operation [(Operation [b (Operation [c d e] [% *])] [+]) f] [==])]"
            " [||])",
        ),
        ("-a * b", "(Operation [(Unary - a) b] [*])"),
        ("!!a", "(Unary ! (Unary ! a))"),
        ("- -1", "(Unary - (Unary - 1))"),
        ("-a.b", "(Unary - (Member a b False))"),
        ("&a + &mut b", "(Operation [(Unary & a) (Unary &mut b)] [+])"),
        ("&mut a.b", "(Unary &mut (Member a b False))"),
        ("&mut a[b]", "(Unary &mut (Index a b False))"),
        ("-9223372036854775808", "-9223372036854775808"),
        ("--0x8000000000000000", "(Unary - -9223372036854775808)"),
    ],
)
def test_operators(text: str, expected: str) -> None:
    assert expression(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a.b.c", "(Member (Member a b False) c False)"),
        ("a.match", "(Member a match False)"),
        ("a?.length", "(Member a length True)"),
        ("a ? . b ? .[c]", "(Index (Member a b True) c True)"),
        ("a[b][c]", "(Index (Index a b False) c False)"),
        ("a[b:c]", "(Slice a b c)"),
        ("a[:]", "(Slice a - -)"),
        ("a[b:]", "(Slice a b -)"),
        ("a[:c]", "(Slice a - c)"),
        ("a.length", "(Length a)"),
        ("a.keys", "(Keys a)"),
        ("a.copy()", "(Copy a)"),
        ("a.has", "(Member a has False)"),
        ("a.has(b)", "(Has a b)"),
        ("a.unwrap_or(b)", "(UnwrapOr a b)"),
        ('("x").length', "(Length 'x')"),
        ("[a][b]", "(Index (ArrayLiteral [a]) b False)"),
        ("f(a).b", "(Member (Call [f] [] [a]) b False)"),
    ],
)
def test_postfixes(text: str, expected: str) -> None:
    assert expression(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("f()", "(Call [f] [] [])"),
        ("f(a, b)", "(Call [f] [] [a b])"),
        ("f::<int>(a)", "(Call [f] [int] [a])"),
        ("f::<int>", "(Name f [int])"),
        ("x : : y::match(a)", "(Call [x y match] [] [a])"),
        ("json::decode::<map<int>>(a)", "(Call [json decode] [(NamedType map [int])] [a])"),
        ("loop", "loop"),
        ("|| a", "(Closure [] a)"),
        ("| | a", "(Closure [] a)"),
        ("|a, b| a + b", "(Closure [a b] (Operation [a b] [+]))"),
        ("|a| |b| c", "(Closure [a] (Closure [b] c))"),
        ("|x| {a, b}", "(Closure [x] (ArrayLiteral [a b]))"),
        ("f(|x| x, 1)", "(Call [f] [] [(Closure [x] x) 1])"),
    ],
)
def test_names_calls_and_closures(text: str, expected: str) -> None:
    assert expression(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[]", "(ArrayLiteral [])"),
        ("{}", "(MapLiteral [])"),
        ("{a, b,}", "(ArrayLiteral [a b])"),
        ("{a: b, c = d}", "(MapLiteral [(MapEntry 'a' b) (MapEntry 'c' d)])"),
        ("{a, x: b, c}", "(MapLiteral [(MapEntry 0 a) (MapEntry 'x' b) (MapEntry 1 c)])"),
        ("{_: a}", "(MapLiteral [(MapEntry '_' a)])"),
        ("{[a]: b, [-1] = c}", "(MapLiteral [(MapEntry a b) (MapEntry (Unary - 1) c)])"),
        ("{[a], b}", "(ArrayLiteral [(ArrayLiteral [a]) b])"),
        ('{1.5: a, b"x": c}', "(MapLiteral [(MapEntry 1.5 a) (MapEntry b'x' c)])"),
        ("{true: a}", "(MapLiteral [(MapEntry (BoolLiteral True) a)])"),
        ("{null: a}", "(MapLiteral [(MapEntry (NullLiteral) a)])"),
        ("{n::f(a)}", "(ArrayLiteral [(Call [n f] [] [a])])"),
        ("{a}[0]", "(Index (ArrayLiteral [a]) 0 False)"),
    ],
)
def test_arrays_and_maps(text: str, expected: str) -> None:
    assert expression(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("match a { _ => 1 }", "(Match a [(Arm (WildcardPattern) 1)])"),
        (
            'match a { 1 => b, (("x")) => c, _ => d, }',
            "(Match a [(Arm (LiteralPattern 1) b) (Arm (LiteralPattern 'x') c)"
            " (Arm (WildcardPattern) d)])",
        ),
        (
            "match a { null => 1, None => 2, Option::None => 3, _ => 4 }",
            "(Match a [(Arm (NullPattern False) 1) (Arm (NullPattern True) 2)"
            " (Arm (NullPattern True) 3) (Arm (WildcardPattern) 4)])",
        ),
        (
            "match a { Some(Int) => 1, Option::Some(string) => 2, Some(v) => v, _ => {} }",
            "(Match a [(Arm (TypePattern int) 1) (Arm (TypePattern string) 2)"
            " (Arm (BindPattern v) v) (Arm (WildcardPattern) (MapLiteral []))])",
        ),
    ],
)
def test_match(text: str, expected: str) -> None:
    assert expression(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "(if a => { b } else => { c; })",
            "(IfExpr a (ValueBlock [] b False) (ValueBlock [] c True))",
        ),
        (
            "(if a => { 1 } else if b => { 2 } else => { 3 })",
            "(IfExpr a (ValueBlock [] 1 False)"
            " (IfExpr b (ValueBlock [] 2 False) (ValueBlock [] 3 False)))",
        ),
        (
            "(if a => { let x = 1; x = 2; if x { } x } else => { 0 })",
            "(IfExpr a (ValueBlock [(Let x False - 1) (Assign x 2) (If x (Block []) -)] x False)"
            " (ValueBlock [] 0 False))",
        ),
        (
            "(if a => { if b => { 1 } else => { 2 } } else => { 3 })",
            "(IfExpr a (ValueBlock [] (IfExpr b (ValueBlock [] 1 False)"
            " (ValueBlock [] 2 False)) False) (ValueBlock [] 3 False))",
        ),
        (
            "(if a => { 1 } else => { 2 } + 3)",
            "(Operation [(IfExpr a (ValueBlock [] 1 False) (ValueBlock [] 2 False)) 3] [+])",
        ),
    ],
)
def test_if_expressions(text: str, expected: str) -> None:
    assert expression(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("let a = 1;", "(Let a False - 1)"),
        ("let mut a: int? = b;", "(Let a True (OptionalType int) b)"),
        ("a = b;", "(Assign a b)"),
        ("a += b;", "(AddAssign a b)"),
        ("a.b = c;", "(MemberAssign a b c)"),
        ("a.length = c;", "(MemberAssign a length c)"),
        ("a[b][0];", "(ExprStatement (Index (Index a b False) 0 False))"),
        (
            "a[b + [1][0]] = c;",
            "(IndexAssign a (Operation [b (Index (ArrayLiteral [1]) 0 False)] [+]) c)",
        ),
        ("a == b;", "(ExprStatement (Operation [a b] [==]))"),
        ("mut = let_;", "(Assign mut let_)"),
        (
            "if a { } else if b { c; } else { }",
            "(If a (Block []) (If b (Block [(ExprStatement c)]) (Block [])))",
        ),
        ("if a { }", "(If a (Block []) -)"),
        ("while a { break; continue; }", "(While a (Block [(Break) (Continue)]))"),
        ("for i in 0..n { }", "(ForRange i False 0 n False (Block []))"),
        (
            "for mut i in a + 1..=b.c { }",
            "(ForRange i True (Operation [a 1] [+]) (Member b c False) True (Block []))",
        ),
        ("for (k, v) in &m { }", "(ForMap k - v - m (Block []))"),
        ("for (k: string, v: int) in &mut { }", "(ForMap k string v int mut (Block []))"),
        ("use a;", "(Use [a] - False -)"),
        ("use super::a::b as c;", "(Use [super a b] c False -)"),
        ("use a::*;", "(Use [a] - True -)"),
        ("use a::b::{f, g as h,};", "(Use [a b] - False [(ImportItem f -) (ImportItem g h)])"),
        ("use io as files;", "(Use [io] files False -)"),
        ("struct S { }", "(Struct S [] [])"),
        (
            "struct S<T, U> { a: T, b: map<U>, }",
            "(Struct S [T U] [(Field a T) (Field b (NamedType map [U]))])",
        ),
        ("fn f();", "(Function f False [] [] - -)"),
        (
            "pub fn f(a, b: int) -> string;",
            "(Function f True [] [(Param a -) (Param b int)] string -)",
        ),
        ("fn f<T>(a: T) = a;", "(Function f False [T] [(Param a T)] - (ValueBlock [] a False))"),
        (
            "fn f() -> int?? { 1 };",
            "(Function f False [] [] (OptionalType int) (ValueBlock [] 1 False))",
        ),
        ("fn f() { a; b; }", "(Function f False [] [] - (ValueBlock [(ExprStatement a)] b True))"),
        (
            "fn f() { fn g() = 1; use a; struct S { } null }",
            "(Function f False [] [] - (ValueBlock [(Function g False [] [] -"
            " (ValueBlock [] 1 False)) (Use [a] - False -) (Struct S [] [])] (NullLiteral) False))",
        ),
    ],
)
def test_statements(text: str, expected: str) -> None:
    assert dump(statement(text)) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("null", "null"),
        ("array", "array"),
        ("[int]", "(NamedType array [int])"),
        ("int[]", "(NamedType array [int])"),
        ("[int...]", "(NamedType array [int])"),
        ("[int...,]", "(NamedType array [int])"),
        ("[int,]", "(NamedType array [int])"),
        ("[int, string]", "(TupleType [int string] -)"),
        ("[int, string...]", "(TupleType [int] string)"),
        ("map<array<int?>>", "(NamedType map [(NamedType array [(OptionalType int)])])"),
        ("int[][]?", "(OptionalType (NamedType array [(NamedType array [int])]))"),
        ("Pair<int, T>", "(NamedType Pair [int T])"),
        ("fn() -> int", "(FunctionType [] int)"),
        (
            "fn(int, S) - > string[]?",
            "(FunctionType [int S] (OptionalType (NamedType array [string])))",
        ),
    ],
)
def test_types(text: str, expected: str) -> None:
    result = statement(f"let x: {text} = a;")
    assert isinstance(result, Let)
    assert dump(result.annotation) == expected


def test_comparison_after_type_needs_a_space() -> None:
    assert dump(statement("let x: map<int> = a;")) == "(Let x False (NamedType map [int]) a)"


def test_spans_cover_parentheses_and_semicolons() -> None:
    result = statement(" let a = (b + 1) * (c) ;")
    assert isinstance(result, Let)
    assert result.span.text == "let a = (b + 1) * (c) ;"
    assert result.name.span.text == "a"
    assert result.value.span.text == "(b + 1) * (c)"
    assert result.span.position == (1, 2)


def test_function_span_begins_at_pub_and_ends_at_the_body() -> None:
    result = statement("pub fn f() { 1 };")
    assert isinstance(result, Function)
    assert result.span.text == "pub fn f() { 1 }"
    assert result.body is not None
    assert result.body.span.text == "{ 1 }"


def test_literal_texts_are_kept() -> None:
    result = statement("0x00ff;")
    assert isinstance(result, ExprStatement)
    literal = result.value
    assert isinstance(literal, IntLiteral)
    assert (literal.value, literal.text) == (255, "0x00ff")
