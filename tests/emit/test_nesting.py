"""Programs nested a thousand deep: they compile, and mean what they say (expected by hand)."""

from __future__ import annotations

import ast
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from flintc import compiler, execute
from flintc.emit import expressions, lifting, shape
from tests.emit.running import printed
from tests.oracle import generator, running

DEPTH = 1000


def nested(before: str, inner: str, after: str, depth: int = DEPTH) -> str:
    return before * depth + inner + after * depth


def chain(link: str, end: str, links: int) -> str:
    return " else ".join(link.replace("#", str(k)) for k in range(links)) + end


VALUES = {
    "brackets": (nested("(", "1", ")"), "1"),
    "sums": (nested("(1 + ", "1", ")"), "1001"),
    "differences": (nested("(", "1", " - 1)"), "-999"),
    "minus": ("-" * DEPTH + "one", "1"),
    "minus of brackets": (nested("-(", "one", ")", DEPTH + 1), "-1"),
    "not": ("!" * (DEPTH + 1) + "yes", "false"),
    "calls": (nested("next(", "0", ")"), "1000"),
    "calls with effects": (nested("add(1, ", "0", ")"), "1000"),
    "calls of a value": (nested("same(", "7", ")"), "7"),
    "arrays": (nested("[", "1", "]") + ".length", "1"),
    "maps": (nested("{a: ", "1", "}") + ".has('a')", "true"),
    "indices": (nested("(&zero)[", "0", "]"), "0"),
    "members": ("{a: {b: 3}}" + ".copy()" * DEPTH + ".a.b", "3"),
    "texts": (nested("('a' + ", "'b'", ")") + ".length", "1001"),
    "and": (nested("(yes && ", "no", ")"), "false"),
    "and, or": (nested("(yes && (no || ", "yes", "))", DEPTH // 2), "true"),
    "defaults": (nested("table?.b.unwrap_or(", "5", ")"), "5"),
    "conditions": (nested("(if ", "yes", " => { true } else => { false })"), "true"),
    "branches": (nested("if yes => { ", "8", " } else => { 0 }"), "8"),
    "matches": (nested("match 1 { 1 => ", "9", ", _ => 0 }"), "9"),
    "matched": (nested("(match ", "1", " { 1 => 1, _ => 0 })"), "1"),
}
PRELUDE = """
let one = 1;
let yes = true;
let no = false;
let zero = [0];
let table: map<int> = {a: 1};
let same: fn(int) -> int = |x| x;
fn next(n: int) -> int { n + 1 }
fn add(n: int, m: int) -> int { assert(n == 1); n + m }
"""
FUNCTION = "fn f(i: int) -> int { n += i; n }"  # uses a variable around it
RESULT = f"{FUNCTION} 1"
PROGRAMS = {
    "effects in branches": (
        "let mut c = 0; let x = "
        + nested("if c < 5000 => { c = c + 1; let d = c; ", "c", " + d - c } else => { 0 }")
        + "; print(x); print(' '); print(c);",
        "1000 1000",
    ),
    "effects in conditions": (
        "let mut c = 0; fn tick() -> bool { c = c + 1; c < 600 }"
        f"print({nested('(tick() && (no() || ', 'true', '))', DEPTH // 2)}); print(c);"
        "fn no() -> bool { false }",
        "true500",
    ),
    "a chain of else if": (
        "let k = 1999;" + chain("if k == # { print(#); }", " else { print(-1); }", 2000),
        "1999",
    ),
    "a chain of else if as a value": (
        f"let k = 499; print({chain('if k == # => { # }', ' else => { -1 }', 500)});",
        "499",
    ),
    "a chain of else if as a result": (
        f"fn f(k: int) -> int {{ {chain('if k == # => { # }', ' else => { -1 }', 500)} }}"
        "print(f(498)); print(f(5000));",
        "498-1",
    ),
    "a function declared in loops": (
        f"let mut n = 2; {nested('for k in 0..1 { ', FUNCTION, ' }', 30)}" "print(f(3)); print(n);",
        "55",
    ),
    "a function declared in branches": (
        f"let mut n = 2; let m = {nested('if n < 3 => { ', RESULT, ' } else => { n }', 80)}"
        "; print(f(3)); print(n); print(m);",
        "551",
    ),
    "a type": (f"let x: {'array<' * DEPTH}int{'>' * DEPTH} = []; print(x.length);", "0"),
    "types that are found": (
        f"let f = |x| x.length; print(f({nested('[', '1', ']')}));",
        "1",
    ),
}
PROGRAMS |= {kind: (f"{PRELUDE}print({value});", out) for kind, (value, out) in VALUES.items()}


@pytest.mark.parametrize("kind", PROGRAMS)
def test_nested_a_thousand_deep(kind: str) -> None:
    source, output = PROGRAMS[kind]
    compiled = compiler.compile_text(source, options=execute.in_memory_options())
    assert compiled.ok, compiled.problems.items[0].title
    compile(ast.parse(compiled.modules[-1].text), "printed", "exec")
    assert printed(compiled) == output


VALUES_AT: dict[str, Callable[[int], str]] = {
    "arrays": lambda depth: nested("[", "1", "]", depth),
    "sums": lambda depth: nested("(1 + ", "1", ")", depth),
    "and, or": lambda depth: nested("(yes && (no || ", "yes", "))", depth // 2),
    "branches": lambda depth: nested("if yes => { ", "8", " } else => { 0 }", depth),
    "closures": lambda depth: nested("|x| ", "1", "", depth),
}


@pytest.mark.parametrize("kind", VALUES_AT)
def test_compile_time_is_linear_in_nesting(kind: str) -> None:
    """Five times as deep takes about five times as long; quadratic would be 25 times."""
    shallow, deep = (_seconds(VALUES_AT[kind](depth)) for depth in (DEPTH // 5, DEPTH))
    assert deep < 12 * shallow


def _seconds(value: str) -> float:
    def once() -> float:
        began = time.process_time()
        assert compiler.compile_text(f"{PRELUDE}let x = {value};").ok
        return time.process_time() - began

    return min(once() for _ in range(2))


def test_a_thread_with_a_small_stack_compiles_deep_programs() -> None:
    outcomes: list[str] = []

    def work() -> None:
        source, _ = PROGRAMS["a chain of else if"]
        outcomes.append(printed(compiler.compile_text(source, options=execute.in_memory_options())))
        outcomes.append(str(compiler.compile_text(f"let x = {nested('[', '1', ']')};").ok))

    before = threading.stack_size(256 * 1024)
    try:
        thread = threading.Thread(target=work)
        thread.start()
    finally:
        threading.stack_size(before)
    thread.join()
    assert outcomes == ["1999", "True"]


@pytest.mark.parametrize(
    "source",
    [
        f"let mut n = 0; {nested('if n == 0 { ', 'n = 1;', ' }', 61)}",
        f"let f = {'|x| if true => { let y = x; ' * 150}1{' } else => { 0 }' * 150};",
        f"let x = {nested('(', '1', ')', 5000)};",
    ],
)
def test_what_python_could_not_read_is_a_problem(source: str) -> None:
    compiled = compiler.compile_text(source)
    assert [problem.code for problem in compiled.problems.items] == ["E_NESTING_TOO_DEEP"]


@pytest.mark.parametrize("seed", [0, 38, 102, 158])
def test_values_from_local_functions_are_the_same(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As if every value was nested too deep: random programs, compared with the oracle. They have
    `break` in values, copies, functions declared in values, and lifted arms of matches.
    """
    monkeypatch.setattr(lifting, "MAX_DEPTH", 1)
    monkeypatch.setattr(shape, "MAX_HEIGHT", 4)
    monkeypatch.setattr(expressions, "MAX_HEIGHT", 4)
    source = generator.generate(seed)
    outcome = running.comparable(running.expected(source, 20_000))
    program = running.compiled(source)
    assert "def inner_value" in program.modules[-1].text
    assert running.comparable(running.run_tree(program)) == outcome
    assert running.comparable(running.run_text(program)) == outcome


def test_other_modules_call_a_function_declared_in_loops(tmp_path: Path) -> None:
    declared = nested("for k in 0..1 { ", "pub fn more(i: int) -> int { n += i; n }", " }", 30)
    (tmp_path / "lib.rss").write_text(f"let mut n = 2; {declared}")
    (tmp_path / "main.rss").write_text("use lib; print(lib::more(1)); print(lib::more(1));")
    assert execute.run_json(str(tmp_path / "main.rss"))["stdout"] == "34"
