"""Text: `+` chains with strings become f-strings, and so do simple print templates.

A number next to a string is converted with the display format of the language (5.5, 5.11); for ints
that is Python's own, floats need `display`.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable
from dataclasses import dataclass

from flintc.analysis.types import INT, STRING, Type, is_numeric
from flintc.emit import operators, tree
from flintc.emit.body import Body
from flintc.emit.shape import MAX_CHAIN
from flintc.source import Span
from flintc.syntax import nodes


def is_text(body: Body, node: nodes.Operation) -> bool:
    """Whether a chain is a concatenation: every step from the first string on adds to text."""
    if any(operator != "+" for operator in node.operators):
        return False
    types = [body.type_of(operand) for operand in node.operands]
    if STRING not in types:
        return False
    return all(type_ is STRING or is_numeric(type_) for type_ in types)


def concatenation(body: Body, node: nodes.Operation) -> ast.expr:
    """Numbers before the first string are added up first: `1 + 2 + "a"` is "3a"."""
    types = [body.type_of(operand) for operand in node.operands]
    lowered = body.exprs(node.operands)
    first_text = max(1, types.index(STRING))
    total, total_type = lowered[0], types[0]
    for number in range(1, first_text):
        added, operand = lowered[number], node.operands[number]
        total, total_type = operators.add(body, total, total_type, added, operand, node.span)
    rest = zip(lowered[first_text:], types[first_text:], strict=True)
    return join(body, [(total, total_type), *rest], node.span)


def join(body: Body, pieces: list[tuple[ast.expr, Type]], span: Span) -> ast.expr:
    """`a + b` for plain strings, an f-string where literals or numbers take part."""
    all_text = all(type_ is STRING for _, type_ in pieces)
    has_literal = any(isinstance(value, ast.Constant) for value, _ in pieces)
    if all_text and not has_literal:
        return _sum(body, [value for value, _ in pieces], span)
    if fit_in_braces(value for value, _ in pieces):
        return f_string(body, [Piece(value, type_) for value, type_ in pieces], span)
    return _sum(body, [_as_text(body, value, type_, span) for value, type_ in pieces], span)


def _sum(body: Body, values: list[ast.expr], span: Span) -> ast.expr:
    """A chain of `+`, in steps that CPython can compile."""
    result = values[0]
    for number, value in enumerate(values[1:], start=1):
        result = tree.binary(result, ast.Add(), value, span)
        if number % MAX_CHAIN == 0 and number < len(values) - 1:
            result = body.keep(result, "text", span)
    return result


def _as_text(body: Body, value: ast.expr, type_: Type, span: Span) -> ast.expr:
    return value if type_ is STRING else body.helper("display", span, value)


def fit_in_braces(values: Iterable[ast.expr]) -> bool:
    return all(_fits_in_braces(value) for value in values)


def _fits_in_braces(value: ast.expr) -> bool:
    """Before Python 3.12 an expression in an f-string may hold no backslash and not its quotes."""
    if isinstance(value, ast.Constant):
        return True
    return all(_is_quiet(part) for part in ast.walk(value))


def _is_quiet(part: ast.AST) -> bool:
    """A key such as `'x'` can take the other kind of quotes."""
    if isinstance(part, ast.Constant) and isinstance(part.value, str):
        return part.value.isidentifier()
    return not isinstance(part, ast.JoinedStr) and not (
        isinstance(part, ast.Constant) and isinstance(part.value, bytes)
    )


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of a text: a value, its type, and how it is formatted."""

    value: ast.expr
    type: Type
    spec: str = ""


def f_string(body: Body, pieces: list[Piece], span: Span) -> ast.expr:
    """Neighbouring literals are one, as in Python's own tree."""
    parts: list[ast.expr] = []
    for piece in pieces:
        value = piece.value
        if (
            isinstance(value, ast.Constant)
            and isinstance(value.value, (str, int))
            and not piece.spec
        ):
            _append_literal(parts, str(value.value), span)
            continue
        plain = piece.type in (STRING, INT)
        shown = value if plain else body.helper("display", span, value)
        spec = tree.at(ast.JoinedStr([tree.constant(piece.spec, span)]), span)
        parts.append(tree.at(ast.FormattedValue(shown, -1, spec if piece.spec else None), span))
    if all(isinstance(part, ast.Constant) for part in parts):
        return parts[0] if parts else tree.constant("", span)
    return tree.at(ast.JoinedStr(parts), span)


def _append_literal(parts: list[ast.expr], text: str, span: Span) -> None:
    last = parts[-1] if parts else None
    if isinstance(last, ast.Constant):
        parts[-1] = tree.constant(str(last.value) + text, span)
    elif text:
        parts.append(tree.constant(text, span))
