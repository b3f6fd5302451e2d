"""What interval analysis lets emission leave out, and what it must not.

The second of each pair of programs differs in one detail that takes the proof away.
"""

from __future__ import annotations

import time

import pytest

from flintc import compiler


def emitted(source: str) -> str:
    """The Python text of a program."""
    compiled = compiler.compile_text(source)
    assert compiled.ok, compiled.problems.items[0].title
    return compiled.modules[-1].text


LOOP = "let mut a = [1, 2, 3]; let mut i = 0; while {condition} {{ {body} i = i + 1; }}"

WITHOUT_HELPER = {
    "a counter": "let mut i = 0; while i < 9 { i = i + 1; } print(i);",
    "a bound from the condition": "let n = 7; let mut i = 0; while i < n { i = i + 5000; }",
    "a positive constant divisor": "let mut s = 1; for i in 0..9 { s = (s * 1103515245) % 1000; }",
    "an exact half": "let mut n = -64; while n != 1 { "
    "if n % 2 == 0 { n = n / 2; } else { n = 1; } }",
    "a difference of compared ints": "let a = [1, 2, 3]; let mut i = 5; let mut j = 0; "
    "while j < 9 { if i >= j { i = a.copy()[i - j]; } j = j + 1; }",
    "arguments of all calls": "fn f(n: int) -> int { n * n } print(f(3) + f(4));",
    "results": "fn f(n: int) -> int { n % 10 } print(f(3) + f(4));",
    "elements": "let mut m: map<int> = {}; for i in 0..9 { if m.has(i) { let k = m[i]; "
    "m[i] = k + 1; } else { m[i] = 0; } }",
    "a sum of bounded results": "fn f(n: int) -> int { n * 3 } let mut s = 0; "
    "for i in 0..60000 { s = s + f(i); } print(s);",
    "calls of a value": "fn twice(f: fn(int) -> int, x: int) -> int { f(f(x)) } "
    "fn inc(x: int) -> int { x + 1 } print(twice(inc, 5));",
    "recursion of bounded depth": "fn fib(n: int) -> int { if n < 2 => { n } else => "
    "{ fib(n - 1) + fib(n - 2) } } print(fib(20));",
    "a store below the length": LOOP.format(condition="i < a.length", body="a[i] = i;"),
    "a store into a literal": "let mut a = [1, 2, 3]; a[2] = 5;",
    "a store into a filled array": "let n = 9; let mut a: [int] = []; "
    "for i in 0..n { a[a.length] = 0; } let mut i = 0; while i < n { a[i] = i; i = i + 1; }",
    "a store at a copy that goes down": "let mut a = [5, 4, 3]; for i in 1..a.length { "
    "let mut j = i; while j >= 1 && a.copy()[j - 1] > 3 { a[j] = 3; j = j - 1; } a[j] = 0; }",
}

WITH_HELPER = {
    "a product": "let mut i = 1; while i != 0 { i = i * 3; } print(i);",
    "a step of any size": "fn f(n: int) -> int { let mut s = 0; let mut i = 0; while i < 9 { "
    "s = s + n; i = i + 1; } s } print(f(9223372036854775807));",
    "a condition that a later store takes back": LOOP.format(
        condition="i < a.length", body="i = i * 7; a[i] = i;"
    ),
    "a condition with an effect": "let mut a = [1]; let mut i = 0; "
    "if i < if true => { i = 5; 3 } else => { 4 } { a[i] = 1; }",
    "an odd half": "let mut n = -9; while n != 0 { "
    "if n % 2 != 0 { n = n / 2; } else { n = n / 4; } }",
    "a quarter of an even int": "fn f(n: int) -> int { if n % 2 == 0 => { n / 4 } else => { 0 } } "
    "print(f(-6));",
    "a store at the length": LOOP.format(condition="i <= a.length", body="a[i] = i;"),
    "another array's length": "let mut a = [1, 2]; let b = [1, 2, 3]; let mut i = 0; "
    "while i < b.length { a[i] = i; i = i + 1; }",
    "an array that is bound again": "let mut a = [1, 2, 3]; let mut i = 0; "
    "while i < a.length { a = [0]; a[i] = 1; i = i + 1; }",
    "a store before the first item": "let mut a = [1, 2, 3]; let mut i = 2; "
    "while i < a.length { a[i] = 0; i = i - 1; }",
    "an array that may not be filled": "let n = 9; let mut a: [int] = []; for i in 0..n { "
    "a[a.length] = 0; if i == 3 { break; } } let mut i = 0; while i < n { a[i] = i; i = i + 1; }",
    "a variable that a closure changes": "let mut a = [1, 2, 3]; let mut i = 0; "
    "let jump = || if true => { i = 50; 1 } else => { 0 }; "
    "if i < a.length { jump(); a[i] = 7; }",
    "a parameter of a function that is passed on": "fn f(n: int) -> int { n * n } "
    "let table = [f]; print(f(3));",
    "recursion that does not go down": "fn f(n: int) -> int { if n > 5 => { n } else => "
    "{ f(n + 1) * f(n + 1) } } print(f(0));",
}

HELPERS = ("wrap(", "div(", "rem(", "set_item(", "array_item(")


@pytest.mark.parametrize("name", WITHOUT_HELPER)
def test_proved(name: str) -> None:
    text = emitted(WITHOUT_HELPER[name])
    assert not [helper for helper in HELPERS if helper in text], text


@pytest.mark.parametrize("name", WITH_HELPER)
def test_not_proved(name: str) -> None:
    text = emitted(WITH_HELPER[name])
    assert [helper for helper in HELPERS if helper in text], text


def test_a_range_loop_over_an_array_that_keeps_its_length() -> None:
    source = "let mut a = [1, 2]; for i in 0..a.length { let k = a.copy()[i]; a[i] = k; } print(a);"
    assert "for i in range(len(a)):" in emitted(source)
    growing = "let mut a = [1, 2]; for i in 0..a.length { if i < 5 { a[a.length] = 0; } } print(a);"
    assert "for i in range(len(a)):" not in emitted(growing)


NEXT = "pub fn g(x: int) -> int { x + 1 }"
RECURSION = "fn f(n: int) -> int {{ if n < 1 => {{ 0 }} else => {{ 1 + f(n - 1) }} }} {call}"


@pytest.mark.parametrize(
    ("call", "counts"),
    [
        ("print(f(1023));", False),
        ("print(f(1024));", True),  # 1025 calls are one too many
        ("fn g() -> int { f(1022) } print(g());", False),
        ("fn g() -> int { f(1023) } print(g());", True),
        ("fn g(n: int) -> int { if n < 1 => { f(3) } else => { g(n) } } print(g(0));", True),
    ],
)
def test_recursion_is_counted_where_it_may_reach_the_limit(call: str, counts: bool) -> None:
    assert ("f(n - 1, DEEPER[depth])" in emitted(RECURSION.format(call=call))) is counts


def test_public_functions_may_be_called_with_anything() -> None:
    """Programs share the modules that they use, and what is emitted for them."""
    text = emitted("pub " + RECURSION.format(call="print(f(3)); print(g(3));") + NEXT)
    assert "@recursive\ndef f(" in text
    assert "wrap(x + 1)" in text


CALLABLES = """
fn inc(x: int) -> int { x + 1 }
fn apply(f: fn(int) -> int, x: int) -> int { f(x) }
"""


def test_a_function_value_that_is_followed_makes_no_recursion() -> None:
    both = "fn both(f: fn(int) -> int) -> fn(int) -> int { |x| f(x) } let one = both(inc);"
    assert "@recursive" not in emitted(f"{CALLABLES} {both} print(one(1));")


def test_a_function_value_from_anywhere_may_be_any_that_escaped() -> None:
    text = emitted(
        CALLABLES + "let fs: [fn(int) -> int] = [|x| apply(inc, x)]; print(apply(fs[0], 1));"
    )
    assert "@recursive\ndef apply(" in text


@pytest.mark.slow
def test_time_grows_with_the_program() -> None:
    """Facts, loops and names by the thousand: ten times the program, about ten times the time."""

    def seconds(count: int) -> float:
        part = "if x < {0} {{ x = x + 1; }} for i in 0..x {{ a[i % 3] = x - i; }} let y{0} = x;"
        source = "let mut x = 0; let mut a = [1, 2, 3];" + "".join(
            part.format(number) for number in range(count)
        )
        started = time.process_time()
        assert compiler.compile_text(source).ok
        return time.process_time() - started

    seconds(50)
    assert seconds(2000) < 10 * 2.5 * seconds(200)
