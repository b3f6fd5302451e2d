"""The limit of 1,024 nested calls, to the call (language.md 5.8): who counts, and how.

Each program takes the depth of its deepest call for `DEPTH`, worked out by hand; the oracle agrees.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator

import pytest

from flint.lang.errors import CALL_LIMIT
from tests.oracle.running import compiled, expected, run_text, run_tree

DOWN = "fn down(n: int) -> int { if n < 2 => { 0 } else => { down(n - 1) } }"
CHAIN = "fn f1(n: int) -> int { n } " + "".join(
    f"fn f{k}(n: int) -> int {{ f{k - 1}(n) }} " for k in range(2, CALL_LIMIT + 2)
)
LOOPS = "".join(f"for i{k} in 0..1 {{ " for k in range(14))

EXACT = {
    "one function": DOWN + "print(down(DEPTH));",
    "two functions": """
        fn even(n: int) -> bool { if n < 2 => { true } else => { odd(n - 1) } }
        fn odd(n: int) -> bool { if n < 2 => { false } else => { even(n - 1) } }
        print(even(DEPTH));
    """,
    "a caller": DOWN + "fn start(n: int) -> int { down(n) } print(start(DEPTH - 1));",
    "a caller at two depths": DOWN
    + """
        fn start(n: int) -> int { down(n) }
        fn outer(n: int) -> int { start(n) }
        print(start(3));
        print(outer(DEPTH - 2));
    """,
    "a helper": """
        fn half(n: int) -> int { print(n); n / 2 }
        fn f(n: int) -> int { if n < 3 => { half(n) } else => { let k = half(0); f(n - 1) } }
        print(f(DEPTH));
    """,
    "a helper of a helper": """
        fn inner(n: int) -> int { n }
        fn outer(n: int) -> int { inner(n) }
        fn f(n: int) -> int { if n < 4 => { outer(n) } else => { f(n - 1) } }
        print(f(DEPTH));
    """,
    "a closure that starts it": DOWN
    + "let limit = DEPTH - 1; let start = |n| down(limit + n); print(start(0));",
    "a function with captures": """
        let mut calls = 0;
        fn f(n: int) -> int { calls = calls + 1; if n < 2 => { 0 } else => { f(n - 1) } }
        print(f(DEPTH));
        print(calls);
    """,
    "arguments with effects": """
        fn noisy(n: int) -> int { print("x"); n }
        fn f(a: int, n: int) -> int { if n > 1 => { f(noisy(n), n - 1) } else => { noisy(a) } }
        print(f(0, DEPTH - 1));
    """,
    "names that are taken": """
        fn f(depth: int, DEEPER: int) -> int {
            let _depth = 1;
            if depth < 2 => { _depth } else => { f(depth - 1, DEEPER) }
        }
        print(f(DEPTH, 5));
    """,
    "a function of the name": """
        fn depth(n: int) -> int { if n < 2 => { 0 } else => { depth(n - 1) } }
        print(depth(DEPTH));
    """,
    "calls inside many loops": "fn f(n: int) -> int { let mut r = 0; "
    + LOOPS
    + "if n > 1 { r = f(n - 1); }"
    + "}" * 14
    + "r } print(f(DEPTH));",
    "no recursion": CHAIN + "print(if DEPTH > 1024 => { f1025(1) } else => { f1024(1) });",
    "a value that is passed on": """
        fn f(g: fn(int) -> int, n: int) -> int { if n < 2 => { 0 } else => { f(g, n - 1) } }
        print(f(|x| x, DEPTH));
    """,
    "calls of a value": """
        fn again(g: fn(int) -> int, n: int) -> int { g(n) }
        fn f(n: int) -> int { if n < 3 => { n - 1 } else => { again(f, n - 2) } }
        print(f(DEPTH));
    """,
    "a closure that calls itself": """
        let f = |n| if n < 2 => { 0 } else => { let r: int = f(n - 1); r };
        print(f(DEPTH));
    """,
}


@pytest.fixture
def deep_stack() -> Iterator[None]:
    """The oracle needs a dozen Python frames a call."""
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(100_000)
    yield
    sys.setrecursionlimit(limit)


@pytest.mark.usefixtures("deep_stack")
@pytest.mark.parametrize("depth", [CALL_LIMIT, CALL_LIMIT + 1])
@pytest.mark.parametrize("kind", EXACT)
def test_the_last_call_that_fits_and_the_first_that_does_not(kind: str, depth: int) -> None:
    source = EXACT[kind].replace("DEPTH", str(depth))
    outcome = expected(source)
    too_deep = "script call stack limit 1024 exceeded" if depth > CALL_LIMIT else None
    assert outcome.error == too_deep
    program = compiled(source)
    for run in (run_tree, run_text):
        assert run(program) == outcome
