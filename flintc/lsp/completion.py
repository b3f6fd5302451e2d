"""Completion: members of namespaces, fields of values, and the names that are known at a place."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, Literal

from flintc.analysis.symbols import BuiltinTarget, Variable
from flintc.analysis.type_names import type_name
from flintc.analysis.types import Object, StructRef, Type, is_map, strip_optional
from flintc.lsp import describe
from flintc.lsp.scope import Callee, Names
from flintc.modules import BUILTIN_NAMESPACES
from flintc.syntax.tokens import KEYWORDS

_PATH: Final = re.compile(r"((?:[A-Za-z_]\w*\s*::\s*)+)\w*\Z")
_MEMBER: Final = re.compile(r"([A-Za-z_]\w*(?:\??\.[A-Za-z_]\w*)*)\??\.\w*\Z")
_DOT: Final = re.compile(r"[\w)\]\"}]\??\.\w*\Z")
_USE: Final = re.compile(r"^\s*use\s+\w*\Z")
_TYPE: Final = re.compile(r"(?:[A-Za-z_]\w*\s*:|->|<)\s*\w*\Z")
_TYPES: Final = ("int", "float", "number", "bool", "string", "bytes", "array", "map", "fn")
# what stands behind a dot for values of every kind, with the text that is inserted
_METHODS: Final = {"copy": "copy()", "unwrap_or": "unwrap_or(", "length": "length"}
_MAP_METHODS: Final = {"has": "has(", "keys": "keys"}

Kind = Literal["function", "variable", "field", "namespace", "keyword", "type", "method"]


@dataclass(frozen=True, slots=True)
class Completion:
    """One proposal; `insert` is what to write where that is not the label."""

    label: str
    kind: Kind
    detail: str = ""
    documentation: str = ""
    insert: str | None = None


def complete(text: str, offset: int, names: Names, place: int) -> list[Completion]:
    """Proposals for the text before `offset`; `place` is that offset in the names' own text."""
    start = text.rfind("\n", 0, offset) + 1
    line = text[start:offset]
    if _in_comment(line):
        return []
    if path := _PATH.search(line):
        return list(_members(names, [part.strip() for part in path[1].split("::")[:-1]]))
    if _DOT.search(line):
        member = _MEMBER.search(line)
        type_ = None if member is None else chain_type(names, member[1], place)
        return list(_fields(names, type_))
    if _USE.match(line):
        return [Completion(name, "namespace") for name in ("flint", *BUILTIN_NAMESPACES, "stdlib")]
    if _TYPE.search(line) and not line.rstrip().endswith("::"):
        return list(_types(names))
    return list(_names(names, place))


def _in_comment(line: str) -> bool:
    """Whether a line's end lies in a `//` comment (strings before it are skipped)."""
    return "//" in re.sub(r'"(?:\\.|[^"\\])*"', "", line)


def _members(names: Names, path: list[str]) -> Iterator[Completion]:
    functions, inner = names.members(path)
    yield from (_function(name, callee) for name, callee in functions.items())
    yield from (Completion(name, "namespace") for name in inner)


def _function(name: str, callee: Callee) -> Completion:
    doc = describe.documentation(callee)
    return Completion(name, "function", describe.declaration(callee), doc)


# -- fields --------------------------------------------------------------------------------


def chain_type(names: Names, chain: str, place: int) -> Type | None:
    """The type of `name.field.field`, None where one of them is not known."""
    first, *fields = re.split(r"\??\.", chain)
    variable = names.variable(first, place)
    type_: Type | None = None if variable is None else variable.type
    for name in fields:
        type_ = None if type_ is None else dict(field_types(names, type_)).get(name)
    return type_


def field_types(names: Names, type_: Type) -> list[tuple[str, Type]]:
    """The fields of a struct or of a map with known keys."""
    type_ = strip_optional(type_)
    if isinstance(type_, Object):
        return list(type_.fields)
    if not isinstance(type_, StructRef):
        return []
    facts = names.snapshot.facts
    schema = facts.resolution.structs.get(type_.name)
    known = facts.typing.fields
    fields = schema.fields.items() if schema is not None else ()
    return [(name, known.get((type_.name, name), declared)) for name, declared in fields]


def _fields(names: Names, type_: Type | None) -> Iterator[Completion]:
    if type_ is not None:
        for name, inner in field_types(names, type_):
            yield Completion(name, "field", type_name(inner))
    methods = dict(_METHODS)
    if type_ is None or is_map(strip_optional(type_)):
        methods |= _MAP_METHODS
    yield from (Completion(name, "method", insert=text) for name, text in methods.items())


# -- names ---------------------------------------------------------------------------------


def _types(names: Names) -> Iterator[Completion]:
    yield from (Completion(name, "type") for name in _TYPES)
    yield from (Completion(name, "type") for name in names.snapshot.facts.resolution.structs)


def _names(names: Names, place: int) -> Iterator[Completion]:
    seen: set[str] = set()
    for variable in names.visible(place):
        if variable.name not in seen:
            seen.add(variable.name)
            yield Completion(variable.name, "variable", type_name(variable.type))
    for name, callee in names.functions().items():
        if name not in seen:
            yield _named(name, callee)
    yield from (Completion(name, "namespace") for name in names.namespaces())
    yield from (Completion(word, "keyword") for word in sorted(KEYWORDS))


def _named(name: str, callee: Callee) -> Completion:
    if isinstance(callee, (BuiltinTarget, Variable)):
        return Completion(name, "function", "builtin")
    return _function(name, callee)
