"""Go to definition, find references."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple, TypeAlias

from flintc.analysis.symbols import FunctionSymbol
from flintc.lsp.occurrences import Symbol, declared_at
from flintc.lsp.python_sources import python_definition
from flintc.lsp.snapshot import Snapshot
from flintc.source import Span
from flintc.syntax import nodes

Canonical: TypeAlias = Callable[[str], str]


class Place(NamedTuple):
    """A place in any version of a file, by the file's canonical path."""

    path: str
    start: int


def definition(snapshot: Snapshot, offset: int) -> Span | None:
    """Where the name at a place is declared, in a script or in Python; None for builtins."""
    name = snapshot.occurrences(snapshot.root).at(offset)
    if name is None:
        return None
    return declared_at(name.symbol) or python_definition(name.symbol, snapshot.catalogue)


def references(
    snapshot: Snapshot, offset: int, others: Sequence[Snapshot], canonical: Canonical
) -> list[Span]:
    """Every place that names what the name at a place names, in this program and others."""
    name = snapshot.occurrences(snapshot.root).at(offset)
    if name is None or declared_at(name.symbol) is None:
        return []
    programs = (snapshot, *others)
    declared = _declarations(snapshot, name.symbol, programs, canonical)
    found: dict[Place, Span] = {}
    for each in programs:
        for span in _named(each, declared, canonical):
            found.setdefault(place(span, canonical), span)
    return list(found.values())


def _declarations(
    snapshot: Snapshot, symbol: Symbol, programs: Iterable[Snapshot], canonical: Canonical
) -> set[Place]:
    """Where a symbol is declared: a struct, in every file of a program that repeats it (8.4)."""
    span = declared_at(symbol)
    known = set() if span is None else {place(span, canonical)}
    path = _path_in_struct(snapshot, symbol)
    if path:
        groups = [_repeated(each, path, canonical) for each in programs]
        while joined := [group for group in groups if group & known and not group <= known]:
            known.update(*joined)
    return known


def _path_in_struct(snapshot: Snapshot, symbol: Symbol) -> tuple[str, ...]:
    """The name of a struct, or of a struct and its field; empty for other symbols."""
    for module in snapshot.facts.resolution.modules:
        for struct in module.structs.values():
            if symbol is struct:
                return (struct.name.name,)
            if symbol in struct.fields:
                assert isinstance(symbol, nodes.Field)
                return struct.name.name, symbol.name.name
    return ()


def _repeated(snapshot: Snapshot, path: tuple[str, ...], canonical: Canonical) -> set[Place]:
    """Where the modules of a program declare a struct, or a struct's field."""
    name, *inner = path
    modules = snapshot.facts.resolution.modules
    structs = [module.structs[name] for module in modules if name in module.structs]
    idents = [struct.name for struct in structs]
    if inner:
        fields = (field for struct in structs for field in struct.fields)
        idents = [field.name for field in fields if field.name.name == inner[0]]
    return {place(ident.span, canonical) for ident in idents}


def _named(snapshot: Snapshot, declared: set[Place], canonical: Canonical) -> Iterator[Span]:
    """The places in one program that name what is declared at one of these places."""
    for module in snapshot.facts.resolution.modules:
        for item in snapshot.occurrences(module).items:
            span = declared_at(item.symbol)
            if span is not None and place(span, canonical) in declared:
                yield Span(module.file, item.start, item.end)


def place(span: Span, canonical: Canonical) -> Place:
    return Place(canonical(span.file.path), span.start)


def is_shared(symbol: Symbol) -> bool:
    """Whether other files may name a symbol that this file declares or imports."""
    if isinstance(symbol, FunctionSymbol):
        return symbol.node.public
    return isinstance(symbol, nodes.Struct | nodes.Field)
