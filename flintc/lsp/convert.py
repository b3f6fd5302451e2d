"""Our results as the protocol's objects."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, TypeAlias

from lsprotocol import types

from flintc.lsp.calls import Signature
from flintc.lsp.completion import Completion
from flintc.lsp.outline import Item
from flintc.lsp.positions import Positions
from flintc.problems import Problem, Severity
from flintc.source import Span

Locate: TypeAlias = Callable[[Span], types.Location]

_SEVERITIES: Final = {
    Severity.ERROR: types.DiagnosticSeverity.Error,
    Severity.WARNING: types.DiagnosticSeverity.Warning,
}
_ITEM_KINDS: Final = {
    "function": types.SymbolKind.Function,
    "struct": types.SymbolKind.Struct,
    "field": types.SymbolKind.Field,
    "variable": types.SymbolKind.Variable,
}
_COMPLETION_KINDS: Final = {
    "function": types.CompletionItemKind.Function,
    "variable": types.CompletionItemKind.Variable,
    "field": types.CompletionItemKind.Field,
    "namespace": types.CompletionItemKind.Module,
    "keyword": types.CompletionItemKind.Keyword,
    "type": types.CompletionItemKind.Struct,
    "method": types.CompletionItemKind.Method,
}


def range_of(positions: Positions, start: int, end: int) -> types.Range:
    """The range between two offsets."""
    first, last = positions.position(start), positions.position(end)
    return types.Range(types.Position(*first), types.Position(*last))


def diagnostic(problem: Problem, positions: Positions, locate: Locate) -> types.Diagnostic:
    """A problem; one without a place is shown at the start of its file."""
    start, end = (problem.span.start, problem.span.end) if problem.span else (0, 0)
    message = f"{problem.title}\nhelp: {problem.help}" if problem.help else problem.title
    return types.Diagnostic(
        range_of(positions, start, end),
        message,
        severity=_SEVERITIES[problem.severity],
        code=problem.code,
        source="flintc",
        related_information=[
            types.DiagnosticRelatedInformation(locate(label.span), label.text)
            for label in problem.labels
        ],
    )


def completion_item(item: Completion) -> types.CompletionItem:
    return types.CompletionItem(
        item.label,
        kind=_COMPLETION_KINDS[item.kind],
        detail=item.detail or None,
        documentation=_markdown(item.documentation) if item.documentation else None,
        insert_text=item.insert,
    )


def signature_help(found: Signature) -> types.SignatureHelp:
    """One signature; parameters are given as ranges of its label, in UTF-16 units."""
    params: list[types.ParameterInformation] = []
    at = found.label.find("(")
    for text in found.params:
        at = found.label.index(text, at)
        units = _utf16(found.label[:at]), _utf16(found.label[: at + len(text)])
        params.append(types.ParameterInformation(units))
        at += len(text)
    active = found.active if found.active < len(params) else None
    doc = _markdown(found.documentation) if found.documentation else None
    information = types.SignatureInformation(found.label, doc, params, active)
    return types.SignatureHelp([information], active_signature=0, active_parameter=active)


def document_symbols(items: Sequence[Item], positions: Positions) -> list[types.DocumentSymbol]:
    return [
        types.DocumentSymbol(
            item.name,
            _ITEM_KINDS[item.kind],
            range_of(positions, item.span.start, item.span.end),
            range_of(positions, item.name_span.start, item.name_span.end),
            detail=item.detail or None,
            children=document_symbols(item.children, positions),
        )
        for item in items
    ]


def _markdown(text: str) -> types.MarkupContent:
    return types.MarkupContent(types.MarkupKind.Markdown, text)


def _utf16(text: str) -> int:
    return len(text.encode("utf-16-le", "surrogatepass")) // 2
