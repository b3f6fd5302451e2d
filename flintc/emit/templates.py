"""Print templates that are plain enough for a Python f-string."""

from __future__ import annotations

import re

from flintc.syntax import nodes

_PARTS = re.compile(r"\{\{|\}\}|\{\}|[^{}]+|.", re.DOTALL)


def plain_pieces(template: str) -> list[str | int] | None:
    """Literal texts and the numbers of the arguments between them; None if any placeholder is more
    than `{}`."""
    pieces: list[str | int] = []
    count = 0
    for part in _PARTS.findall(template):
        if part == "{}":
            pieces.append(count)
            count += 1
        elif part in ("{{", "}}"):
            pieces.append(part[0])
        elif part in ("{", "}"):
            return None
        else:
            pieces.append(part)
    return pieces


def is_simple(node: nodes.Node) -> bool:
    """Whether an argument reads well inside the braces of an f-string."""
    match node:
        case nodes.Name() | nodes.IntLiteral() | nodes.StringLiteral():
            return True
        case nodes.Member(container=container) | nodes.Length(value=container):
            return is_simple(container)
        case nodes.Copy(value=value) | nodes.Unary(operator="&" | "-", operand=value):
            return is_simple(value)
        case nodes.Index(container=container, key=key, optional=False):
            return is_simple(container) and is_simple(key)
        case nodes.Call(args=args):
            return all(is_simple(argument) for argument in args)
        case nodes.Operation(operands=operands):
            return len(operands) <= 3 and all(is_simple(operand) for operand in operands)
        case _:
            return False
