"""What the server knows while it runs: open files, their analyses, published problems."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from lsprotocol import types
from pygls import uris
from pygls.lsp.server import LanguageServer

from flintc import __version__
from flintc.catalogue import Catalogue
from flintc.lsp import convert
from flintc.lsp.documents import Document, Findings, OverlaidFiles
from flintc.lsp.positions import Encoding, Positions
from flintc.lsp.renaming import rename
from flintc.lsp.snapshot import Snapshot, take
from flintc.source import Span

_PAUSE: Final = 0.02  # s; changes that follow faster are analysed together
_REST: Final = 0.3  # s without changes after which the users of a changed module are analysed
_PATIENCE: Final = 0.05  # s; analyses that are likely to end by then are waited for
_MAX_FILES: Final = 500  # of a workspace that are searched for uses of a name
_SKIPPED: Final = frozenset({"node_modules", "__pycache__", "build", "dist"})
_log: Final = logging.getLogger(__name__)


class Server(LanguageServer):
    """The language server's state; `flintc.lsp.server` has the requests."""

    def __init__(self, catalogue: Catalogue) -> None:
        super().__init__("flintc", __version__, types.TextDocumentSyncKind.Full)
        self.catalogue = catalogue
        self.files = OverlaidFiles()
        self.documents: dict[str, Document] = {}  # by URI
        self.work: dict[str, asyncio.Task[None]] = {}
        self.stale: set[str] = set()
        self.resting: dict[str, asyncio.TimerHandle] = {}  # become stale when nothing changes
        self.analyses = asyncio.Lock()  # one at a time: they share the processor anyway

    # -- texts ----------------------------------------------------------------------------

    def open(self, uri: str, text: str, version: int | None) -> None:
        """A file has been opened or changed."""
        document = self.documents.get(uri)
        if document is None:
            document = self.documents[uri] = Document(uri, _path(uri), text, version)
        document.text, document.version = text, version
        self.files.texts[self.files.canonical(document.path)] = text
        self._schedule(uri)
        self._schedule_users(document.path, uri)

    def close(self, uri: str) -> None:
        document = self.documents.pop(uri, None)
        if document is None:
            return
        self.files.texts.pop(self.files.canonical(document.path), None)
        self.stale.discard(uri)
        self._wake(uri)
        for each in document.findings:
            self._publish_file(each)
        self._schedule_users(document.path, uri)

    def text(self, uri: str) -> str | None:
        """The text of a file, open or not; None where it cannot be read."""
        try:
            return self.files.read(_path(uri))
        except (OSError, ValueError):
            return None

    def positions(self, text: str) -> Positions:
        encoding: Encoding = "utf-16"
        chosen = self.workspace.position_encoding
        if chosen == types.PositionEncodingKind.Utf8:
            encoding = "utf-8"
        elif chosen == types.PositionEncodingKind.Utf32:
            encoding = "utf-32"
        return Positions(text, encoding)

    def location(self, span: Span) -> types.Location:
        """Where a span is, under the URI that the client has for its file."""
        positions = self.positions(span.file.text)
        return types.Location(
            self.uri(span.file.path), convert.range_of(positions, span.start, span.end)
        )

    def uri(self, path: str) -> str:
        canonical = self.files.canonical(path)
        for uri, document in self.documents.items():
            if self.files.canonical(document.path) == canonical:
                return uri
        return uris.from_fs_path(canonical) or path

    # -- analyses -------------------------------------------------------------------------

    def _schedule(self, uri: str) -> None:
        self._wake(uri)
        self.stale.add(uri)
        task = self.work.get(uri)
        if task is None or task.done():
            self.work[uri] = asyncio.get_running_loop().create_task(self._keep_current(uri))

    def _schedule_users(self, path: str, changed: str) -> None:
        """Analyse again the other open programs that a changed file is part of."""
        canonical = self.files.canonical(path)
        for uri, document in self.documents.items():
            if uri != changed and document.latest is not None:
                modules = document.latest.facts.resolution.modules
                if any(self.files.canonical(each.file.path) == canonical for each in modules):
                    self._schedule_later(uri)

    def files_changed(self) -> None:
        """Files have changed on disk: any open program may use one, or miss one."""
        for uri in self.documents:
            self._schedule_later(uri)

    def _schedule_later(self, uri: str) -> None:
        self._wake(uri)
        loop = asyncio.get_running_loop()
        self.resting[uri] = loop.call_later(_REST, self._schedule, uri)

    def _wake(self, uri: str) -> bool:
        """Forget that a file waits for a rest; whether it did."""
        timer = self.resting.pop(uri, None)
        if timer is not None:
            timer.cancel()
        return timer is not None

    async def _keep_current(self, uri: str) -> None:
        while uri in self.stale:
            await asyncio.sleep(_PAUSE)
            self.stale.discard(uri)
            document = self.documents.get(uri)
            if document is not None:
                await self._analyse(document)

    async def _analyse(self, document: Document) -> None:
        start = time.perf_counter()
        try:
            snapshot = await self.take(document.path, document.text)
        except Exception:  # a defect of ours must not end the session: the last analysis stays
            _log.exception("cannot analyse %s", document.path)
            return
        if document.uri in self.documents:
            document.accept(snapshot, time.perf_counter() - start)
            self._accept(document, snapshot)

    async def take(self, path: str, text: str) -> Snapshot:
        """Analyse a text in another thread."""
        async with self.analyses:
            return await asyncio.to_thread(take, path, text, self.files, self.catalogue)

    async def rename(
        self, snapshot: Snapshot, place: int, new: str, others: list[Snapshot]
    ) -> list[Span]:
        """The places to change for a new name, verified in another thread; CannotRename."""
        async with self.analyses:
            return await asyncio.to_thread(rename, snapshot, place, new, others, self.files)

    async def ready(self, uri: str, *, current: bool = False) -> Document | None:
        """An open file with an analysis: of its current text if that is there soon, or must be."""
        if current and self._wake(uri):
            self._schedule(uri)
        document = self.documents.get(uri)
        if document is None:
            return None
        task = self.work.get(uri)
        is_needed = current or document.latest is None
        if task is not None and (is_needed or _is_quick(document)):
            await asyncio.wait({task}, timeout=None if is_needed else _PATIENCE)
        return document if document.latest is not None else None

    async def programs_naming(self, name: str, besides: Document) -> list[Snapshot]:
        """Analyses of the workspace's other files that have a word in their text."""
        found: list[Snapshot] = []
        for path in self._workspace_files():
            if self.files.canonical(path) == self.files.canonical(besides.path):
                continue
            try:
                text = self.files.read(path)
            except (OSError, UnicodeDecodeError):
                continue
            if name in text:
                found.append(await self.take(path, text))
        return found

    def _workspace_files(self) -> Iterator[str]:
        folders = [_path(folder.uri) for folder in self.workspace.folders.values()]
        if not folders and self.workspace.root_path:
            folders = [self.workspace.root_path]
        paths = {str(p): None for folder in folders for p in _scripts(Path(folder))}
        paths |= {document.path: None for document in self.documents.values()}
        return iter(list(paths)[:_MAX_FILES])

    # -- diagnostics ----------------------------------------------------------------------

    def _accept(self, document: Document, snapshot: Snapshot) -> None:
        """Publish what a new analysis says about the files of a program."""
        before = set(document.findings)
        document.findings = self._findings(document, snapshot)
        for uri in before | set(document.findings):
            self._publish_file(uri)

    def _findings(self, document: Document, snapshot: Snapshot) -> dict[str, Findings]:
        """A program's problems by file, its own file in any case."""
        found = {document.uri: Findings(snapshot.text, [])}
        for problem in snapshot.problems:
            span = problem.span
            is_own = span is None or span.file.path == document.path
            uri = document.uri if span is None or is_own else self.uri(span.file.path)
            text = snapshot.text if span is None else span.file.text
            found.setdefault(uri, Findings(text, [])).problems.append(problem)
        return found

    def _publish_file(self, uri: str) -> None:
        """Publish what all open programs say about a file: an error may come with its use only."""
        document = self.documents.get(uri)
        if document is not None and not document.is_current:
            return  # its own analysis is about to come
        shown: list[types.Diagnostic] = []
        for each in self.documents.values():
            found = each.findings.get(uri)
            if found is not None and (document is None or found.text == document.text):
                positions = self.positions(found.text)
                new = [convert.diagnostic(p, positions, self.location) for p in found.problems]
                shown += [each for each in new if each not in shown]
        self.publish(uri, shown, None if document is None else document.version)

    def publish(self, uri: str, diagnostics: list[types.Diagnostic], version: int | None) -> None:
        self.text_document_publish_diagnostics(
            types.PublishDiagnosticsParams(uri, diagnostics, version)
        )


def _is_quick(document: Document) -> bool:
    return _PAUSE + document.seconds < _PATIENCE


def _scripts(folder: Path) -> Iterator[Path]:
    """The scripts below a folder, without hidden and installed ones."""
    for path in sorted(folder.rglob("*.rss")):
        inside = path.relative_to(folder).parts
        if not any(part.startswith(".") or part in _SKIPPED for part in inside):
            yield path


def _path(uri: str) -> str:
    """The path of a file; a text that was never saved keeps its URI for a name."""
    path = uris.to_fs_path(uri) if uri.startswith("file:") else None
    return path or uri
