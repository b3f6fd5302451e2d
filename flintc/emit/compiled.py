"""The text that mypyc compiles in the place of a generated module (`flintc build --native`)."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator
from typing import Final

from flintc.emit.context import LANGUAGE

# a call costs less than a look-up in a module's dictionary
_FUNCTION_FOR: Final = {"DEEPER": "deeper"}


def compiled_form(text: str, language: str, compiled: Collection[str]) -> str:
    """Take those names of `flint.lang` that are `compiled` from the module `language`.

    Lines stay where they are, so the module's source map still gives their places.
    """
    tree = ast.parse(text)
    lines = text.encode().split(b"\n")
    imports = [
        node for node in tree.body if isinstance(node, ast.ImportFrom) and node.module == LANGUAGE
    ]
    _make_calls(lines, tree, {local for node in imports for local in _tables(node)})
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


def _make_calls(lines: list[bytes], tree: ast.Module, tables: Collection[str]) -> None:
    """`DEEPER[depth]` as `DEEPER(depth)`: the same columns."""
    for node in ast.walk(tree) if tables else ():
        if not (isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name)):
            continue
        if node.value.id in tables:
            _put(lines, node.value.end_lineno, node.value.end_col_offset, b"(")
            _put(lines, node.end_lineno, (node.end_col_offset or 1) - 1, b")")


def _put(lines: list[bytes], line: int | None, column: int | None, character: bytes) -> None:
    assert line is not None
    assert column is not None
    old = lines[line - 1]
    lines[line - 1] = old[:column] + character + old[column + 1 :]
