"""Which index was out of range: Python's `IndexError` does not say, the language's error does.

Generated code subscripts plainly where the index cannot be negative and is a simple expression, so
the failing subscript can be found by its position and its index evaluated again.
"""

from __future__ import annotations

import ast
import linecache
from itertools import islice
from types import CodeType, FrameType, TracebackType

TREE = "__flint_tree__"
"""Global of a module compiled in memory: the `ast.Module` that its code was made from."""

_SAFE = (
    ast.Name,
    ast.Constant,
    ast.BinOp,
    ast.UnaryOp,
    ast.Call,
    ast.operator,
    ast.unaryop,
    ast.expr_context,
)
_CONTAINERS = {"list": "array", "string": "string"}


def index_error_text(error: IndexError) -> str:
    """`array index 7 out of bounds`, or without the number where it cannot be found."""
    container = _CONTAINERS.get(str(error).split(" ")[0], "bytes")
    index = _failed_index(error.__traceback__)
    number = "" if index is None else f" {index}"
    return f"{container} index{number} out of bounds"


def _failed_index(traceback: TracebackType | None) -> int | None:
    while traceback is not None and traceback.tb_next is not None:
        traceback = traceback.tb_next
    if traceback is None:
        return None
    frame = traceback.tb_frame
    position = _position(frame.f_code, traceback.tb_lasti)
    subscript = _find(_tree(frame), position)
    return None if subscript is None else _evaluate(subscript.slice, frame)


def _position(code: CodeType, instruction: int) -> tuple[int | None, ...]:
    return next(islice(code.co_positions(), instruction // 2, None))


def _tree(frame: FrameType) -> ast.AST | None:
    tree = frame.f_globals.get(TREE)
    if isinstance(tree, ast.AST):
        return tree
    text = "".join(linecache.getlines(frame.f_code.co_filename, frame.f_globals))
    try:
        return ast.parse(text)
    except (SyntaxError, ValueError):
        return None


def _find(tree: ast.AST | None, position: tuple[int | None, ...]) -> ast.Subscript | None:
    line, end_line, column, end_column = position
    for node in ast.walk(tree) if tree is not None else ():
        if isinstance(node, ast.Subscript) and (
            (node.lineno, node.end_lineno, node.col_offset, node.end_col_offset)
            == (line, end_line, column, end_column)
        ):
            return node
    return None


def _evaluate(index: ast.expr, frame: FrameType) -> int | None:
    """The value of names, numbers, arithmetic and `len`; anything else could have effects."""
    if not all(isinstance(node, _SAFE) for node in ast.walk(index)):
        return None
    names = {"len": len, "__builtins__": {}}
    try:
        code = compile(ast.Expression(index), "<index>", "eval")
        value = eval(code, {**frame.f_globals, **names}, frame.f_locals)
    except Exception:  # a name that is gone: the message goes without the number
        return None
    return value if type(value) is int else None
