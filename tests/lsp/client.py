"""A real language client over pipes: pygls' own, against `python -m flintc lsp`."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from lsprotocol import types
from pygls.lsp.client import LanguageClient

ROOT = Path(__file__).resolve().parents[2]
TIMEOUT = 20


class Editor:
    """One client with files open in the server; places are given as text with `¦` at the cursor."""

    def __init__(self, client: LanguageClient) -> None:
        self.client = client
        self.diagnostics: dict[str, types.PublishDiagnosticsParams] = {}
        self.news = asyncio.Condition()
        self.versions: dict[str, int] = {}

        @client.feature(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)
        async def published(params: types.PublishDiagnosticsParams) -> None:
            async with self.news:
                self.diagnostics[params.uri] = params
                self.news.notify_all()

    def open(self, uri: str, text: str) -> None:
        self.versions[uri] = 1
        item = types.TextDocumentItem(uri, "rustscript", 1, text)
        self.client.text_document_did_open(types.DidOpenTextDocumentParams(item))

    def change(self, uri: str, text: str) -> None:
        self.versions[uri] += 1
        document = types.VersionedTextDocumentIdentifier(self.versions[uri], uri)
        change = types.TextDocumentContentChangeWholeDocument(text)
        self.client.text_document_did_change(types.DidChangeTextDocumentParams(document, [change]))

    def close(self, uri: str) -> None:
        document = types.TextDocumentIdentifier(uri)
        self.client.text_document_did_close(types.DidCloseTextDocumentParams(document))

    async def problems(self, uri: str, version: int | None = None) -> list[types.Diagnostic]:
        """The problems of a version of a file (of the current one), when they have come."""
        wanted = self.versions.get(uri) if version is None else version

        def is_there() -> bool:
            found = self.diagnostics.get(uri)
            return found is not None and found.version == wanted

        async with self.news:
            await asyncio.wait_for(self.news.wait_for(is_there), TIMEOUT)
        return list(self.diagnostics[uri].diagnostics)

    async def ask(self, method: str, uri: str, at: types.Position, **more: Any) -> Any:
        """The result of a request about a place in a file."""
        name = "".join(word.capitalize() for word in method.split("_"))
        kind = getattr(types, f"{name.replace('References', 'Reference')}Params")
        params = kind(text_document=types.TextDocumentIdentifier(uri), position=at, **more)
        request = getattr(self.client, f"text_document_{method}_async")
        return await asyncio.wait_for(request(params), TIMEOUT)


def cursor(marked: str) -> tuple[str, types.Position]:
    """A text without its `¦`, and where that was, in UTF-16 units."""
    before, _, after = marked.partition("¦")
    line = before.count("\n")
    column = len(before[before.rfind("\n") + 1 :].encode("utf-16-le")) // 2
    return before + after, types.Position(line, column)


@asynccontextmanager
async def editor(folder: Path, *options: str) -> AsyncIterator[Editor]:
    """A running server with `folder` as its workspace."""
    client = LanguageClient("tests", "1")
    path = os.pathsep.join([str(ROOT), str(ROOT / "runtime")])
    environment = {**os.environ, "PYTHONPATH": path}
    command = [sys.executable, "-m", "flintc", "lsp", *options]
    await client.start_io(*command, env=environment, cwd=str(folder))
    result = Editor(client)
    await client.initialize_async(
        types.InitializeParams(capabilities=types.ClientCapabilities(), root_uri=folder.as_uri())
    )
    client.initialized(types.InitializedParams())
    yield result
    await asyncio.wait_for(client.shutdown_async(None), TIMEOUT)
    client.exit(None)
    await client.stop()
