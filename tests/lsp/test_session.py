"""The server's own work, without a client: what requests wait for, and what starts an analysis."""

from __future__ import annotations

import asyncio
import threading
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types

from flintc import compiler
from flintc.lsp import session
from flintc.lsp.positions import Positions
from flintc.lsp.session import Server
from flintc.lsp.snapshot import Snapshot, take

TEXT = "let total = 1;\nprint(total);\n"
SECONDS = 20


class Offline(Server):
    """A server that counts what it publishes, instead of sending it."""

    def __init__(self) -> None:
        super().__init__(compiler.host_catalogue())
        self.published: list[tuple[str, list[str]]] = []

    def publish(self, uri: str, diagnostics: list[types.Diagnostic], version: int | None) -> None:
        self.published.append((uri, [str(each.code) for each in diagnostics]))

    def positions(self, text: str) -> Positions:
        return Positions(text)

    async def published_of(self, path: Path, codes: list[str]) -> None:
        """Wait until these are the problems of a file."""

        async def wait() -> None:
            while (path.as_uri(), codes) not in self.published[-3:]:
                await asyncio.sleep(0.01)

        await asyncio.wait_for(wait(), SECONDS)


def test_an_answer_does_not_wait_for_a_long_analysis(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    released = threading.Event()

    def slow(path: str, text: str, *more: Any) -> Snapshot:
        if text != TEXT:
            released.wait(SECONDS)
        return take(path, text, *more)

    async def act() -> None:
        server = Offline()
        uri = (tmp_path / "a.rss").as_uri()
        server.open(uri, TEXT, 1)
        first = await server.ready(uri)
        assert first is not None
        monkeypatch.setattr(session, "take", slow)
        server.open(uri, TEXT + "print(tot", 2)
        now = await asyncio.wait_for(server.ready(uri), SECONDS / 2)
        assert now is not None
        assert now.latest is not None
        assert now.latest.text == TEXT  # and the place is carried over to the new text
        assert now.text == TEXT + "print(tot"
        released.set()
        current = await server.ready(uri, current=True)
        assert current is not None
        assert current.latest is not None
        assert current.latest.text == current.text

    try:
        asyncio.run(act())
    finally:
        released.set()


def test_users_of_a_module_are_analysed_once_when_the_typing_rests(tmp_path: Path) -> None:
    (tmp_path / "shapes.rss").write_text("pub fn area() -> int { 1 }\n", encoding="utf-8")

    async def act() -> None:
        server = Offline()
        user, module = tmp_path / "user.rss", tmp_path / "shapes.rss"
        server.open(user.as_uri(), "use shapes;\nprint(shapes::area());\n", 1)
        await server.published_of(user, [])
        server.published.clear()
        for version, name in enumerate(("a", "ar", "are", "areas"), start=1):
            server.open(module.as_uri(), f"pub fn {name}() -> int {{ 1 }}\n", version)
            await asyncio.sleep(0.03)
        await server.published_of(user, ["E_UNKNOWN_FUNCTION"])
        assert [uri for uri, _ in server.published].count(user.as_uri()) == 1

    asyncio.run(act())


def test_a_module_that_comes_or_goes_on_disk_is_noticed(tmp_path: Path) -> None:
    async def act() -> None:
        server = Offline()
        user, module = tmp_path / "user.rss", tmp_path / "shapes.rss"
        module.write_text("pub fn area() -> int { 1 }\n", encoding="utf-8")
        server.open(user.as_uri(), "use self::shapes;\nprint(shapes::area());\n", 1)
        await server.published_of(user, [])
        module.unlink()
        server.files_changed()
        await server.published_of(user, ["E_FILE_NOT_FOUND"])
        module.write_text("pub fn area() -> int { 1 }\n", encoding="utf-8")
        server.files_changed()
        await server.published_of(user, [])

    asyncio.run(act())


def test_an_error_that_only_another_open_program_has_is_shown(tmp_path: Path) -> None:
    async def act() -> None:
        server = Offline()
        user, module = tmp_path / "user.rss", tmp_path / "shapes.rss"
        server.open(module.as_uri(), "pub fn half(a) -> int { a }\n", 1)
        await server.published_of(module, ["E_NOT_CONCRETE"])
        server.open(user.as_uri(), 'use shapes;\nlet n: int = shapes::half("a");\n', 1)
        await server.published_of(module, ["E_NOT_CONCRETE", "E_TYPE_MISMATCH"])
        server.close(user.as_uri())
        await server.published_of(module, ["E_NOT_CONCRETE"])

    asyncio.run(act())


def test_an_import_cycle_is_shown_though_both_files_are_open(tmp_path: Path) -> None:
    async def act() -> None:
        server = Offline()
        files = [tmp_path / "one.rss", tmp_path / "two.rss"]
        for path in files:
            path.write_text(f"use self::{'two' if path.stem == 'one' else 'one'};\n")
            server.open(path.as_uri(), path.read_text(), 1)
        for path in files:
            await server.published_of(path, ["E_IMPORT_CYCLE"])

    asyncio.run(act())
