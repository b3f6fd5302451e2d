"""Numbers, arrays and maps."""

from __future__ import annotations

import ast
import math

from flintc.analysis.types import BYTES, INT, NULL, STRING, Handle, Optional, Type, Unknown
from flintc.emit import tree
from flintc.emit.body import Body
from flintc.syntax import nodes


def number(body: Body, node: nodes.IntLiteral | nodes.FloatLiteral) -> ast.expr:
    """A number; the literal 0 in the place of a handle is Python's None (no tensor)."""
    if isinstance(node, nodes.IntLiteral):
        if node.value == 0 and isinstance(body.type_of(node), Handle):
            return tree.constant(None, node.span)
        return tree.constant(node.value, node.span)
    if math.isinf(node.value):
        infinity = tree.constant("inf", node.span)
        return tree.call(tree.name("float", node.span), [infinity], node.span)
    return tree.constant(node.value, node.span)


def array(body: Body, node: nodes.ArrayLiteral) -> ast.expr:
    return tree.at(ast.List(body.exprs(node.items), tree.LOAD), node.span)


def map_(body: Body, node: nodes.MapLiteral) -> ast.expr:
    """A dict display where every value is known not to be null (a null entry is not stored)."""
    flat = body.exprs([part for entry in node.entries for part in (entry.key, entry.value)])
    keys = [
        key_expression(body, entry.key, lowered)
        for entry, lowered in zip(node.entries, flat[::2], strict=True)
    ]
    values = flat[1::2]
    entries = tree.at(ast.Dict(list(keys), values), node.span)
    if all(never_null(body.type_of(entry.value)) for entry in node.entries):
        return entries
    return body.helper("without_nulls", node.span, entries)


def never_null(type_: Type) -> bool:
    return not isinstance(type_, (Unknown, Optional)) and type_ is not NULL


def is_plain_key(type_: Type) -> bool:
    """Whether such a key is a Python dict key as it is (bools and floats would meet ints)."""
    return type_ in (STRING, INT, BYTES, NULL)


def key_expression(body: Body, node: nodes.Node, lowered: ast.expr) -> ast.expr:
    if is_plain_key(body.type_of(node)):
        return lowered
    return body.helper("map_key", node.span, lowered)
