"""Go to definition leads into Python: host functions, their namespaces, modules of the user."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlparse

import pytest
from lsprotocol import types

import flint.lang.std.math
import flint.runtime.llama
import flint.runtime.tensor
from tests.lsp.client import cursor, editor
from tests.lsp.conftest import Session


@pytest.mark.parametrize(
    ("marked", "function"),
    [
        ("use flint;\nflint::tensor::size¦(0, 1);\n", flint.runtime.tensor.size),
        ("use flint as f;\nprint(f::llama::model¦_load(0, 0));\n", flint.runtime.llama.model_load),
        ("use math;\nprint(math::¦sqrt(4.0));\n", flint.lang.std.math.sqrt),
    ],
)
def test_a_host_function_leads_to_its_def(
    session: Session, marked: str, function: Callable[..., Any]
) -> None:
    code = inspect.unwrap(function)
    path, line = _place(session.ask("definition", "python.rss", marked))
    assert path == Path(inspect.getfile(code)).resolve()
    assert path.read_text(encoding="utf-8").splitlines()[line].startswith(f"def {code.__name__}(")


def _place(found: types.Location) -> tuple[Path, int]:
    return Path(unquote(urlparse(found.uri).path)), found.range.start.line


@pytest.mark.parametrize(
    ("marked", "module"),
    [
        ("use flint;\nprint(flint::ten¦sor::size(0, 1));\n", "runtime/tensor"),
        ("use fli¦nt;\nprint(flint::tensor::size(0, 1));\n", "runtime/__init__.py"),
        ("use ma¦th;\nprint(math::sqrt(4.0));\n", "std/math.py"),
    ],
)
def test_a_namespace_leads_to_its_module(session: Session, marked: str, module: str) -> None:
    path, line = _place(session.ask("definition", "python.rss", marked))
    assert module in path.as_posix()
    assert path.is_file()
    assert line == 0


def test_every_part_of_a_use_path_leads_to_the_file(session: Session) -> None:
    (session.folder / "inner").mkdir()
    (session.folder / "inner" / "deep.rss").write_text("pub fn one() -> int { 1 }\n")
    text = "use inn¦er::deep;\nprint(deep::one());\n"
    path, _ = _place(session.ask("definition", "outer.rss", text))
    assert path == session.folder / "inner" / "deep.rss"


OPS = '''\
"""Functions of the user."""


def scale(x: float) -> float:
    """Twice as much."""
    return 2.0 * x
'''


def test_modules_of_the_user(tmp_path: Path) -> None:
    (tmp_path / "ops.py").write_text(OPS, encoding="utf-8")
    text, at = cursor("use ops;\nprint(ops::sca¦le(1.0));\n")

    async def act() -> tuple[types.Location, types.Hover]:
        async with editor(tmp_path, "--host", "ops") as session:
            uri = (tmp_path / "a.rss").as_uri()
            session.open(uri, text)
            assert await session.problems(uri) == []
            return await session.ask("definition", uri, at), await session.ask("hover", uri, at)

    found, hover = asyncio.run(act())
    assert _place(found) == (tmp_path / "ops.py", 3)
    assert "Twice as much." in str(hover.contents)
