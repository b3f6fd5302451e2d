"""A syntax tree as text, for tests and for looking at what the parser understood."""

from __future__ import annotations

from dataclasses import fields

from flintc.syntax.nodes import (
    BytesLiteral,
    FloatLiteral,
    Ident,
    IntLiteral,
    Name,
    NamedType,
    Node,
    StringLiteral,
)

_HIDDEN = frozenset({"span", "file", "declarations"})


def dump(value: object) -> str:
    """`(Kind field field …)` without spans; tuples in brackets, `-` for None, plain names and
    literals as in source text."""
    if isinstance(value, tuple):
        return f"[{' '.join(map(dump, value))}]"
    if not isinstance(value, Node):
        return "-" if value is None else str(value)
    plain = _plain(value)
    if plain is not None:
        return plain
    shown = (dump(getattr(value, f.name)) for f in fields(value) if f.name not in _HIDDEN)
    return f"({' '.join((type(value).__name__, *shown))})"


def _plain(node: Node) -> str | None:
    if isinstance(node, (IntLiteral, FloatLiteral, StringLiteral, BytesLiteral)):
        return repr(node.value)
    if isinstance(node, Ident):
        return node.name
    if isinstance(node, Name):
        return None if node.type_args else node.name
    if isinstance(node, NamedType):
        return None if node.args else node.name
    return None
