"""Statements that print: Python's own `print` where it writes exactly the same."""

from __future__ import annotations

import ast

from flintc.analysis.symbols import BuiltinTarget
from flintc.analysis.types import INT, STRING
from flintc.emit import strings, templates, tree
from flintc.emit.body import Body
from flintc.emit.strings import Piece
from flintc.emit.templates import Slot
from flintc.source import Span
from flintc.syntax import nodes


def print_statement(body: Body, node: nodes.Call) -> ast.expr | None:
    """`print(…)`, or None where the language formats in its own way."""
    target = body.context.facts.resolution.targets.get(node)
    if not isinstance(target, BuiltinTarget) or target.name not in ("print", "println"):
        return None
    if len(node.args) > 1:
        return _template(body, node, target.name)
    if any(body.type_of(argument) not in (STRING, INT) for argument in node.args):
        return None
    return _python_print(body.exprs(node.args), target.name, node.span)


def _template(body: Body, node: nodes.Call, name: str) -> ast.expr | None:
    template, *arguments = node.args
    if not isinstance(template, nodes.StringLiteral):
        return None
    pieces = templates.plain_pieces(template.value)
    slots = [piece for piece in pieces or () if isinstance(piece, Slot)]
    if pieces is None or len(slots) != len(arguments):
        return None
    if not all(_is_plain(body, arguments[slot.number], slot) for slot in slots):
        return None
    lowered = body.exprs(arguments)
    parts = [
        (
            Piece(tree.constant(piece, node.span), STRING)
            if isinstance(piece, str)
            else Piece(lowered[piece.number], body.type_of(arguments[piece.number]), piece.spec)
        )
        for piece in pieces
    ]
    return _python_print([strings.f_string(body, parts, node.span)], name, node.span)


def _is_plain(body: Body, argument: nodes.Node, slot: Slot) -> bool:
    if isinstance(argument, nodes.StringLiteral) and not slot.spec:
        return True  # it becomes part of the text
    alike = templates.formats_alike(slot.spec, body.type_of(argument))
    return alike and templates.is_simple(body, argument)


def _python_print(args: list[ast.expr], name: str, span: Span) -> ast.expr:
    written = tree.call(tree.name("print", span), args, span)
    if name == "print":
        written.keywords.append(tree.at(ast.keyword("end", tree.constant("", span)), span))
    return written
