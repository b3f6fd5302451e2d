"""Generic iteration over a syntax tree, in the order of the text and without recursion."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields

from flintc.syntax import nodes

_NOT_PARTS = ("span", "file", "comments", "declarations")


_FIELDS: dict[type[nodes.Node], tuple[str, ...]] = {}


def _field_names(kind: type[nodes.Node]) -> tuple[str, ...]:
    names = _FIELDS.get(kind)
    if names is None:
        names = tuple(field.name for field in fields(kind) if field.name not in _NOT_PARTS)
        _FIELDS[kind] = names
    return names


def children(node: nodes.Node) -> Iterator[nodes.Node]:
    """The direct parts of a node that are nodes themselves, in the order of the text."""
    for name in _field_names(type(node)):
        value = getattr(node, name)
        if isinstance(value, nodes.Node):
            yield value
        elif isinstance(value, tuple):
            yield from (item for item in value if isinstance(item, nodes.Node))
