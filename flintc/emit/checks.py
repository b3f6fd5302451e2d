"""Run-time checks of values whose type only an annotation vouches for (5.8).

Types are checked when compiling; what comes from JSON or an unknown host function is trusted to be
what its declaration says, and checked coarsely where it is passed to a function or returned by one.
"""

from __future__ import annotations

from flintc.analysis.types import (
    NULL,
    UNKNOWN,
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
from flintc.emit.body import Body
from flintc.syntax import nodes


def is_only_trusted(body: Body, node: nodes.Node) -> bool:
    """Whether a variable was declared to have its type, and then given a value of unknown type."""
    variable = body.variable(node) if isinstance(node, nodes.Name) else None
    if variable is None or variable.declared is None:
        return False
    return any(
        isinstance(binding, nodes.Let | nodes.Assign) and body.type_of(binding.value) == UNKNOWN
        for binding in body.context.facts.usage.of(variable).bindings
    )


def is_null_for(body: Body, node: nodes.Node, known: str) -> bool:
    """Whether `null` is passed where a value is declared, which compiles (3.9)."""
    return body.type_of(node) == NULL and not known.endswith("?") and known != "null"


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
