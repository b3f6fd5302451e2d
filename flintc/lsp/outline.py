"""The outline of a file: its functions, structs with their fields, and top-level variables."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal

from flintc.analysis.parts import parts
from flintc.lsp import describe
from flintc.lsp.snapshot import Snapshot
from flintc.source import Span
from flintc.syntax import nodes


@dataclass(slots=True)
class Item:
    """One line of the outline."""

    name: str
    kind: Literal["function", "struct", "field", "variable"]
    span: Span
    name_span: Span
    detail: str = ""
    children: list[Item] = field(default_factory=list)


def outline(snapshot: Snapshot) -> list[Item]:
    """The outline of a snapshot's file, in the order of its text."""
    return list(_items(snapshot, snapshot.root.program, is_top=True))


def _items(snapshot: Snapshot, owner: nodes.Node, *, is_top: bool) -> Iterator[Item]:
    for node in parts(owner):
        match node:
            case nodes.Function(name=name):
                signature = describe.signature(snapshot.facts.resolution.functions[node])[0]
                inner = list(_items(snapshot, node.body, is_top=False)) if node.body else []
                yield Item(name.name, "function", node.span, name.span, signature, inner)
            case nodes.Struct(name=name, fields=fields):
                yield Item(name.name, "struct", node.span, name.span, "", list(map(_field, fields)))
            case nodes.Let(name=name) if is_top:
                variable = snapshot.facts.resolution.variables[node]
                detail = describe.declaration(variable)
                yield Item(name.name, "variable", node.span, name.span, detail)
            case nodes.Block() | nodes.If() | nodes.While() | nodes.ForRange() | nodes.ForMap():
                yield from _items(snapshot, node, is_top=is_top)


def _field(node: nodes.Field) -> Item:
    return Item(node.name.name, "field", node.span, node.name.span, node.type.span.text)
