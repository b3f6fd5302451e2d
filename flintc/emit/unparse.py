"""Expressions and simple statements as text, exactly as `ast.unparse` of CPython 3.11 writes them.

What is emitted often is written here, several times as fast; everything else is left to `ast`.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from typing import Any, Final

# Precedences, from the loosest.
_TUPLE: Final = 1
_TEST: Final = 2
_OR: Final = 3
_AND: Final = 4
_NOT: Final = 5
_COMPARISON: Final = 6
_EXPRESSION: Final = 7
_SUM: Final = 12
_TERM: Final = 13
_FACTOR: Final = 14
_ATOM: Final = 17

_BINARY: Final[dict[type[ast.operator], tuple[str, int]]] = {
    ast.Add: ("+", _SUM),
    ast.Sub: ("-", _SUM),
    ast.Mult: ("*", _TERM),
    ast.Div: ("/", _TERM),
    ast.Mod: ("%", _TERM),
    ast.FloorDiv: ("//", _TERM),
    ast.BitOr: ("|", _EXPRESSION),
}
_COMPARISONS: Final[dict[type[ast.cmpop], str]] = {
    ast.Eq: "==",
    ast.NotEq: "!=",
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
    ast.Is: "is",
    ast.IsNot: "is not",
    ast.In: "in",
    ast.NotIn: "not in",
}


def expression(node: ast.expr, around: int = _TEST) -> str:
    """An expression; in parentheses where it binds less tightly than what is `around` it."""
    write = _EXPRESSIONS.get(type(node))
    if write is None:
        return _by_ast(node, around)
    text: str = write(node, around)
    return text


def statement(node: ast.stmt) -> str:
    """A statement without a body."""
    write = _STATEMENTS.get(type(node))
    if write is None:
        return ast.unparse(node)
    text: str = write(node)
    return text


def header(node: ast.For | ast.While | ast.FunctionDef | ast.ClassDef) -> str:
    """The first lines of a compound statement, up to its colon."""
    if isinstance(node, ast.FunctionDef):
        decorators = [f"@{expression(one)}\n" for one in node.decorator_list]
        returns = "" if node.returns is None else f" -> {expression(node.returns)}"
        return f"{''.join(decorators)}def {node.name}({_parameters(node.args)}){returns}:"
    if isinstance(node, ast.For):
        return f"for {expression(node.target, _TUPLE)} in {expression(node.iter)}:"
    if isinstance(node, ast.While):
        return f"while {expression(node.test)}:"
    decorators = [f"@{expression(one)}\n" for one in node.decorator_list]
    bases = [*map(expression, node.bases), *map(_keyword, node.keywords)]
    listed = f"({', '.join(bases)})" if bases else ""
    return f"{''.join(decorators)}class {node.name}{listed}:"


def _by_ast(node: ast.expr, around: int) -> str:
    """Kinds that are atoms to `ast.unparse` (f-strings), and those that nothing emits."""
    text = ast.unparse(node)
    return text if around <= _TEST or isinstance(node, ast.JoinedStr) else f"({text})"


def _enclosed(text: str, own: int, around: int) -> str:
    return f"({text})" if around > own else text


def _listed(nodes: Sequence[ast.expr]) -> str:
    return ", ".join([expression(node) for node in nodes])


# -- atoms -----------------------------------------------------------------------------------


def _name(node: ast.Name, around: int) -> str:
    return node.id


def _constant(node: ast.Constant, around: int) -> str:
    value = node.value
    if type(value) is float:
        return repr(value).replace("inf", "1e309")
    return "..." if value is ... else repr(value)


def _attribute(node: ast.Attribute, around: int) -> str:
    value = node.value
    is_int = isinstance(value, ast.Constant) and isinstance(value.value, int)
    return f"{expression(value, _ATOM)}{' ' if is_int else ''}.{node.attr}"


def _call(node: ast.Call, around: int) -> str:
    arguments = _listed(node.args)
    if node.keywords:
        named = ", ".join(map(_keyword, node.keywords))
        arguments = f"{arguments}, {named}" if arguments else named
    return f"{expression(node.func, _ATOM)}({arguments})"


def _keyword(node: ast.keyword) -> str:
    name = "**" if node.arg is None else f"{node.arg}="
    return name + expression(node.value)


def _subscript(node: ast.Subscript, around: int) -> str:
    return f"{expression(node.value, _ATOM)}[{expression(node.slice, _TUPLE)}]"


def _slice(node: ast.Slice, around: int) -> str:
    lower, upper = (expression(part) if part else "" for part in (node.lower, node.upper))
    return f"{lower}:{upper}" + (f":{expression(node.step)}" if node.step else "")


def _list(node: ast.List, around: int) -> str:
    return f"[{_listed(node.elts)}]"


def _tuple(node: ast.Tuple, around: int) -> str:
    text = f"{_listed(node.elts)}{',' if len(node.elts) == 1 else ''}"
    return _enclosed(text, _TUPLE, around) if text else "()"


def _dict(node: ast.Dict, around: int) -> str:
    items = [
        (
            f"**{expression(value, _EXPRESSION)}"
            if key is None
            else f"{expression(key)}: {expression(value)}"
        )
        for key, value in zip(node.keys, node.values, strict=True)
    ]
    return "{" + ", ".join(items) + "}"


# -- operators -------------------------------------------------------------------------------


def _binary(node: ast.BinOp, around: int) -> str:
    known = _BINARY.get(type(node.op))
    if known is None:
        return _by_ast(node, around)
    symbol, own = known
    left, right = expression(node.left, own), expression(node.right, own + 1)
    return _enclosed(f"{left} {symbol} {right}", own, around)


def _unary(node: ast.UnaryOp, around: int) -> str:
    if isinstance(node.op, ast.Not):
        return _enclosed(f"not {expression(node.operand, _NOT)}", _NOT, around)
    if not isinstance(node.op, ast.USub):
        return _by_ast(node, around)
    return _enclosed(f"-{expression(node.operand, _FACTOR)}", _FACTOR, around)


def _comparison(node: ast.Compare, around: int) -> str:
    text = expression(node.left, _EXPRESSION)
    for operator, right in zip(node.ops, node.comparators, strict=True):
        text += f" {_COMPARISONS[type(operator)]} {expression(right, _EXPRESSION)}"
    return _enclosed(text, _COMPARISON, around)


def _boolean(node: ast.BoolOp, around: int) -> str:
    """Each operand is taken to be in one more pair of parentheses, as `ast` does."""
    own, symbol = (_AND, " and ") if isinstance(node.op, ast.And) else (_OR, " or ")
    operands = [
        expression(value, min(own + number, _ATOM))
        for number, value in enumerate(node.values, start=1)
    ]
    return _enclosed(symbol.join(operands), own, around)


def _conditional(node: ast.IfExp, around: int) -> str:
    body, test = expression(node.body, _OR), expression(node.test, _OR)
    return _enclosed(f"{body} if {test} else {expression(node.orelse)}", _TEST, around)


def _lambda(node: ast.Lambda, around: int) -> str:
    parameters = _parameters(node.args)
    head = f"lambda {parameters}" if parameters else "lambda"
    return _enclosed(f"{head}: {expression(node.body)}", _TEST, around)


def _parameters(node: ast.arguments) -> str:
    first_optional = len(node.args) - len(node.defaults)
    written = [
        _parameter(
            one, node.defaults[number - first_optional] if number >= first_optional else None
        )
        for number, one in enumerate(node.args)
    ]
    if node.kwonlyargs:
        named = zip(node.kwonlyargs, node.kw_defaults, strict=True)
        written += ["*", *(_parameter(one, default) for one, default in named)]
    return ", ".join(written)


def _parameter(node: ast.arg, default: ast.expr | None) -> str:
    text = node.arg if node.annotation is None else f"{node.arg}: {expression(node.annotation)}"
    return text if default is None else f"{text}={expression(default)}"


# -- f-strings -------------------------------------------------------------------------------


def _f_string(node: ast.JoinedStr, around: int) -> str:
    """Without quotes in it, which leave `ast` to choose others."""
    parts = [_f_string_part(part) for part in node.values]
    if any(part is None for part in parts):
        return ast.unparse(node)
    return f"f'{''.join(part or '' for part in parts)}'"


def _f_string_part(node: ast.expr) -> str | None:
    if isinstance(node, ast.Constant):
        text = repr(node.value).replace("{", "{{").replace("}", "}}")
        return None if "'" in text[1:-1] or '"' in text else text[1:-1]
    if not isinstance(node, ast.FormattedValue) or node.conversion != -1:
        return None
    value = expression(node.value, _OR)
    spec = ""
    if node.format_spec is not None:
        assert isinstance(node.format_spec, ast.JoinedStr)
        parts = [_f_string_part(part) for part in node.format_spec.values]
        spec = ":" + "".join(part or "" for part in parts)
    is_plain = not (value.startswith("{") or "'" in value or '"' in value or "\\" in value)
    return f"{{{value}{spec}}}" if is_plain else None


# -- statements ------------------------------------------------------------------------------


def _assign(node: ast.Assign) -> str:
    targets = [f"{expression(target, _TUPLE)} = " for target in node.targets]
    return "".join(targets) + expression(node.value)


def _annotated(node: ast.AnnAssign) -> str:
    text = f"{expression(node.target)}: {expression(node.annotation)}"
    return text if node.value is None else f"{text} = {expression(node.value)}"


def _changed(node: ast.AugAssign) -> str:
    known = _BINARY.get(type(node.op))
    if known is None:
        return ast.unparse(node)
    return f"{expression(node.target)} {known[0]}= {expression(node.value)}"


def _return(node: ast.Return) -> str:
    return "return" if node.value is None else f"return {expression(node.value)}"


def _expression(node: ast.Expr) -> str:
    return expression(node.value)


_EXPRESSIONS: Final[dict[type[ast.expr], Callable[[Any, int], str]]] = {
    ast.Name: _name,
    ast.Constant: _constant,
    ast.Attribute: _attribute,
    ast.Call: _call,
    ast.Subscript: _subscript,
    ast.Slice: _slice,
    ast.List: _list,
    ast.Tuple: _tuple,
    ast.Dict: _dict,
    ast.BinOp: _binary,
    ast.UnaryOp: _unary,
    ast.Compare: _comparison,
    ast.BoolOp: _boolean,
    ast.IfExp: _conditional,
    ast.Lambda: _lambda,
    ast.JoinedStr: _f_string,
}
_STATEMENTS: Final[dict[type[ast.stmt], Callable[[Any], str]]] = {
    ast.Assign: _assign,
    ast.AnnAssign: _annotated,
    ast.AugAssign: _changed,
    ast.Return: _return,
    ast.Expr: _expression,
}
