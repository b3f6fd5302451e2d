"""What the parser rejects, with which code, where; and that it goes on afterwards."""

from __future__ import annotations

from pathlib import Path

import pytest

from flintc.problems import Phase, Problems
from flintc.source import SourceFile
from flintc.syntax.codes import SYNTAX_CODES
from flintc.syntax.dump import dump
from flintc.syntax.nodes import Program
from flintc.syntax.parser import parse

Place = tuple[str, int, int]


def check(text: str) -> tuple[Program, list[Place]]:
    problems = Problems()
    program = parse(SourceFile("test.rss", text), problems)
    assert all(problem.phase is Phase.PARSE for problem in problems.items)
    return program, [(p.code, *p.span.position) for p in problems.items if p.span]


# A source text with exactly one problem, its code, and its line and column.
REJECTED: list[tuple[str, str, int, int]] = [
    ("let a = 1\nlet b = 2;", "E_EXPECTED_SEMICOLON", 2, 1),
    ("let a = 1\n", "E_EXPECTED_SEMICOLON", 2, 1),
    ("a.b.c = 1;", "E_EXPECTED_SEMICOLON", 1, 7),
    ("a[0][1] = 1;", "E_EXPECTED_SEMICOLON", 1, 9),
    ("a.b[0] = 1;", "E_EXPECTED_SEMICOLON", 1, 8),
    ("a[0] += 1;", "E_EXPECTED_SEMICOLON", 1, 6),
    ('"abc".length;', "E_EXPECTED_SEMICOLON", 1, 6),
    ("(|x| x)(1);", "E_EXPECTED_SEMICOLON", 1, 8),
    ("a[0](1);", "E_EXPECTED_SEMICOLON", 1, 5),
    ("a.f(1);", "E_EXPECTED_SEMICOLON", 1, 4),
    ("break_", "E_EXPECTED_SEMICOLON", 1, 7),
    ("while a { break }", "E_EXPECTED_SEMICOLON", 1, 17),
    ("fn f() { if a => { b; } else => { c } d }", "E_EXPECTED_SEMICOLON", 1, 39),
    ("a = -b c;", "E_EXPECTED_SEMICOLON", 1, 8),
    ("let a = ;", "E_EXPECTED_EXPRESSION", 1, 9),
    ("a = b + ;", "E_EXPECTED_EXPRESSION", 1, 9),
    ("i++;", "E_EXPECTED_EXPRESSION", 1, 3),
    ("a -= 1;", "E_EXPECTED_EXPRESSION", 1, 4),
    ("a && && b;", "E_EXPECTED_EXPRESSION", 1, 6),
    ("let f = fn(x) { x };", "E_EXPECTED_EXPRESSION", 1, 9),
    ("else { }", "E_EXPECTED_EXPRESSION", 1, 1),
    ("f(a b);", "E_EXPECTED_TOKEN", 1, 5),
    ("let a = (1 + 2;", "E_EXPECTED_TOKEN", 1, 15),
    ("if a b;", "E_EXPECTED_TOKEN", 1, 6),
    ("if a => { 1 } else => { 2 };", "E_EXPECTED_TOKEN", 1, 6),
    ("let a = if b { 1 } else { 2 };", "E_EXPECTED_TOKEN", 1, 14),
    ("a::b;", "E_EXPECTED_TOKEN", 1, 5),
    ("a.copy;", "E_EXPECTED_TOKEN", 1, 7),
    ("let a: array<int>= b;", "E_EXPECTED_TOKEN", 1, 17),
    ("struct A { a int }", "E_EXPECTED_TOKEN", 1, 14),
    ("struct A { a: int; b: int }", "E_EXPECTED_TOKEN", 1, 18),
    ("let a = match b { 1 => 2 _ => 3 };", "E_EXPECTED_TOKEN", 1, 26),
    ("let a = match b { 1 | 2 => 2, _ => 3 };", "E_EXPECTED_TOKEN", 1, 21),
    ("let a = {b: 1 c: 2};", "E_EXPECTED_TOKEN", 1, 15),
    ("{ f(a); }", "E_EXPECTED_TOKEN", 1, 7),
    ("fn f() let a = 1;", "E_EXPECTED_TOKEN", 1, 8),
    ("let 1 = 2;", "E_EXPECTED_NAME", 1, 5),
    ("a.1;", "E_EXPECTED_NAME", 1, 3),
    ("let for = 1;", "E_RESERVED_WORD", 1, 5),
    ("a.use;", "E_RESERVED_WORD", 1, 3),
    (";", "E_EMPTY_STATEMENT", 1, 1),
    ("if a { };", "E_EMPTY_STATEMENT", 1, 9),
    ("f(a,);", "E_TRAILING_COMMA", 1, 5),
    ("[a,];", "E_TRAILING_COMMA", 1, 4),
    ("fn f(a,) { 1 }", "E_TRAILING_COMMA", 1, 8),
    ("|a,| a;", "E_TRAILING_COMMA", 1, 4),
    ("f::<int,>(a);", "E_TRAILING_COMMA", 1, 9),
    (f"f({','.join(['a'] * 256)});", "E_TOO_MANY_ITEMS", 1, 1),
    (f"fn f({','.join(f'a{i}' for i in range(256))});", "E_TOO_MANY_ITEMS", 1, 4),
    ("fn f(a, b, a) { 1 }", "E_DUPLICATE_NAME", 1, 12),
    ("fn f<T, T>(a) { 1 }", "E_DUPLICATE_NAME", 1, 9),
    ("struct S<T, T> { }", "E_DUPLICATE_NAME", 1, 13),
    ("|a, a| 1;", "E_DUPLICATE_NAME", 1, 5),
    ("pub let a = 1;", "E_PUB_WITHOUT_FN", 1, 5),
    ("let a;", "E_MISSING_INITIALIZER", 1, 6),
    ("let a: int?? = 1;", "E_MISSING_INITIALIZER", 1, 12),
    ("let a: int?[] = 1;", "E_TYPE_SYNTAX", 1, 12),
    ("for x in xs { }", "E_FOR_FORM", 1, 13),
    ("for (let i = 0; i < 3; i++) { f(i); }", "E_FOR_FORM", 1, 6),
    ("for k, v in &m { }", "E_FOR_FORM", 1, 6),
    ("for let i in 0..3 { }", "E_FOR_FORM", 1, 5),
    ("for (k, v) of &m { }", "E_FOR_FORM", 1, 12),
    ("for (k, v) in m { }", "E_MAP_LOOP", 1, 15),
    ("for (k, v) in &mut m { }", "E_MAP_LOOP", 1, 15),
    ("for (k, k) in &m { }", "E_MAP_LOOP", 1, 9),
    ("for (k, m) in &m { }", "E_MAP_LOOP", 1, 9),
    ("for (k: int, v) in &m { }", "E_MAP_LOOP", 1, 9),
    ("break;", "E_BREAK_OUTSIDE_LOOP", 1, 1),
    ("while a { fn f() { break; 1 } }", "E_BREAK_OUTSIDE_LOOP", 1, 20),
    ("if a { continue; }", "E_CONTINUE_OUTSIDE_LOOP", 1, 8),
    ("fn f() { }", "E_BLOCK_WITHOUT_VALUE", 1, 10),
    ("fn f() {\n  let a = 1;\n}", "E_BLOCK_WITHOUT_VALUE", 3, 1),
    ("fn f() { if a { 1; } else { 2; } }", "E_BLOCK_WITHOUT_VALUE", 1, 34),
    ("let a = if b => { while c { } } else => { 1 };", "E_BLOCK_WITHOUT_VALUE", 1, 31),
    ("let a = if b => { 1 };", "E_MISSING_ELSE", 1, 22),
    ("if a {\n  b;\n", "E_UNCLOSED_BLOCK", 3, 1),
    ("fn f() { fn g() { if a {", "E_UNCLOSED_BLOCK", 1, 25),
    ("let a = match b { 1 => 2,", "E_UNCLOSED_BLOCK", 1, 26),
    ("a;\n}", "E_UNEXPECTED_CLOSING", 2, 1),
    ("match a {\n};", "E_MATCH_WILDCARD", 2, 1),
    ("match a { 1 => 2,\n};", "E_MATCH_WILDCARD", 2, 1),
    ("match a { _ => 1, 2 => 3 };", "E_MATCH_WILDCARD", 1, 19),
    ("match a { _ => 1, _ => 3 };", "E_MATCH_WILDCARD", 1, 19),
    ("match a { -1 => 1, _ => 3 };", "E_MATCH_PATTERN", 1, 11),
    ("match a { 1.5 => 1, _ => 3 };", "E_MATCH_PATTERN", 1, 11),
    ("match a { true => 1, _ => 3 };", "E_MATCH_PATTERN", 1, 11),
    ("match a { b => 1, _ => 3 };", "E_MATCH_PATTERN", 1, 11),
    ("match a { Some(_) => 1, _ => 3 };", "E_MATCH_PATTERN", 1, 16),
    ("({-1: a});", "E_MAP_KEY", 1, 5),
    ("({a.b: 1});", "E_MAP_KEY", 1, 6),
    ("&mut f(a);", "E_MUT_BORROW_TARGET", 1, 6),
    ("&mut a.b.c;", "E_MUT_BORROW_TARGET", 1, 6),
    ("&mut 1;", "E_MUT_BORROW_TARGET", 1, 6),
    ("a.unwrap();", "E_UNWRAP", 1, 3),
    ("a.unwrap;", "E_UNWRAP", 1, 3),
    ('println!("x");', "E_UNKNOWN_MACRO", 1, 1),
    ("print();", "E_ARGUMENT_COUNT", 1, 1),
    ("type(a, b);", "E_ARGUMENT_COUNT", 1, 1),
    ("a.copy(1);", "E_ARGUMENT_COUNT", 1, 8),
    ("a.unwrap_or();", "E_ARGUMENT_COUNT", 1, 13),
    ("a.has(1, 2);", "E_ARGUMENT_COUNT", 1, 8),
    ("9223372036854775808;", "E_INT_OUT_OF_RANGE", 1, 1),
    ("-(9223372036854775808);", "E_INT_OUT_OF_RANGE", 1, 3),
    ("1 - 9223372036854775808;", "E_INT_OUT_OF_RANGE", 1, 5),
    ("({9223372036854775808: 1});", "E_INT_OUT_OF_RANGE", 1, 3),
    ("match a { 9223372036854775808 => 1, _ => 2 };", "E_INT_OUT_OF_RANGE", 1, 11),
    ("let a: [] = b;", "E_TYPE_SYNTAX", 1, 9),
    ("let a: {b: int} = b;", "E_TYPE_SYNTAX", 1, 8),
    ("let a: fn(int) = b;", "E_TYPE_SYNTAX", 1, 16),
    ("let a: [int..., int] = b;", "E_TYPE_SYNTAX", 1, 17),
    ("let a: int<int> = b;", "E_TYPE_SYNTAX", 1, 11),
    ("f::<>(a);", "E_TYPE_SYNTAX", 1, 5),
    ("|a: int| a;", "E_TYPE_SYNTAX", 1, 3),
    ("let a: array<unknown> = b;", "E_STRICT_UNKNOWN_TYPE", 1, 14),
    ("use crate::a;", "E_USE_FORM", 1, 5),
    ("use io::{open};", "E_USE_FORM", 1, 5),
    ("use re::*;", "E_USE_FORM", 1, 5),
    ("use a::{};", "E_USE_FORM", 1, 9),
    ("use a::{*};", "E_USE_FORM", 1, 9),
    ("use self;", "E_USE_FORM", 1, 5),
    ("use super::{a};", "E_USE_FORM", 1, 5),
    ("  import a;", "E_IMPORT_KEYWORD", 1, 3),
    ("let a = @;", "E_UNEXPECTED_CHARACTER", 1, 9),
    ("// \udc80", "E_INVALID_UTF8", 1, 4),
    ("/*", "E_UNTERMINATED_COMMENT", 1, 1),
    ("'", "E_UNTERMINATED_STRING", 1, 1),
    ("'\\u';", "E_INVALID_ESCAPE", 1, 2),
    ('b"é";', "E_NON_ASCII_BYTES", 1, 3),
    ("0x;", "E_INVALID_NUMBER", 1, 1),
    (f"{'(' * 5000}1{')' * 5000};", "E_NESTING_TOO_DEEP", 1, 4001),
]


@pytest.mark.parametrize(("text", "code", "line", "column"), REJECTED)
def test_rejected(text: str, code: str, line: int, column: int) -> None:
    assert check(text)[1] == [(code, line, column)]


def test_every_code_is_described_and_provoked() -> None:
    assert {code for _, code, _, _ in REJECTED} == set(SYNTAX_CODES)


def test_every_code_in_the_source_is_described(root: Path) -> None:
    for path in sorted((root / "flintc/syntax").glob("*.py")):
        words = path.read_text(encoding="utf-8").replace('"', " ").split()
        codes = {word for word in words if word.startswith("E_") and word.isupper()}
        assert codes <= set(SYNTAX_CODES), path.name


ACCEPTED = [
    "",
    "// only a comment",
    "\r\n\r\n",
    "let a = 1;\r\nlet b = 2;\r\n",
    "print = 1; print();",
    "fn type() { 1 } type();",
    "println();",
    "let import = 1; let b = a +\n  import + 1;",
    "let a = if b => { break_; 1 } else => { 2 };",
    "while a { let b = if c => { break; 1 } else => { 2 }; }",
    "let return = 1; let loop = return; let in = loop; let mut_ = in;",
    "fn f() { a[0] = 1; b.c = 2; d += 3; e(); }",
    "fn f() { if a { b; } if (if a => { true } else => { false }) => { 1 } else => { 2 } }",
    f"fn f({','.join(f'a{i}' for i in range(255))});",
    f"{'(' * 140}1{')' * 140};",
]


@pytest.mark.parametrize("text", ACCEPTED)
def test_accepted(text: str) -> None:
    assert check(text)[1] == []


def test_several_problems_in_one_run() -> None:
    text = """\
let a = ;
let b = 2
let c = [1, 2,];
fn f(x) {
    let y = x x;
    y.unwrap()
}
if a { b( } c;
while d e { f(); g(); }
let h = {i: 1 j: 2};
k;
"""
    program, places = check(text)
    assert places == [
        ("E_EXPECTED_EXPRESSION", 1, 9),
        ("E_EXPECTED_SEMICOLON", 3, 1),
        ("E_TRAILING_COMMA", 3, 15),
        ("E_EXPECTED_SEMICOLON", 5, 15),
        ("E_UNWRAP", 6, 7),
        ("E_EXPECTED_EXPRESSION", 8, 11),
        ("E_EXPECTED_TOKEN", 9, 9),
        ("E_EXPECTED_TOKEN", 10, 15),
    ]
    assert dump(program.statements[-1]) == "(ExprStatement k)"


def test_a_broken_value_does_not_lose_the_variable() -> None:
    program, _ = check("let a = 1 +; let b = a;")
    assert list(map(dump, program.statements)) == [
        "(Let a False - (ErrorExpr))",
        "(Let b False - a)",
    ]


def test_a_broken_statement_stays_in_its_block() -> None:
    program, _ = check("fn f() { 1 2; 3 } f();")
    assert list(map(dump, program.statements)) == [
        "(Function f False [] [] - (ValueBlock [(ErrorStatement)] 3 False))",
        "(ExprStatement (Call [f] [] []))",
    ]


def test_lexical_problems_hide_those_of_the_grammar() -> None:
    program, places = check("let a = ;\nlet b = 3 @ 4;\nlet c = 1;")
    assert places == [("E_UNEXPECTED_CHARACTER", 2, 11)]
    assert dump(program.statements[-1]) == "(Let c False - 1)"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("return 1;", "no `return`"),
        ("whlie a { }", "did you mean `while`"),
        ("a.f(1);", "write `f(value, …)`"),
        ("x -= 1;", "write `x = x - …;`"),
        ("let a = 1 as float;", "no `as` conversion"),
        ("let a = b ? 1 : 2;", "if condition =>"),
        ("let a = S { x: 1 };", "{field: value}"),
        ("const A = 1;", "write `let`"),
        ("a and b;", "write `&&`"),
        ("1e5;", "no exponent"),
        ("b'x';", 'b"…"'),
        ("let a: map<int>= b;", "space before `=`"),
        ("9223372036854775808;", "-9223372036854775808"),
    ],
)
def test_help(text: str, words: str) -> None:
    problems = Problems()
    parse(SourceFile("test.rss", text), problems)
    assert words in (problems.items[0].help or "")
