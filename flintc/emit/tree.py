"""Building Python `ast` nodes that carry RustScript positions.

Every node gets the line and column of the `.rss` text it comes from, so the tree can be compiled as
it is (positions then point into the script), and the source map is read off it after printing.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Final, TypeVar

from flintc.source import Span

LOAD: Final = ast.Load()  # one for all, as in trees of Python's parser
STORE: Final = ast.Store()

_Node = TypeVar("_Node", bound=ast.AST)


def at(node: _Node, span: Span) -> _Node:
    """Give `node` the position of `span`."""
    place = span.place
    node.lineno, node.col_offset = place[0], place[1]  # type: ignore[attr-defined]
    node.end_lineno, node.end_col_offset = place[2], place[3]  # type: ignore[attr-defined]
    return node


def name(identifier: str, span: Span) -> ast.Name:
    return at(ast.Name(identifier, LOAD), span)


def store(identifier: str, span: Span) -> ast.Name:
    return at(ast.Name(identifier, STORE), span)


def dotted(path: str, span: Span) -> ast.expr:
    """`a.b.c` as attribute access."""
    first, *rest = path.split(".")
    expression: ast.expr = name(first, span)
    for part in rest:
        expression = attribute(expression, part, span)
    return expression


def attribute(value: ast.expr, identifier: str, span: Span) -> ast.Attribute:
    return at(ast.Attribute(value, identifier, LOAD), span)


def constant(value: str | bytes | bool | int | float | None, span: Span) -> ast.expr:
    """A literal, in the shape that Python's parser gives it (a negative number is a minus)."""
    if isinstance(value, (int, float)) and not isinstance(value, bool) and value < 0:
        return at(ast.UnaryOp(ast.USub(), at(ast.Constant(-value), span)), span)
    return at(ast.Constant(value), span)


def call(function: ast.expr, args: Sequence[ast.expr], span: Span) -> ast.Call:
    return at(ast.Call(function, list(args), []), span)


def method(value: ast.expr, identifier: str, span: Span, *args: ast.expr) -> ast.Call:
    return call(attribute(value, identifier, span), args, span)


def binary(left: ast.expr, operator: ast.operator, right: ast.expr, span: Span) -> ast.BinOp:
    return at(ast.BinOp(left, operator, right), span)


def unary(operator: ast.unaryop, operand: ast.expr, span: Span) -> ast.UnaryOp:
    return at(ast.UnaryOp(operator, operand), span)


def compare(left: ast.expr, operator: ast.cmpop, right: ast.expr, span: Span) -> ast.Compare:
    return at(ast.Compare(left, [operator], [right]), span)


def is_none(value: ast.expr, span: Span, negate: bool = False) -> ast.Compare:
    return compare(value, ast.IsNot() if negate else ast.Is(), constant(None, span), span)


def subscript(value: ast.expr, key: ast.expr, span: Span) -> ast.Subscript:
    return at(ast.Subscript(value, key, LOAD), span)


def one_or_tuple(items: Sequence[ast.expr], span: Span) -> ast.expr:
    """What stands between the brackets of `dict[K, V]`."""
    return items[0] if len(items) == 1 else at(ast.Tuple(list(items), LOAD), span)


def assign(target: ast.expr, value: ast.expr, span: Span) -> ast.Assign:
    return at(ast.Assign([target], value), span)


def annotated(target: ast.Name, annotation: ast.expr, value: ast.expr, span: Span) -> ast.AnnAssign:
    return at(ast.AnnAssign(target, annotation, value, 1), span)


def expression(value: ast.expr, span: Span) -> ast.Expr:
    return at(ast.Expr(value), span)


def parameters(
    names: Sequence[tuple[str, ast.expr | None]],
    keyword_only: Sequence[tuple[str, ast.expr | None, ast.expr]],
    span: Span,
    optional: Sequence[tuple[str, ast.expr, ast.expr]] = (),
) -> ast.arguments:
    """Positional parameters, optional ones and keyword-only ones with their defaults."""
    positional = [*names, *((identifier, kind) for identifier, kind, _ in optional)]
    return ast.arguments(
        posonlyargs=[],
        args=[at(ast.arg(identifier, annotation), span) for identifier, annotation in positional],
        vararg=None,
        kwonlyargs=[at(ast.arg(identifier, kind), span) for identifier, kind, _ in keyword_only],
        kw_defaults=[default for _, _, default in keyword_only],
        kwarg=None,
        defaults=[default for _, _, default in optional],
    )
