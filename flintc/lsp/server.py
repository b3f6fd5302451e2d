"""The requests of the language server, and starting it on standard input and output."""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable
from typing import Any, Final

from lsprotocol import types
from pygls.exceptions import JsonRpcException

from flintc.catalogue import Catalogue
from flintc.lsp import calls, completion, convert, navigation
from flintc.lsp.documents import Document, moved
from flintc.lsp.hover import hover
from flintc.lsp.outline import outline
from flintc.lsp.renaming import CannotRename, renamable
from flintc.lsp.scope import Names
from flintc.lsp.session import Server
from flintc.lsp.snapshot import Snapshot
from flintc.lsp.stops import stop_line
from flintc.problems import Problems
from flintc.source import SourceFile, Span
from flintc.syntax.format import format_source

_SLICE: Final = 0.0005  # s


def serve(catalogue: Catalogue) -> None:
    """Answer one client on standard input and output until it ends the session.

    Reading a message and answering it takes the interpreter from the analysis under way several
    times: Python's usual 5 ms for each would add up.
    """
    server = create(catalogue)
    sys.setswitchinterval(_SLICE)
    gc.collect()
    gc.freeze()  # what has been loaded stays: no collection has to look at it again
    server.start_io()


def create(catalogue: Catalogue) -> Server:
    """A server with all its requests."""
    server = Server(catalogue)
    for name, (handler, options) in _FEATURES.items():
        server.feature(name, options)(handler)
    return server


# -- texts ---------------------------------------------------------------------------------


def _opened(ls: Server, params: types.DidOpenTextDocumentParams) -> None:
    document = params.text_document
    ls.open(document.uri, document.text, document.version)


def _changed(ls: Server, params: types.DidChangeTextDocumentParams) -> None:
    uri = params.text_document.uri
    text = ls.workspace.get_text_document(uri).source
    ls.open(uri, text, params.text_document.version)


def _closed(ls: Server, params: types.DidCloseTextDocumentParams) -> None:
    ls.close(params.text_document.uri)


def _files_changed(ls: Server, params: types.DidChangeWatchedFilesParams) -> None:
    ls.files_changed()


# -- looking -------------------------------------------------------------------------------


async def _hover(ls: Server, params: types.HoverParams) -> types.Hover | None:
    document = await ls.ready(params.text_document.uri)
    if document is None:
        return None
    for snapshot, place in document.answers(_offset(ls, document, params.position)):
        found = hover(snapshot, place)
        if found is not None:
            content = types.MarkupContent(types.MarkupKind.Markdown, found.markdown)
            return types.Hover(content, _range(ls, document, snapshot, found.start, found.end))
    return None


async def _definition(ls: Server, params: types.DefinitionParams) -> types.Location | None:
    document = await ls.ready(params.text_document.uri)
    if document is None:
        return None
    for snapshot, place in document.answers(_offset(ls, document, params.position)):
        span = navigation.definition(snapshot, place)
        if span is not None:
            return _location(ls, document, snapshot, span)
    return None


async def _references(ls: Server, params: types.ReferenceParams) -> list[types.Location]:
    document = await ls.ready(params.text_document.uri, current=True)
    if document is None or document.latest is None:
        return []
    place = _offset(ls, document, params.position)
    others = await _others(ls, document, document.latest, place)
    spans = navigation.references(document.latest, place, others, ls.files.canonical)
    return [ls.location(span) for span in spans]


async def _symbols(
    ls: Server, params: types.DocumentSymbolParams
) -> list[types.DocumentSymbol] | None:
    document = await ls.ready(params.text_document.uri)
    if document is None or document.latest is None:
        return None
    snapshot = document.latest
    return convert.document_symbols(outline(snapshot), ls.positions(snapshot.text))


# -- writing -------------------------------------------------------------------------------


async def _complete(ls: Server, params: types.CompletionParams) -> list[types.CompletionItem]:
    document = await ls.ready(params.text_document.uri)
    if document is None:
        return []
    offset = _offset(ls, document, params.position)
    found: dict[str, completion.Completion] = {}
    for snapshot, place in document.nearest(offset):
        for item in completion.complete(document.text, offset, Names(snapshot), place):
            found.setdefault(item.label, item)
    return [convert.completion_item(item) for item in found.values()]


async def _signature(ls: Server, params: types.SignatureHelpParams) -> types.SignatureHelp | None:
    document = await ls.ready(params.text_document.uri)
    if document is None:
        return None
    offset = _offset(ls, document, params.position)
    for snapshot, place in document.nearest(offset):
        found = calls.signature_help(document.text, offset, Names(snapshot), place)
        if found is not None:
            return convert.signature_help(found)
    return None


async def _prepare_rename(ls: Server, params: types.PrepareRenameParams) -> types.Range | None:
    document = await ls.ready(params.text_document.uri, current=True)
    if document is None or document.latest is None:
        return None
    try:
        span = renamable(document.latest, _offset(ls, document, params.position))
    except CannotRename:
        return None
    return convert.range_of(ls.positions(document.text), span.start, span.end)


async def _rename(ls: Server, params: types.RenameParams) -> types.WorkspaceEdit | None:
    document = await ls.ready(params.text_document.uri, current=True)
    if document is None or document.latest is None:
        return None
    snapshot, place = document.latest, _offset(ls, document, params.position)
    others = await _others(ls, document, snapshot, place)
    try:
        spans = await ls.rename(snapshot, place, params.new_name, others)
        if snapshot.text != document.text:
            raise CannotRename("the file has changed meanwhile")
    except CannotRename as error:
        raise JsonRpcException(str(error), types.LSPErrorCodes.RequestFailed.value) from error
    changes: dict[str, list[types.TextEdit]] = {}
    for location in map(ls.location, spans):
        edit = types.TextEdit(location.range, params.new_name)
        changes.setdefault(location.uri, []).append(edit)
    return types.WorkspaceEdit(changes)


async def _format(
    ls: Server, params: types.DocumentFormattingParams
) -> list[types.TextEdit] | None:
    document = ls.documents.get(params.text_document.uri)
    if document is None:
        return None
    text = format_source(SourceFile(document.path, document.text), Problems())
    if text is None or text == document.text:
        return []
    whole = convert.range_of(ls.positions(document.text), 0, len(document.text))
    return [types.TextEdit(whole, text)]


def _stop_line(ls: Server, params: Any) -> int | None:
    """`rustscript/stopLine`: the line that a breakpoint at a position belongs to."""
    text = ls.text(params.textDocument.uri)
    return None if text is None else stop_line(text, params.position.line)


# -- places --------------------------------------------------------------------------------


def _offset(ls: Server, document: Document, position: types.Position) -> int:
    return ls.positions(document.text).offset(position.line, position.character)


def _range(
    ls: Server, document: Document, snapshot: Snapshot, start: int, end: int
) -> types.Range | None:
    """A range of a snapshot in the current text; None if that part has changed."""
    places = [moved(offset, snapshot.text, document.text) for offset in (start, end)]
    first, last = places
    if first is None or last is None:
        return None
    return convert.range_of(ls.positions(document.text), first, last)


def _location(
    ls: Server, document: Document, snapshot: Snapshot, span: Span
) -> types.Location | None:
    if span.file is not snapshot.root.file:
        return ls.location(span)
    range_ = _range(ls, document, snapshot, span.start, span.end)
    return None if range_ is None else types.Location(document.uri, range_)


async def _others(ls: Server, document: Document, snapshot: Snapshot, place: int) -> list[Snapshot]:
    """Other programs that may name what is at a place: none for what only its file can name."""
    name = snapshot.occurrences(snapshot.root).at(place)
    if name is None or not navigation.is_shared(name.symbol):
        return []
    return await ls.programs_naming(snapshot.text[name.start : name.end], document)


_FEATURES: Final[dict[str, tuple[Callable[..., Any], Any]]] = {
    types.TEXT_DOCUMENT_DID_OPEN: (_opened, None),
    types.TEXT_DOCUMENT_DID_CHANGE: (_changed, None),
    types.TEXT_DOCUMENT_DID_CLOSE: (_closed, None),
    types.WORKSPACE_DID_CHANGE_WATCHED_FILES: (_files_changed, None),
    types.TEXT_DOCUMENT_HOVER: (_hover, None),
    types.TEXT_DOCUMENT_DEFINITION: (_definition, None),
    types.TEXT_DOCUMENT_REFERENCES: (_references, None),
    types.TEXT_DOCUMENT_DOCUMENT_SYMBOL: (_symbols, None),
    types.TEXT_DOCUMENT_COMPLETION: (
        _complete,
        types.CompletionOptions(trigger_characters=[":", "."]),
    ),
    types.TEXT_DOCUMENT_SIGNATURE_HELP: (
        _signature,
        types.SignatureHelpOptions(trigger_characters=["(", ","]),
    ),
    types.TEXT_DOCUMENT_PREPARE_RENAME: (_prepare_rename, None),
    types.TEXT_DOCUMENT_RENAME: (_rename, types.RenameOptions(prepare_provider=True)),
    types.TEXT_DOCUMENT_FORMATTING: (_format, None),
    "rustscript/stopLine": (_stop_line, None),
}
