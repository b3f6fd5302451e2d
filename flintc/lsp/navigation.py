"""Go to definition, find references, rename."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from typing import Final, TypeAlias

from flintc.analysis.symbols import FunctionSymbol, Variable
from flintc.lsp.occurrences import Symbol, declared_at
from flintc.lsp.snapshot import Snapshot
from flintc.source import Span
from flintc.syntax import nodes
from flintc.syntax.tokens import KEYWORDS

Canonical: TypeAlias = Callable[[str], str]
_NAME: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")


class CannotRename(Exception):
    """Why a name cannot be changed, or not to this one."""


def definition(snapshot: Snapshot, offset: int) -> Span | None:
    """Where the name at a place is declared; None for what no script declares."""
    name = snapshot.occurrences(snapshot.root).at(offset)
    return None if name is None else declared_at(name.symbol)


def references(
    snapshot: Snapshot, offset: int, others: Iterable[Snapshot], canonical: Canonical
) -> list[Span]:
    """Every place that names what the name at a place names, in this program and others."""
    name = snapshot.occurrences(snapshot.root).at(offset)
    declared = None if name is None else declared_at(name.symbol)
    if declared is None:
        return []
    key = _key(declared, canonical)
    found: dict[tuple[str, int], Span] = {}
    for each in (snapshot, *others):
        for span in _named(each, key, canonical):
            found.setdefault(_key(span, canonical), span)
    return list(found.values())


def _named(snapshot: Snapshot, key: tuple[str, int], canonical: Canonical) -> Iterator[Span]:
    """The places in one program that name what is declared at `key`."""
    for module in snapshot.facts.resolution.modules:
        for item in snapshot.occurrences(module).items:
            declared = declared_at(item.symbol)
            if declared is not None and _key(declared, canonical) == key:
                yield Span(module.file, item.start, item.end)


def _key(span: Span, canonical: Canonical) -> tuple[str, int]:
    return canonical(span.file.path), span.start


def is_shared(symbol: Symbol) -> bool:
    """Whether other files may name a symbol that this file declares or imports."""
    if isinstance(symbol, FunctionSymbol):
        return symbol.node.public
    return isinstance(symbol, (nodes.Struct, nodes.Field))


def renamable(snapshot: Snapshot, offset: int) -> Span:
    """The name at a place if it can be renamed; CannotRename otherwise."""
    name = snapshot.occurrences(snapshot.root).at(offset)
    if name is None:
        raise CannotRename("there is no name here that a script declares")
    if not isinstance(name.symbol, (Variable, FunctionSymbol, nodes.Struct)):
        raise CannotRename("only variables, functions and structs can be renamed")
    return Span(snapshot.root.file, name.start, name.end)


def rename(
    snapshot: Snapshot, offset: int, new: str, others: Iterable[Snapshot], canonical: Canonical
) -> list[Span]:
    """The places to change, for a new name that is free there; an `as` name of its own stays."""
    old = renamable(snapshot, offset).text
    name = snapshot.occurrences(snapshot.root).at(offset)
    declared = None if name is None else declared_at(name.symbol)
    if name is None or declared is None or old != declared.text:
        raise CannotRename(f"`{old}` is the name of an import: change its `as`")
    modules = snapshot.facts.resolution.modules
    if isinstance(name.symbol, nodes.Struct) and sum(old in each.structs for each in modules) > 1:
        raise CannotRename(f"several files declare the struct `{old}`")
    _check_new_name(snapshot, name.symbol, new)
    found = references(snapshot, offset, others, canonical)
    return [span for span in found if span.text == old]


def _check_new_name(snapshot: Snapshot, symbol: Symbol, new: str) -> None:
    if not _NAME.match(new):
        raise CannotRename(f"`{new}` is not a name: use letters, digits and `_`")
    if new in KEYWORDS:
        raise CannotRename(f"`{new}` is a keyword")
    if new in _taken(snapshot, symbol):
        raise CannotRename(f"`{new}` already means something else here")


def _taken(snapshot: Snapshot, symbol: Symbol) -> set[str]:
    """Names that a symbol cannot have without changing what some other name means."""
    root = snapshot.root
    if isinstance(symbol, nodes.Struct):
        return set(snapshot.facts.resolution.structs)
    scopes = snapshot.facts.resolution.scopes.values()
    variables = {variable.name for scope in scopes for variable in scope.variables}
    return variables | set(root.functions)
