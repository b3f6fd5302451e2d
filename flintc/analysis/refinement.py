"""Conditions that say something about a variable (language reference 3.6)."""

from __future__ import annotations

from typing import Final

from flintc.analysis.lattice import MIXED
from flintc.analysis.symbols import BuiltinTarget, Resolution, Variable
from flintc.analysis.types import (
    BOOL,
    BYTES,
    FLOAT,
    INT,
    NULL,
    STRING,
    UNKNOWN,
    Array,
    Map,
    Type,
)
from flintc.syntax import nodes

_KINDS: Final[dict[str, Type]] = {
    "null": NULL,
    "int": INT,
    "float": FLOAT,
    "bool": BOOL,
    "string": STRING,
    "bytes": BYTES,
    "array": Array(MIXED),
    "map": Map(MIXED),
}


def refinement(condition: nodes.Expr, resolution: Resolution) -> tuple[Variable, Type] | None:
    """The variable that a true condition refines, and its type; UNKNOWN means only "not null"."""
    match condition:
        case nodes.Operation(operands=(left, right), operators=("!=",)):
            return _not_null(left, right, resolution) or _not_null(right, left, resolution)
        case nodes.Operation(operands=(left, right), operators=("==",)):
            return _of_kind(left, right, resolution) or _of_kind(right, left, resolution)
        case _:
            return None


def _not_null(
    name: nodes.Expr, null: nodes.Expr, resolution: Resolution
) -> tuple[Variable, Type] | None:
    variable = resolution.variables.get(name) if isinstance(name, nodes.Name) else None
    return (variable, UNKNOWN) if variable and isinstance(null, nodes.NullLiteral) else None


def _of_kind(
    call: nodes.Expr, text: nodes.Expr, resolution: Resolution
) -> tuple[Variable, Type] | None:
    if not isinstance(call, nodes.Call) or not isinstance(text, nodes.StringLiteral):
        return None
    kind = _KINDS.get(text.value)
    if resolution.targets.get(call) != BuiltinTarget("type") or kind is None:
        return None
    variable = resolution.variables.get(call.args[0]) if call.args else None
    return (variable, kind) if variable and isinstance(call.args[0], nodes.Name) else None
