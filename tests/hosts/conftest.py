"""A package of the user with host functions, in a folder of its own."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

OPS = '''
"""Operations of the user."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Optional


class Picture:
    def __init__(self, width: int) -> None:
        self.width = width


class Integer(int):
    pass


def scale(x: float, by: float = 2.0) -> float:
    """Multiply."""
    return x * by


def kind(x: float) -> str:
    return type(x).__name__


def halved(x: float | None) -> float | None:
    return None if x is None else x / 2


def total(items: list[int]) -> int:
    items.append(1000)
    return sum(items)


def find(entries: dict[str, int], key: str) -> int | None:
    entries["found"] = 1
    return entries.get(key)


def shout(text: Optional[str], loud: bool) -> "str | None":
    return text.upper() if text is not None and loud else text


def backwards(data: bytes) -> bytes:
    return data[::-1]


def nothing() -> None:
    pass


def twice(function: Callable[[int], int], x: int) -> int:
    return function(function(x))


def adder(n: int) -> Callable[[int], int]:
    return lambda x: x + n


def open_picture(width: int) -> Picture:
    return Picture(width)


def width(picture: Picture | None) -> int:
    return -1 if picture is None else picture.width


def echo(x: object) -> Any:
    return x


def nested(size: int) -> dict[str, list[float]]:
    return {"values": [float(at) for at in range(size)]}


def fails(x: int) -> int:
    raise ValueError(f"no {x}")


def fails_in_a_map() -> int:
    return {}["key"]


def returns(what: str) -> float:
    return {"int": 3, "big": 2.0**70, "none": None, "text": "x"}[what]


def integer(what: str) -> int:
    return {"big": 2**70, "subclass": Integer(3), "bool": True, "float": 3.0}[what]


def items(what: str) -> list[int]:
    return {"tuple": (1, 2), "text": [1, "x"], "deep": [1, 2**63]}[what]


def anything(what: str) -> object:
    return {"tuple": (1, 2), "big": [2**63], "subclass": Integer(3)}[what]


def words(text: set[str]) -> int:
    return len(text)


def partly(x: int, y) -> int:
    return x


def without_result(x: int):
    return x


async def later(x: int) -> int:
    return x


def many(*values: int) -> int:
    return len(values)


def named(x: int, *, y: int) -> int:
    return x + y


def either(x: int | str) -> int:
    return 1


def bare(x: list) -> int:
    return 1


def plain(x):
    return x


def _private(x: int) -> int:
    return x
'''


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The current folder, with `mypackage/ops.py`; what the test imports from it is forgotten."""
    package = tmp_path / "mypackage"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "ops.py").write_text(OPS)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    before = set(sys.modules)
    yield tmp_path
    for name in set(sys.modules) - before:
        if name.split(".")[0] in ("mypackage", "lengths", "broken", "tools"):
            del sys.modules[name]
