"""Print templates that are plain enough for a Python f-string."""

from __future__ import annotations

import re
from dataclasses import dataclass

from flintc.analysis.types import INT, STRING, Type
from flintc.emit.body import Body
from flintc.syntax import nodes

_SHORT = 3  # operands
_PARTS = re.compile(r"\{\{|\}\}|\{(?::[^{}]*)?\}|[^{}]+|.", re.DOTALL)
# what Python formats in the same way: alignment with a width, or for ints zeros, or a sign
_SHARED_SPECS: dict[Type, re.Pattern[str]] = {
    STRING: re.compile(r"([<>^]?[1-9]\d{0,2})?"),
    INT: re.compile(r"([<>^]?[1-9]\d{0,2}|\+?(0[1-9]\d{0,2})?|[<>^]?\+[1-9]\d{0,2})"),
}


@dataclass(frozen=True, slots=True)
class Slot:
    """A placeholder: the number of its argument, and how it is formatted."""

    number: int
    spec: str


def plain_pieces(template: str) -> list[str | Slot] | None:
    """Literal texts and the placeholders between them; None if any names its argument."""
    pieces: list[str | Slot] = []
    count = 0
    for part in _PARTS.findall(template):
        if part == "{}" or part.startswith("{:"):
            pieces.append(Slot(count, part[2:-1]))
            count += 1
        elif part in ("{{", "}}"):
            pieces.append(part[0])
        elif part in ("{", "}"):
            return None
        else:
            pieces.append(part)
    return pieces


def formats_alike(spec: str, type_: Type) -> bool:
    """Whether Python's format specification means the same for a value of this type."""
    pattern = _SHARED_SPECS.get(type_)
    return pattern is not None and pattern.fullmatch(spec) is not None


def is_simple(body: Body, node: nodes.Node) -> bool:
    """Whether an argument reads well inside the braces of an f-string, which before Python 3.12 may
    hold neither a backslash nor quotes of its own kind.
    """
    match node:
        case nodes.Name() | nodes.IntLiteral():
            return True
        case nodes.StringLiteral(value=text):
            return text.isidentifier()
        case nodes.Member(container=inner) | nodes.Length(value=inner) | nodes.Copy(value=inner):
            return is_simple(body, inner)
        case nodes.Unary(operator="&" | "-", operand=inner):
            return is_simple(body, inner)
        case nodes.Index(container=container, key=key, optional=False):
            return is_simple(body, container) and is_simple(body, key)
        case nodes.Call(args=args):
            return all(is_simple(body, argument) for argument in args)
        case nodes.Operation(operands=operands) if len(operands) <= _SHORT:
            return all(
                is_simple(body, operand) and body.type_of(operand) is not STRING
                for operand in operands
            )
        case _:
            return False
