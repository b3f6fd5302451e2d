"""Rename: find the places, change them in memory, and see that every name means what it meant.

So any new name is allowed that leaves the program what it is.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from flintc.analysis.symbols import FunctionSymbol, Variable
from flintc.catalogue import HostFunction
from flintc.files import STDLIB
from flintc.lsp.documents import OverlaidFiles
from flintc.lsp.fields import owner_of, unclear_uses
from flintc.lsp.navigation import Canonical, Place, place, references
from flintc.lsp.occurrences import Symbol, declared_at
from flintc.lsp.snapshot import Snapshot, take
from flintc.problems import Severity
from flintc.source import Span
from flintc.syntax import nodes
from flintc.syntax.tokens import KEYWORDS

_NAME: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")


class CannotRename(Exception):
    """Why a name cannot be changed, or not to this one."""


def renamable(snapshot: Snapshot, offset: int) -> Span:
    """The name at a place if it can be renamed; CannotRename otherwise."""
    name = snapshot.occurrences(snapshot.root).at(offset)
    if name is None:
        raise CannotRename("there is no name here that a script declares")
    if not isinstance(name.symbol, Variable | FunctionSymbol | nodes.Struct | nodes.Field):
        raise CannotRename("only variables, functions, structs and their fields can be renamed")
    return Span(snapshot.root.file, name.start, name.end)


def rename(
    snapshot: Snapshot, offset: int, new: str, others: Sequence[Snapshot], files: OverlaidFiles
) -> list[Span]:
    """The places to change in all programs; an `as` name of its own stays."""
    old = renamable(snapshot, offset).text
    name = snapshot.occurrences(snapshot.root).at(offset)
    declared = None if name is None else declared_at(name.symbol)
    if name is None or declared is None or old != declared.text:
        raise CannotRename(f"`{old}` is the name of an import: change its `as`")
    if not _NAME.match(new):
        raise CannotRename(f"`{new}` is not a name: use letters, digits and `_`")
    if new in KEYWORDS:
        raise CannotRename(f"`{new}` is a keyword")
    found = references(snapshot, offset, others, files.canonical)
    spans = [span for span in found if span.text == old]
    programs = [snapshot, *_sharing(others, spans, files.canonical)]
    _refuse_broken(programs)
    if isinstance(name.symbol, nodes.Field):
        _refuse_unclear(programs, name.symbol)
    if any(span.file.path.startswith(str(STDLIB)) for span in spans):
        raise CannotRename("it is part of flintc's own library")
    edits = Edits(spans, new, files.canonical)
    for each in programs:
        _verify(each, edits, files)
    return spans


def _sharing(
    others: Sequence[Snapshot], spans: Sequence[Span], canonical: Canonical
) -> Iterator[Snapshot]:
    """The programs that have a file in which something would change."""
    changed = {canonical(span.file.path) for span in spans}
    for each in others:
        if any(canonical(m.file.path) in changed for m in each.facts.resolution.modules):
            yield each


def _refuse_broken(programs: Sequence[Snapshot]) -> None:
    for each in programs:
        if not each.is_sound:
            path = each.root.file.path
            raise CannotRename(f"{path} has syntax errors, so not all uses can be found")


def _refuse_unclear(programs: Sequence[Snapshot], field: nodes.Field) -> None:
    """Refuse where a map may be a value of the field's struct without being declared as one."""
    owner = owner_of(programs[0], field)
    if owner is None:
        return
    for each in programs:
        for module in each.facts.resolution.modules:
            for span in unclear_uses(each, module.program, owner, field.name.name):
                where = f"{module.file.path}:{span.line}"
                raise CannotRename(
                    f"`{span.text}` at {where} may have this field: declare its type there as "
                    f"`{owner.name.name}`"
                )


# -- verifying ---------------------------------------------------------------------------------


class Edits:
    """The texts after a rename, and where places of the old ones are in them."""

    def __init__(self, spans: Sequence[Span], new: str, canonical: Canonical) -> None:
        self.new = new
        self.canonical = canonical
        self.by_path: dict[str, list[Span]] = {}
        for span in sorted(spans, key=lambda span: span.start):
            self.by_path.setdefault(canonical(span.file.path), []).append(span)

    def text(self, path: str, text: str) -> str:
        """The text of a file after the rename."""
        pieces: list[str] = []
        at = 0
        for span in self.by_path.get(self.canonical(path), ()):
            pieces += [text[at : span.start], self.new]
            at = span.end
        return "".join([*pieces, text[at:]])

    def moved(self, old: Place) -> Place:
        """Where an old place is afterwards."""
        spans = self.by_path.get(old.path, [])
        before = bisect_left(spans, old.start, key=lambda span: span.start)
        shift = sum(len(self.new) - (span.end - span.start) for span in spans[:before])
        return Place(old.path, old.start + shift)


def _verify(program: Snapshot, edits: Edits, files: OverlaidFiles) -> None:
    """Refuse if a name of the program would mean something else, or a new problem would come."""
    changed = OverlaidFiles()
    changed.texts = dict(files.texts)
    for path, spans in edits.by_path.items():
        changed.texts[path] = edits.text(path, spans[0].file.text)
    root = program.root.file
    after = take(root.path, edits.text(root.path, root.text), changed, program.catalogue)
    _compare_meanings(program, after, edits)
    known = Counter(problem.code for problem in program.problems)
    for problem in after.problems:
        known[problem.code] -= 1
        if problem.severity is Severity.ERROR and known[problem.code] < 0:
            where = f" at {problem.span.file.path}:{problem.span.line}" if problem.span else ""
            raise CannotRename(f"this would be an error{where}: {problem.title}")


class _Meaning(NamedTuple):
    """What the name at a place stands for, comparable between two analyses."""

    place: Place
    symbol: Place | str


def _compare_meanings(before: Snapshot, after: Snapshot, edits: Edits) -> None:
    old = [
        _Meaning(edits.moved(each.place), _moved(each.symbol, edits))
        for each in _meanings(before, edits.canonical)
    ]
    new = _meanings(after, edits.canonical)
    if len(old) != len(new):
        raise CannotRename(f"`{edits.new}` already means something else here")
    for was, now in zip(old, new, strict=True):
        if was != now:
            module = next(
                each.file
                for each in after.facts.resolution.modules
                if edits.canonical(each.file.path) == now.place.path
            )
            where = f"{module.path}:{module.position(now.place.start).line}"
            raise CannotRename(f"`{edits.new}` already means something else at {where}")


def _moved(symbol: Place | str, edits: Edits) -> Place | str:
    return edits.moved(symbol) if isinstance(symbol, Place) else symbol


def _meanings(program: Snapshot, canonical: Canonical) -> list[_Meaning]:
    return [
        _Meaning(Place(canonical(module.file.path), item.start), _meaning(item.symbol, canonical))
        for module in program.facts.resolution.modules
        for item in program.occurrences(module).items
    ]


def _meaning(symbol: Symbol, canonical: Canonical) -> Place | str:
    span = declared_at(symbol)
    if span is not None:
        return place(span, canonical)
    return symbol.path if isinstance(symbol, HostFunction) else str(symbol)
