"""Arguments that are given away cost no copy; where a copy is needed, it is where the value is."""

from __future__ import annotations

import flint

PUSH = "fn push(xs: [int], v: int) -> [int] { xs[xs.length] = v; xs }\n"


def emitted(program: str) -> str:
    return flint.compile_source(PUSH + program).python


def test_a_list_built_by_a_function_is_never_copied() -> None:
    """Otherwise n calls would take time in the square of n."""
    loop = "let mut xs: [int] = []; for i in 0..9 { xs = push(xs, i); } println(xs.length);"
    assert ".copy()" not in emitted(loop)
    assert ".copy()" not in emitted(f"fn build() -> int {{ {loop} 0 }} build();")


def test_a_parameter_that_a_loop_gives_away_is_copied_once_at_most() -> None:
    fill = "fn fill(xs: [int]) -> [int] { for i in 0..9 { xs = push(xs, i); } xs }\n"
    assert ".copy()" not in emitted(fill + "println(fill([1]));")
    named = emitted(fill + "let a: [int] = [1]; println(fill(a)); println(a);")
    assert named.count(".copy()") == 1
    assert "xs = xs.copy()\n    for i in range(9)" in named


def test_what_is_read_again_is_copied_for_the_call() -> None:
    text = emitted("let a: [int] = [1]; println(push(a, 2)); println(push([3], 4)); println(a);")
    assert text.count(".copy()") == 1
    assert "push(a.copy(), 2)" in text


def test_functions_that_others_may_call_copy_what_they_change() -> None:
    public = PUSH.replace("fn push", "pub fn push")
    call = "let mut xs: [int] = []; xs = push(xs, 1); println(xs);"
    assert "xs = xs.copy()" in flint.compile_source(public + call).python
    as_value = f"let f: fn([int], int) -> [int] = push; println(f([1], 2)); {call}"
    assert "xs = xs.copy()" in emitted(as_value)
