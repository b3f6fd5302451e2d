"""`flint.lang.compiled` agrees with `flint.lang`, of which it has the usual cases by itself."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from flint import lang
from flint.lang import compiled

EDGES = [0, 1, -1, 2, -7, 7, 1 << 61, 1 << 62, (1 << 62) - 1, -(1 << 62), -(1 << 62) - 1]
EDGES += [(1 << 63) - 1, 1 << 63, -(1 << 63), -(1 << 63) - 1, 1 << 64, 3 << 70]
INTS = [number for number in EDGES if -(1 << 63) <= number < 1 << 63]


def outcome(function: Callable[..., Any], *arguments: object) -> tuple[object, str]:
    try:
        return function(*arguments), ""
    except lang.ScriptError as error:
        return None, str(error)


@pytest.mark.parametrize("number", EDGES)
def test_wrap(number: int) -> None:
    assert compiled.wrap(number) == lang.wrap(number)


@pytest.mark.parametrize("name", ["div", "rem"])
@pytest.mark.parametrize("dividend", INTS)
def test_division(name: str, dividend: int) -> None:
    for divisor in INTS:
        ours = outcome(getattr(compiled, name), dividend, divisor)
        assert ours == outcome(getattr(lang, name), dividend, divisor), divisor


@pytest.mark.parametrize(
    ("name", "container"),
    [("array_item", [1, "two"]), ("string_item", "é2"), ("bytes_item", b"ab")],
)
@pytest.mark.parametrize("index", [-1, 0, 1, 2, 1 << 40])
def test_items(name: str, container: Any, index: int) -> None:
    ours = outcome(getattr(compiled, name), container, index)
    assert ours == outcome(getattr(lang, name), container, index)
    assert (ours[1] == "") == (0 <= index < 2)


@pytest.mark.parametrize("container", [[1, 2], {"a": 1}, {2: 1}, "text", 5])
@pytest.mark.parametrize("key", [-1, 0, 1, 2, 3, "a", True, 1.0])
@pytest.mark.parametrize("value", [9, None])
def test_set_item(container: Any, key: object, value: object) -> None:
    mine = container.copy() if isinstance(container, (list, dict)) else container
    other = container.copy() if isinstance(container, (list, dict)) else container
    ours = outcome(compiled.set_item, mine, key, value)
    assert ours == outcome(lang.set_item, other, key, value)
    assert mine == other


def test_the_limit_of_nested_calls() -> None:
    assert [compiled.deeper(depth) for depth in (1, 2, 1023)] == [
        lang.DEEPER[depth] for depth in (1, 2, 1023)
    ]
    with pytest.raises(IndexError, match="tuple index out of range"):  # as `DEEPER` itself
        compiled.deeper(1024)
