"""The layout rules of the language reference (10.5), each by an example written by hand."""

from __future__ import annotations

import pytest

from flintc.problems import Problems
from flintc.source import SourceFile
from flintc.syntax.format import format_source

# name, source text, formatted text (without the last line feed)
CASES: list[tuple[str, str, str]] = [
    # spaces
    ("operators", "let a=b+c*-d%!e;", "let a = b + c * -d % !e;"),
    ("add-assign", "a+=1;", "a += 1;"),
    ("comparison", "a<b&&c>=d||e!=f;", "a < b && c >= d || e != f;"),
    ("unary after operator", "a - - 1;a==-b;f(- 1, ! c);", "a - -1;\na == -b;\nf(-1, !c);"),
    ("paren after operator", "a *(b + 1);", "a * (b + 1);"),
    ("paren after =", "let a=(b);", "let a = (b);"),
    ("call is tight", "f (x) (y) [0] .z;", "f(x)(y)[0].z;"),
    ("array after operator", "let a=[ 1,2 ]+[3];", "let a = [1, 2] + [3];"),
    ("slices", "s[ 1 : 2 ];s[:- 1];s[: ];s[a::b(1) :];", "s[1:2];\ns[:-1];\ns[:];\ns[a::b(1):];"),
    ("map", "let m={ a : 1,[k]:2 };", "let m = {a: 1, [k]: 2};"),
    ("map in a map", "let m={ {a:1},{ } };", "let m = {{a: 1}, {}};"),
    ("optional access", "a ? . b ?. [ 0 ];", "a?.b?.[0];"),
    ("path", "a : : b :: < int > ( 1 );", "a::b::<int>(1);"),
    ("range", "for i in 0 .. n { }", "for i in 0..n {}"),
    ("closed range", "for mut i in(a) ..= -b {}", "for mut i in (a)..=-b {}"),
    ("map loop", "for(k:string,v:int)in&m{}", "for (k: string, v: int) in &m {}"),
    ("in as a name", "let in=in(1);", "let in = in(1);"),
    ("borrow", "f(& a,&mut b , & (c));", "f(&a, &mut b, &(c));"),
    ("closures", "let f=|x,y|x+y; g(||0,|x| ( x ));", "let f = |x, y| x + y;\ng(|| 0, |x|(x));"),
    ("closure of a closure", "let f=|x| |y|x;", "let f = |x| |y| x;"),
    ("use", "use a::{ b,c as d };use e :: * ;", "use a::{b, c as d};\nuse e::*;"),
    ("signature", "fn f<T>(a:T?,b:int[ ])->T? = a;", "fn f<T>(a: T?, b: int[]) -> T? = a;"),
    ("function type", "let f:fn ( int )->fn()- >int=g;", "let f: fn(int) -> fn() -> int = g;"),
    ("tuple type", "let t:[ string,int ... ]=u;", "let t: [string, int...] = u;"),
    ("generic type", "let m:map < array<int ?> > =x;", "let m: map<array<int?>> = x;"),
    ("generic over lines", "let m: map<\n  int\n> = x;", "let m: map<int> = x;"),
    ("keyword as a name", "re :: match (a);b . match;", "re::match(a);\nb.match;"),
    ("nothing merges", "a = 1 .. 2; & & b; 1 . 5;", "a = 1..2;\n& &b;\n1 .5;"),
    # line breaks
    ("statements", "a;b ; c;", "a;\nb;\nc;"),
    ("blank lines", "\n\na;\n\n\n\nb;\n\n", "a;\n\nb;"),
    ("block", "while a{b;c;}", "while a {\n    b;\n    c;\n}"),
    ("function", "fn f(){let a=1;a}", "fn f() {\n    let a = 1;\n    a\n}"),
    (
        "function, then more",
        "fn f(){1}\n-2;\nfn g(){2}(3);",
        "fn f() {\n    1\n}\n-2;\nfn g() {\n    2\n}\n(3);",
    ),
    ("declaration", "fn f(a:int);fn g()=1;", "fn f(a: int);\nfn g() = 1;"),
    ("if", "if a{b;}else if c{}else{d;}", "if a {\n    b;\n} else if c {} else {\n    d;\n}"),
    (
        "if-expression",
        "let a=if b=>{1}else=>{2}+3;",
        "let a = if b => {\n    1\n} else => {\n    2\n} + 3;",
    ),
    ("if as an argument", "f(if b=>{1}else=>{2});", "f(if b => {\n    1\n} else => {\n    2\n});"),
    (
        "struct",
        "struct A<T>{a:T,b:int}struct B{}",
        "struct A<T> {\n    a: T,\n    b: int\n}\nstruct B {}",
    ),
    (
        "match",
        "let a=match b{1=>{c:2},Some(Int)=>3,_=>{4},};",
        "let a = match b {\n    1 => {c: 2},\n    Some(Int) => 3,\n    _ => {4},\n};",
    ),
    ("match in an if", "if match a{_=>b}{c;}", "if match a {\n    _ => b\n} {\n    c;\n}"),
    ("map after a comparison", "if a=={b:1}{c;}", "if a == {b: 1} {\n    c;\n}"),
    ("kept break", "let a =\n  f(x)\n  .b;", "let a =\nf(x)\n.b;"),
    (
        "operator joins lines",
        "let a = b +\n  c\n  && d\n\n  == -\ne;",
        "let a = b + c && d == -\ne;",
    ),
    ("broken list", "f(\na,b,\n\n  c);", "f(\n    a,\n    b,\n\n    c\n);"),
    ("list broken late", "f(a,b,\nc,d);", "f(a, b,\n    c,\n    d\n);"),
    ("broken without commas", "f(\n  a\n);", "f(\n    a\n);"),
    (
        "only the innermost",
        "f(a, [\n1, 2], {b: 3, c: 4});",
        "f(a, [\n    1,\n    2\n], {b: 3, c: 4});",
    ),
    ("empty", "f(\n);let a=[ \n];{\n\n};", "f();\nlet a = [];\n{};"),
    # comments
    ("comment at the end", "a;   // b \nc; // d", "a; // b \nc; // d"),
    (
        "own line",
        "{\n    fn f() {\n // b\na }\n}",
        "{\n    fn f() {\n        // b\n        a\n    }\n}",
    ),
    ("after a brace", "while a { // b\nc; }", "while a { // b\n    c;\n}"),
    (
        "after an opener",
        "f(// b\na);let m={// b\na:1};",
        "f( // b\n    a\n);\nlet m = { // b\n    a: 1\n};",
    ),
    ("in a list", "f(a, // b\nc);", "f(a, // b\n    c\n);"),
    ("alone in a block", "while a {// b\n}", "while a { // b\n}"),
    ("between operators", "a + // b\nc;", "a + // b\nc;"),
    ("inline", "f(/* a */b,/* c */d/* e */);", "f(/* a */ b, /* c */ d /* e */);"),
    ("leads a statement", "a; /* b */ c;", "a;\n/* b */ c;"),
    ("ends a statement", "a; /* b */\nc;", "a; /* b */\nc;"),
    ("over lines", "fn f() {\na;/* b\n  c */ d }", "fn f() {\n    a;\n    /* b\n  c */ d\n}"),
    ("only a comment", "\n  // a", "// a"),
    # strings stay as they are
    ("string over lines", "let a = 'x\n   y' ;", "let a = 'x\n   y';"),
    ("line ends", "a;\r\nb; // c\r\n", "a;\nb; // c"),
]


def formatted(text: str) -> str:
    problems = Problems()
    result = format_source(SourceFile("t.rss", text), problems)
    assert result is not None, problems.items
    return result


@pytest.mark.parametrize(("text", "expected"), [c[1:] for c in CASES], ids=[c[0] for c in CASES])
def test_rule(text: str, expected: str) -> None:
    assert formatted(text) == expected + "\n"
    assert formatted(expected) == expected + "\n"


@pytest.mark.parametrize("text", ["", "  ", "\n\n\n"])
def test_nothing_stays_nothing(text: str) -> None:
    assert formatted(text) == ""


def test_a_list_breaks_when_it_does_not_fit() -> None:
    """The limit is 100 columns; each comma counts twice."""
    head = "let value = call("
    fits = f"{head}{'a' * 40}, {'b' * (100 - len(head) - 40 - 2 - 1 - 1)});"
    assert formatted(fits) == fits + "\n"
    wide = fits.replace("b)", "bb)")
    first, second = wide[len(head) : -2].split(", ")
    assert formatted(wide) == f"{head}\n    {first},\n    {second}\n);\n"


def test_a_group_without_commas_never_breaks() -> None:
    text = f"let a = f({'b' * 120});\nlet c = {' + '.join(['d'] * 60)};\n"
    assert formatted(text) == text


def test_problems_of_the_lexer_are_reported() -> None:
    problems = Problems()
    assert format_source(SourceFile("t.rss", "let a = #;\nlet b = 'c"), problems) is None
    assert [(p.code, p.span and p.span.line) for p in problems.items] == [
        ("E_UNEXPECTED_CHARACTER", 1),
        ("E_UNTERMINATED_STRING", 2),
    ]
