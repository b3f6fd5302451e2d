"""Module `lrucache` (language reference 7.9): each function by hand, then any sequence of
operations against a plain model.
"""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from flint.lang.errors import HostError
from flint.runtime.context import run
from flintc.compiler import compile_text
from flintc.execute import LoadedProgram, in_memory_options, load

Evaluate = Callable[[str], list[object]]

USE = "use stdlib::rss::lrucache as m;\n"
ABC = f"""{USE}let mut c = m::new::<string, int>(3);
c = m::put::<string, int>(c, "a", 1);
c = m::put::<string, int>(c, "b", 2);
c = m::put::<string, int>(c, "c", 3);
"""


def row(key: object, value: object) -> dict[str, object]:
    return {"key": key, "value": value}


@pytest.mark.parametrize(
    ("capacity", "expected"), [("2", [2, 0, True]), ("0", [0, 0, True]), ("-7", [0, 0, True])]
)
def test_new(evaluate: Evaluate, capacity: str, expected: list[object]) -> None:
    script = f"""let c = m::new::<string, int>({capacity});
m::capacity::<string, int>(c); m::len::<string, int>(c); m::is_empty::<string, int>(c);"""
    assert evaluate(USE + script) == expected


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("m::len::<string, int>(c)", 3),
        ("m::is_empty::<string, int>(c)", False),
        ("m::capacity::<string, int>(c)", 3),
        ('m::has::<string, int>(c, "b")', True),
        ('m::has::<string, int>(c, "d")', False),
        ("m::keys::<string, int>(c)", ["a", "b", "c"]),
        ("m::values::<string, int>(c)", [1, 2, 3]),
        ("m::entries::<string, int>(c)", [row("a", 1), row("b", 2), row("c", 3)]),
        ("m::oldest::<string, int>(c)", {"found": True, "key": "a", "value": 1}),
        ("m::newest::<string, int>(c)", {"found": True, "key": "c", "value": 3}),
        ('m::peek::<string, int>(c, "b")', {"found": True, "value": 2}),
        ('m::peek::<string, int>(c, "d")', {"found": False}),
    ],
)
def test_looking_at_a_cache(evaluate: Evaluate, expression: str, expected: object) -> None:
    keys_after = "m::keys::<string, int>(c);"
    assert evaluate(f"{ABC}{expression}; {keys_after}") == [expected, ["a", "b", "c"]]


@pytest.mark.parametrize(
    ("operation", "entries"),
    [
        ('m::put::<string, int>(c, "d", 4)', [("b", 2), ("c", 3), ("d", 4)]),
        ('m::put::<string, int>(c, "a", 9)', [("b", 2), ("c", 3), ("a", 9)]),
        ('m::put::<string, int>(c, "b", 9)', [("a", 1), ("c", 3), ("b", 9)]),
        ('m::put::<string, int>(c, "c", 9)', [("a", 1), ("b", 2), ("c", 9)]),
        ('m::touch::<string, int>(c, "a")', [("b", 2), ("c", 3), ("a", 1)]),
        ('m::touch::<string, int>(c, "b")', [("a", 1), ("c", 3), ("b", 2)]),
        ('m::touch::<string, int>(c, "c")', [("a", 1), ("b", 2), ("c", 3)]),
        ('m::touch::<string, int>(c, "z")', [("a", 1), ("b", 2), ("c", 3)]),
        ('m::remove::<string, int>(c, "a")', [("b", 2), ("c", 3)]),
        ('m::remove::<string, int>(c, "b")', [("a", 1), ("c", 3)]),
        ('m::remove::<string, int>(c, "c")', [("a", 1), ("b", 2)]),
        ('m::remove::<string, int>(c, "z")', [("a", 1), ("b", 2), ("c", 3)]),
        ("m::clear::<string, int>(c)", []),
    ],
)
def test_changes_give_a_new_cache(
    evaluate: Evaluate, operation: str, entries: list[tuple[str, int]]
) -> None:
    script = f"""let changed = {operation};
m::entries::<string, int>(changed); m::len::<string, int>(changed);
m::capacity::<string, int>(changed); m::keys::<string, int>(c);"""
    rows = [row(key, value) for key, value in entries]
    assert evaluate(ABC + script) == [rows, len(rows), 3, ["a", "b", "c"]]


def test_get_promotes_in_the_cache_it_gives(evaluate: Evaluate) -> None:
    script = """let hit = m::get::<string, int>(c, "a");
hit.found; hit.value; m::keys::<string, int>(&hit.cache); m::keys::<string, int>(c);
let miss = m::get::<string, int>(c, "z");
miss.has("value"); miss.found; m::keys::<string, int>(&miss.cache);"""
    kept = ["a", "b", "c"]
    assert evaluate(ABC + script) == [True, 1, ["b", "c", "a"], kept, False, False, kept]


def test_value_of_a_miss_is_no_key(evaluate: Evaluate) -> None:
    with pytest.raises(HostError, match="map key not found"):
        evaluate(ABC + 'let miss = m::get::<string, int>(c, "z");\nmiss.value;')


def test_an_empty_cache_has_no_ends(evaluate: Evaluate) -> None:
    script = """let c = m::new::<int, string>(1);
m::oldest::<int, string>(c); m::newest::<int, string>(c); m::entries::<int, string>(c);"""
    assert evaluate(USE + script) == [{"found": False}, {"found": False}, []]


def test_a_removed_key_comes_back_as_the_newest(evaluate: Evaluate) -> None:
    script = """c = m::remove::<string, int>(c, "a");
c = m::put::<string, int>(c, "a", 7);
m::entries::<string, int>(c);"""
    assert evaluate(ABC + script) == [[row("b", 2), row("c", 3), row("a", 7)]]


@pytest.mark.parametrize(
    ("types", "keys"),
    [("int, int", "1 2"), ("bool, int", "true false"), ("bytes, int", 'b"x" b"y"')],
)
def test_keys_of_other_types(evaluate: Evaluate, types: str, keys: str) -> None:
    first, second = keys.split()
    script = f"""let mut c = m::new::<{types}>(1);
c = m::put::<{types}>(c, {first}, 10);
c = m::put::<{types}>(c, {second}, 20);
m::has::<{types}>(c, {first}); m::has::<{types}>(c, {second}); m::values::<{types}>(c);"""
    assert evaluate(USE + script) == [False, True, [20]]


class Model:
    """The cache as a list of pairs, the oldest first."""

    def __init__(self, capacity: int) -> None:
        self.capacity = capacity
        self.pairs: list[tuple[int, int]] = []

    def apply(self, operation: str, key: int, value: int) -> None:
        found = dict(self.pairs).get(key)
        rest = [pair for pair in self.pairs if pair[0] != key]
        if operation == "put":
            self.pairs = [*rest, (key, value)][-self.capacity :] if self.capacity else []
        elif operation == "remove":
            self.pairs = rest
        elif found is not None:
            self.pairs = [*rest, (key, found)]


DRIVER = f"""{USE}use json;
use flint;
let operations: [string] = json::decode(flint::runtime::arg(1));
let keys: [int] = json::decode(flint::runtime::arg(2));
let mut c = m::new::<int, int>(flint::runtime::arg_int(0));
for i in 0..operations.length {{
    let operation: string = &operations[i];
    let key: int = &keys[i];
    if operation == "put" {{ c = m::put::<int, int>(c, key, i); }}
    else if operation == "get" {{ c = m::get::<int, int>(c, key).cache; }}
    else if operation == "touch" {{ c = m::touch::<int, int>(c, key); }}
    else {{ c = m::remove::<int, int>(c, key); }}
    m::entries::<int, int>(c);
}}"""

OPERATIONS = st.lists(
    st.tuples(st.sampled_from(["put", "put", "touch", "get", "remove"]), st.integers(0, 4)),
    max_size=25,
)


@pytest.fixture(scope="session")
def driver() -> LoadedProgram:
    compiled = compile_text(DRIVER, options=in_memory_options(record=True))
    assert compiled.problems.items == []
    return load(compiled)


@given(capacity=st.integers(0, 4), operations=OPERATIONS)
def test_any_sequence_agrees_with_the_model(
    driver: LoadedProgram, capacity: int, operations: list[tuple[str, int]]
) -> None:
    model = Model(capacity)
    expected: list[object] = []
    for value, (operation, key) in enumerate(operations):
        model.apply(operation, key, value)
        expected.append([row(key, value) for key, value in model.pairs])
    names, keys = ([pair[i] for pair in operations] for i in (0, 1))
    results: list[object] = []
    run(driver.main(results.append), [str(capacity), json.dumps(names), json.dumps(keys)])
    assert results == expected
