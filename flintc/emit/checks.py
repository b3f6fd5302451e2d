"""Run-time checks of values whose type only an annotation vouches for (5.8).

Types are checked when compiling; what comes from JSON or an unknown host function is trusted to be
what its declaration says, and checked coarsely where it is passed to a function or returned by one.
"""

from __future__ import annotations

import ast

from flintc.analysis.handles import may_be_none
from flintc.analysis.trust import is_trusted
from flintc.analysis.types import (
    NULL,
    Array,
    Callable,
    Map,
    Object,
    Optional,
    Primitive,
    StructRef,
    Tuple,
    Type,
)
from flintc.emit import tree, typehints
from flintc.emit.body import Body
from flintc.syntax import nodes


def is_only_trusted(body: Body, node: nodes.Node) -> bool:
    """Whether a value is of its type only because an annotation says so."""
    facts = body.context.facts
    return is_trusted(node, facts.resolution, facts.typing)


def checked_operand(body: Body, node: nodes.Node, value: ast.expr) -> ast.expr:
    """An operand that fails in the place of the operation unless it is of its type (5.12)."""
    kind = body.context.facts.typing.operand_checks[node]
    return body.helper("checked_operand", node.span, value, tree.constant(kind, node.span))


def some_handle(body: Body, node: nodes.Node, value: ast.expr, wanted: Type) -> ast.expr:
    """An argument that may be no handle, for type checkers; the host function checks it itself.

    Variables of this kind are declared `Any`.
    """
    if isinstance(node, nodes.Name) or not may_be_none(body.type_of(node), wanted):
        return value
    cast = tree.name(body.context.imports.use("typing", "cast"), node.span)
    return tree.call(
        cast, [typehints.annotation(body.context, wanted, node.span), value], node.span
    )


def is_null_for(body: Body, node: nodes.Node, known: str) -> bool:
    """Whether `null` is passed where a value is declared, which compiles (3.9)."""
    return body.type_of(node) is NULL and not known.endswith("?") and known != "null"


def kind(declared: Type | None) -> str | None:
    """The coarse kind of a declared type that run-time checks use; None where anything goes."""
    match declared:
        case Optional(inner):
            known = kind(inner)
            return None if known is None else f"{known}?"
        case Primitive(name):
            return name
        case Callable():
            return "callable"
        case Array() | Tuple():
            return "array"
        case Map() | StructRef() | Object():
            return "map"
        case _:
            return None
