"""The text that mypyc compiles in the place of a generated module (`flintc build --native`)."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator
from typing import Final, TypeAlias

from flintc.emit.context import LANGUAGE

# a call costs less than a look-up in a module's dictionary
_FUNCTION_FOR: Final = {"DEEPER": "deeper"}

_Edit: TypeAlias = tuple[int, int, int, bytes]
"""A line from 1, two columns in bytes from 0, and what takes the place of the bytes between."""


def compiled_form(text: str, language: str, compiled: Collection[str]) -> str:
    """Take those names of `flint.lang` that are `compiled` from the module `language`.

    Lines stay where they are, so the module's source map still gives their places.
    """
    tree = ast.parse(text)
    lines = text.encode().split(b"\n")
    imports = [
        node for node in tree.body if isinstance(node, ast.ImportFrom) and node.module == LANGUAGE
    ]
    tables = {local for node in imports for local in _tables(node)}
    edits = {edit for node in ast.walk(tree) for edit in _edits(node, tables)}
    for line, column, end, replacement in sorted(edits, reverse=True):
        lines[line - 1] = lines[line - 1][:column] + replacement + lines[line - 1][end:]
    for node in imports:
        first, last = node.lineno - 1, node.end_lineno or node.lineno
        statements = "; ".join(_statements(node, language, compiled))
        lines[first:last] = [statements.encode(), *[b""] * (last - first - 1)]
    return b"\n".join(lines).decode()


def _tables(node: ast.ImportFrom) -> Iterator[str]:
    """The local names of what becomes a function."""
    return (alias.asname or alias.name for alias in node.names if alias.name in _FUNCTION_FOR)


def _statements(node: ast.ImportFrom, language: str, compiled: Collection[str]) -> Iterator[str]:
    for alias in node.names:
        name, local = _FUNCTION_FOR.get(alias.name, alias.name), alias.asname or alias.name
        module = language if name in compiled else LANGUAGE
        yield f"from {module} import {name}" + ("" if name == local else f" as {local}")


def _edits(node: ast.AST, tables: Collection[str]) -> Iterator[_Edit]:
    if isinstance(node, ast.Subscript):
        if isinstance(node.value, ast.Name) and node.value.id in tables:
            yield _edit(node, node.value.end_col_offset, b"(", node.value.end_lineno)
            yield _edit(node, (node.end_col_offset or 1) - 1, b")", node.end_lineno)
    elif isinstance(node, ast.While | ast.If | ast.IfExp | ast.BoolOp):
        flag = _leading_name(node if isinstance(node, ast.BoolOp) else node.test)
        if flag is not None:
            twice = f"({flag.id} and {flag.id})".encode()
            yield flag.lineno, flag.col_offset, flag.end_col_offset or 0, twice


def _edit(node: ast.Subscript, column: int | None, bracket: bytes, line: int | None) -> _Edit:
    """Another bracket, for `DEEPER[depth]` as `DEEPER(depth)`."""
    first = column or 0
    return line or node.lineno, first, first + 1, bracket


def _leading_name(test: ast.expr) -> ast.Name | None:
    """The flag that a condition tests first.

    mypyc 2.4 drops the test of a flag that is read in one place only, also where a loop comes back
    to it without an assignment (`do_flag_elimination`); read twice, a flag is kept.
    """
    while not isinstance(test, ast.Name):
        if isinstance(test, ast.BoolOp):
            test = test.values[0]
        elif isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
            test = test.operand
        else:
            return None
    return test
