"""One server for all tests of a file, with a loop of its own in another thread."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Coroutine, Iterator
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types

from tests.lsp.client import TIMEOUT, Editor, cursor, editor


class Session:
    """The editor for tests that are not coroutines: each text is a file of its own."""

    def __init__(self, editor: Editor, folder: Path, loop: asyncio.AbstractEventLoop) -> None:
        self.editor = editor
        self.folder = folder
        self.loop = loop

    def run(self, work: Coroutine[Any, Any, Any]) -> Any:
        return asyncio.run_coroutine_threadsafe(work, self.loop).result(TIMEOUT)

    def uri(self, name: str) -> str:
        return (self.folder / name).as_uri()

    def open(self, name: str, marked: str) -> types.Position:
        """Open or change a file; the place of the `¦` in it."""
        text, at = cursor(marked)
        uri = self.uri(name)
        action = self.editor.change if uri in self.editor.versions else self.editor.open

        async def act() -> None:
            action(uri, text)

        self.run(act())
        return at

    def close(self, name: str) -> None:
        uri = self.uri(name)
        del self.editor.versions[uri]

        async def act() -> None:
            self.editor.close(uri)

        self.run(act())

    def problems(self, name: str) -> list[types.Diagnostic]:
        found: list[types.Diagnostic] = self.run(self.editor.problems(self.uri(name)))
        return found

    def ask(self, method: str, name: str, marked: str, **more: Any) -> Any:
        """Open a file, wait until it is analysed, and ask about the place of the `¦`."""
        at = self.open(name, marked)
        self.problems(name)
        return self.at(method, name, at, **more)

    def at(self, method: str, name: str, at: types.Position, **more: Any) -> Any:
        return self.run(self.editor.ask(method, self.uri(name), at, **more))


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Session]:
    folder = tmp_path_factory.mktemp("workspace")
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever)
    thread.start()
    context = editor(folder)

    def wait(work: Coroutine[Any, Any, Any]) -> Any:
        return asyncio.run_coroutine_threadsafe(work, loop).result(TIMEOUT)

    yield Session(wait(context.__aenter__()), folder, loop)
    wait(context.__aexit__(None, None, None))
    loop.call_soon_threadsafe(loop.stop)
    thread.join()
    loop.close()
