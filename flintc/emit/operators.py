"""Operator chains and unary operators.

Where the static types are known the Python operator is used; mixed or unknown operands go through
the dynamic operations of `flint.lang`. Ints wrap once per tree of `+ - *`, and only if they may
leave 64 bits.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import Final

from flintc.analysis.intervals import FULL, Interval, combine
from flintc.analysis.parts import flat_operands
from flintc.analysis.types import (
    BOOL,
    BYTES,
    FLOAT,
    INT,
    NULL,
    NUMBER,
    STRING,
    UNKNOWN,
    Array,
    Handle,
    Tuple,
    Type,
    is_array,
    is_numeric,
    strip_optional,
)
from flintc.emit import strings, tree
from flintc.emit.body import Body
from flintc.emit.shape import MAX_CHAIN
from flintc.source import Span
from flintc.syntax import nodes

_RING: Final = ("+", "-", "*")
_PYTHON: Final[dict[str, type[ast.operator]]] = {
    "+": ast.Add,
    "-": ast.Sub,
    "*": ast.Mult,
    "/": ast.FloorDiv,
    "%": ast.Mod,
}
_DYNAMIC: Final = {"+": "add", "-": "sub", "*": "mul", "/": "divide", "%": "remainder"}
_COMPARE: Final[dict[str, type[ast.cmpop]]] = {
    "<": ast.Lt,
    "<=": ast.LtE,
    ">": ast.Gt,
    ">=": ast.GtE,
}
_DYNAMIC_COMPARE: Final = {
    "<": "less",
    "<=": "less_equal",
    ">": "greater",
    ">=": "greater_equal",
}


@dataclass(slots=True)
class _Operand:
    """A partial result: its Python, type, and for ints the exact interval before wrapping."""

    python: ast.expr
    type: Type
    exact: Interval = FULL


def operation(body: Body, node: nodes.Operation) -> ast.expr:
    match node.operators[0]:
        case "||" | "&&":
            return _logical(body, node)
        case "+" | "-" | "*" | "/" | "%":
            if strings.is_text(body, node):
                return strings.concatenation(body, node)
            return _settle(body, _arithmetic(body, node), node.span)
        case _:
            return _comparison(body, node)


# -- arithmetic ------------------------------------------------------------------------------


def _settle(body: Body, operand: _Operand, span: Span) -> ast.expr:
    """The operand as a value of the language: wrapped if it needs to be."""
    if operand.type is INT and not operand.exact.fits:
        return body.helper("wrap", span, operand.python)
    return operand.python


def _arithmetic(body: Body, node: nodes.Operation) -> _Operand:
    lowered = body.exprs(node.operands, _raw)
    operands = [
        _Operand(python, body.type_of(operand), _exact(body, operand))
        for python, operand in zip(lowered, node.operands, strict=True)
    ]
    result = operands[0]
    ranges = body.context.facts.ranges
    if ranges.is_exact_quotient(node):
        a, b = (_settle(body, operand, node.span) for operand in operands)
        return _Operand(tree.binary(a, ast.FloorDiv(), b, node.span), INT, ranges.of(node))
    for number, operator in enumerate(node.operators, start=1):
        result = _apply(body, operator, result, operands[number], node.span)
        if number % MAX_CHAIN == 0 and number < len(node.operators):
            result = _split(body, result, node.span)
    return result


def _split(body: Body, partial: _Operand, span: Span) -> _Operand:
    """Go on in a new statement: CPython cannot compile operator chains of thousands."""
    value = _settle(body, partial, span)
    exact = partial.exact if partial.exact.fits else FULL
    return _Operand(body.keep(value, "partial", span), partial.type, exact)


def _raw(body: Body, node: nodes.Node) -> ast.expr:
    """An int tree of `+ - *` without its wrap, anything else as usual."""
    if isinstance(node, nodes.Operation) and _is_ring(body, node):
        return _arithmetic(body, node).python
    if isinstance(node, nodes.Unary) and _is_ring(body, node):
        return tree.unary(ast.USub(), _raw(body, node.operand), node.span)
    return body.expr(node)


def _is_ring(body: Body, node: nodes.Node) -> bool:
    """Whether the wrap of this node may be left to the tree around it."""
    if body.context.shape.is_split(node) or body.type_of(node) is not INT:
        return False
    if isinstance(node, nodes.Unary):
        return node.operator == "-" and body.type_of(node.operand) is INT
    return (
        isinstance(node, nodes.Operation)
        and all(operator in _RING for operator in node.operators)
        and all(body.type_of(operand) is INT for operand in node.operands)
    )


def _exact(body: Body, node: nodes.Node) -> Interval:
    ranges = body.context.facts.ranges
    return ranges.exact(node) if _is_ring(body, node) else ranges.of(node)


def _apply(body: Body, operator: str, left: _Operand, right: _Operand, span: Span) -> _Operand:
    if left.type is INT and right.type is INT:
        return _int_operation(body, operator, left, right, span)
    result = _result_type(operator, left.type, right.type)
    a, b = _settle(body, left, span), _settle(body, right, span)
    if result is FLOAT and operator in _RING:
        return _Operand(tree.binary(a, _PYTHON[operator](), b, span), FLOAT)
    if result is FLOAT:
        return _Operand(_float_quotient(body, operator, a, b, span), FLOAT)
    if operator == "+" and (is_array(result) or result is BYTES):
        return _Operand(tree.binary(a, ast.Add(), b, span), result)
    if operator == "+" and STRING in (left.type, right.type):
        a, b = (_text(body, a, left.type, span), _text(body, b, right.type, span))
        return _Operand(tree.binary(a, ast.Add(), b, span), STRING)
    return _Operand(body.helper(_DYNAMIC[operator], span, a, b), result)


def _text(body: Body, value: ast.expr, type_: Type, span: Span) -> ast.expr:
    """The other operand of a string: a number is converted, anything else fails at run time."""
    return value if type_ is STRING else body.helper("text_operand", span, value)


def _int_operation(
    body: Body, operator: str, left: _Operand, right: _Operand, span: Span
) -> _Operand:
    exact = combine(operator, left.exact, right.exact)
    if operator in _RING:
        return _Operand(
            tree.binary(left.python, _PYTHON[operator](), right.python, span), INT, exact
        )
    a, b = _settle(body, left, span), _settle(body, right, span)
    plain = left.exact.fits and left.exact.low >= 0 and right.exact.fits and right.exact.low >= 0
    if plain:  # Python floors, which is the same here; a zero divisor becomes the script's error
        return _Operand(tree.binary(a, _PYTHON[operator](), b, span), INT, exact)
    helper = "div" if operator == "/" else "rem"
    return _Operand(body.helper(helper, span, a, b), INT, exact)


def _float_quotient(
    body: Body, operator: str, left: ast.expr, right: ast.expr, span: Span
) -> ast.expr:
    if operator == "/" and isinstance(right, ast.Constant) and right.value:
        return tree.binary(left, ast.Div(), right, span)
    return body.helper("fdiv" if operator == "/" else "frem", span, left, right)


def _result_type(operator: str, left: Type, right: Type) -> Type:
    """The type of a partial result, for operands that are not both ints (3.3)."""
    if is_numeric(left) and is_numeric(right):
        return FLOAT if FLOAT in (left, right) else NUMBER
    if operator != "+":
        return UNKNOWN
    if left is BYTES and right is BYTES:
        return BYTES
    if is_array(left) and is_array(right):
        return left if left == right else Array(UNKNOWN)
    return UNKNOWN


# -- comparison ------------------------------------------------------------------------------


def _comparison(body: Body, node: nodes.Operation) -> ast.expr:
    if _is_divisibility(body, node):
        return _divisibility(body, node)
    operands = body.exprs(node.operands)
    result, left = operands[0], body.type_of(node.operands[0])
    for number, operator in enumerate(node.operators, start=1):
        right_node = node.operands[number]
        right = body.type_of(right_node)
        if operator in ("==", "!="):
            result = equality(
                body, result, left, operands[number], right, node.span, operator == "!="
            )
        else:
            result = ordering(body, operator, result, left, operands[number], right, node.span)
        left = BOOL
        if number % MAX_CHAIN == 0 and number < len(node.operators):
            result = body.keep(result, "partial", node.span)
    return result


def _is_divisibility(body: Body, node: nodes.Operation) -> bool:
    """`n % 2 == 0`: the sign of the remainder does not matter."""
    first, *rest = node.operands
    if node.operators not in (("==",), ("!=",)) or not isinstance(first, nodes.Operation):
        return False
    if not isinstance(rest[0], nodes.IntLiteral) or rest[0].value != 0:
        return False
    types = [body.type_of(operand) for operand in first.operands]
    divisor = first.operands[-1]
    known = isinstance(divisor, nodes.IntLiteral) and divisor.value > 0
    return first.operators == ("%",) and types == [INT, INT] and known


def _divisibility(body: Body, node: nodes.Operation) -> ast.expr:
    remainder = node.operands[0]
    assert isinstance(remainder, nodes.Operation)
    number, divisor = body.exprs(remainder.operands)
    value = tree.binary(number, ast.Mod(), divisor, remainder.span)
    zero = tree.constant(0, node.operands[1].span)
    operator: ast.cmpop = ast.Eq() if node.operators[0] == "==" else ast.NotEq()
    return tree.compare(value, operator, zero, node.span)


def ordering(
    body: Body,
    operator: str,
    a: ast.expr,
    left: Type,
    b: ast.expr,
    right: Type,
    span: Span,
) -> ast.expr:
    if isinstance(left, Handle) or isinstance(right, Handle):
        a, b = _number_of(body, a, left, span), _number_of(body, b, right, span)
        return tree.compare(a, _COMPARE[operator](), b, span)
    if left == right and left in (INT, FLOAT):
        return tree.compare(a, _COMPARE[operator](), b, span)
    return body.helper(_DYNAMIC_COMPARE[operator], span, a, b)


def _number_of(body: Body, value: ast.expr, type_: Type, span: Span) -> ast.expr:
    """A host object as the number that scripts see in its place."""
    if isinstance(value, ast.Constant) and value.value is None:
        return tree.constant(0, span)
    return body.helper("handle_number", span, value) if isinstance(type_, Handle) else value


def equality(
    body: Body,
    a: ast.expr,
    left: Type,
    b: ast.expr,
    right: Type,
    span: Span,
    negate: bool,
) -> ast.expr:
    if (right is NULL or left is NULL) and not (_is_folded(a) or _is_folded(b)):
        return null_test(a, b, span, negate)
    if isinstance(left, Handle) and isinstance(right, Handle):
        return tree.compare(a, ast.IsNot() if negate else ast.Is(), b, span)
    if isinstance(left, Handle) or isinstance(right, Handle):
        a, b = _number_of(body, a, left, span), _number_of(body, b, right, span)
        return tree.compare(a, ast.NotEq() if negate else ast.Eq(), b, span)
    if _compares_plainly(left, right) and not (is_literal(a) and is_literal(b)):
        return tree.compare(a, ast.NotEq() if negate else ast.Eq(), b, span)
    equal = body.helper("equal", span, a, b)
    return tree.unary(ast.Not(), equal, span) if negate else equal


def is_literal(value: ast.expr) -> bool:
    """Whether type checkers see one value, so that they call a comparison of two senseless."""
    if isinstance(value, ast.UnaryOp):
        return is_literal(value.operand)
    return isinstance(value, ast.Constant)


def _is_folded(value: ast.expr) -> bool:
    """Whether Python computes a value when it compiles, and then warns of `is` beside it."""
    pending = [value]
    while pending:
        part = pending.pop()
        if isinstance(part, ast.BinOp):
            pending += [part.left, part.right]
        elif isinstance(part, ast.UnaryOp):
            pending.append(part.operand)
        elif not isinstance(part, ast.Constant):
            return False
    return not isinstance(value, ast.Constant)


def null_test(a: ast.expr, b: ast.expr, span: Span, negate: bool) -> ast.expr:
    tested = a if isinstance(b, ast.Constant) and b.value is None else b
    if isinstance(tested, ast.Constant):
        return tree.constant((tested.value is None) is not negate, span)
    if isinstance(a, ast.Constant) or isinstance(b, ast.Constant):
        return tree.is_none(tested, span, negate)
    return tree.compare(a, ast.IsNot() if negate else ast.Is(), b, span)


def _compares_plainly(left: Type, right: Type) -> bool:
    """Whether Python's `==` is the language's: no int can meet a float or a bool."""
    left, right = strip_optional(left), strip_optional(right)
    if left in (INT, STRING, BYTES, BOOL, FLOAT):
        return left == right
    elements = _elements(left) | _elements(right)
    return len(elements) == 1 and elements <= {INT, STRING, BYTES, BOOL}


def _elements(type_: Type) -> set[Type]:
    """The types of an array's items."""
    match type_:
        case Array(element):
            return {element}
        case Tuple(items, rest):
            return {*items, *([rest] if rest is not None else [])}
        case _:
            return {UNKNOWN}


# -- logic -----------------------------------------------------------------------------------


def truth(body: Body, node: nodes.Node) -> ast.expr:
    """A condition: checked at run time unless it is known to be a bool."""
    lowered = body.expr(node)
    if body.type_of(node) is BOOL:
        return lowered
    return body.helper("truth", node.span, lowered)


def _logical(body: Body, node: nodes.Operation) -> ast.expr:
    """Operands that need statements are evaluated under an `if`, to keep the short circuit."""
    is_and = node.operators[0] == "&&"
    operator: ast.boolop = ast.And() if is_and else ast.Or()
    shape = body.context.shape
    head, *tail = flat_operands(node)
    first = truth(body, head)
    if not any(map(shape.needs_statements, tail)):
        rest = [truth(body, operand) for operand in tail]
        return tree.at(ast.BoolOp(operator, [first, *rest]), node.span)
    result = body.keep(first, "holds", node.span)
    for operand in tail:
        condition: ast.expr = tree.name(result.id, node.span)
        if not is_and:
            condition = tree.unary(ast.Not(), condition, node.span)
        with body.block() as inner:
            value = truth(body, operand)
            body.emit(tree.assign(tree.store(result.id, node.span), value, operand.span))
        body.emit(tree.at(ast.If(condition, inner, []), operand.span))
    return tree.name(result.id, node.span)


_OPPOSITE: Final[dict[type[ast.cmpop], type[ast.cmpop]]] = {
    ast.In: ast.NotIn,
    ast.Eq: ast.NotEq,
    ast.Is: ast.IsNot,
}


def _negation(operand: ast.expr, span: Span) -> ast.expr:
    """`not`, or the opposite of a comparison that has one for all values (NaN included)."""
    if isinstance(operand, ast.Compare) and len(operand.ops) == 1:
        opposite = _OPPOSITE.get(type(operand.ops[0]))
        if opposite is not None:
            return tree.compare(operand.left, opposite(), operand.comparators[0], span)
    return tree.unary(ast.Not(), operand, span)


def unary(body: Body, node: nodes.Unary) -> ast.expr:
    if node.operator in ("&", "&mut"):
        return body.expr(node.operand)
    type_ = body.type_of(node.operand)
    if node.operator == "!":
        operand = body.expr(node.operand)
        if type_ is BOOL:
            return _negation(operand, node.span)
        return body.helper("not_", node.span, operand)
    if type_ is INT:
        raw = tree.unary(ast.USub(), _raw(body, node.operand), node.span)
        return _settle(body, _Operand(raw, INT, body.context.facts.ranges.exact(node)), node.span)
    if type_ is FLOAT:
        return tree.unary(ast.USub(), body.expr(node.operand), node.span)
    return body.helper("negate", node.span, body.expr(node.operand))


def add(
    body: Body,
    left: ast.expr,
    left_type: Type,
    right: ast.expr,
    node: nodes.Node,
    span: Span,
) -> tuple[ast.expr, Type]:
    """One `+` of a partial result and another operand, as a settled value with its type. `right` is
    what `node` was lowered to.
    """
    operand = _Operand(right, body.type_of(node), body.context.facts.ranges.of(node))
    sum_ = _apply(body, "+", _Operand(left, left_type), operand, span)
    return _settle(body, sum_, span), sum_.type
