"""Where Python evaluates in another order than the language: whether that can be seen."""

from __future__ import annotations

import ast
from typing import Final

from flintc.emit.body import Body

_QUIET: Final = (
    *(ast.Name, ast.Constant, ast.JoinedStr, ast.FormattedValue, ast.List, ast.Dict, ast.BinOp),
    *(ast.UnaryOp, ast.unaryop, ast.Add, ast.Sub, ast.Mult, ast.expr_context),
)
_QUIET_HELPERS: Final = ("wrap", "display", "own")
_PYTHON_FUNCTIONS: Final = ("len", "float")


def commutes(body: Body, first: ast.expr, second: ast.expr) -> bool:
    """Whether two expressions may be evaluated in either order."""
    if isinstance(first, ast.Constant) or isinstance(second, ast.Constant):
        return True
    return (_is_quiet(body, first) and not _may_change_variables(body, second)) or (
        _is_quiet(body, second) and not _may_change_variables(body, first)
    )


def _is_quiet(body: Body, expression: ast.expr) -> bool:
    """Whether an expression has no effects and cannot fail."""
    imports = body.context.imports
    known = {*_PYTHON_FUNCTIONS, *(imports.language_name(helper) for helper in _QUIET_HELPERS)}
    return all(
        isinstance(part, _QUIET) or (isinstance(part, ast.Call) and _called(part) in known)
        for part in ast.walk(expression)
    )


def _may_change_variables(body: Body, expression: ast.expr) -> bool:
    """Only functions of the script do: not helpers, host functions or methods."""
    imports = body.context.imports
    return any(
        isinstance(part, ast.Call)
        and isinstance(part.func, ast.Name)
        and part.func.id not in _PYTHON_FUNCTIONS
        and (not imports.is_language(part.func.id) or part.func.id == imports.language_name("call"))
        for part in ast.walk(expression)
    )


def _called(call: ast.Call) -> str | None:
    return call.func.id if isinstance(call.func, ast.Name) else None
