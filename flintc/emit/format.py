"""The final text of a module: black's formatting, checked, with its source map.

Black does not change the tree, so the positions that the emitted tree carries (the script's) meet
the positions of the formatted text by walking both trees in step.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from flintc import source_map
from flintc.emit.line_origins import line_origins
from flintc.emit.module import EmittedModule
from flintc.emit.printer import LINE_LENGTH
from flintc.source_map import Piece, Row, SourceMap

_MAPPED = (ast.stmt, ast.expr)


@dataclass(frozen=True, slots=True)
class FormattedModule:
    text: str
    source_map: str


class EmissionFault(Exception):
    """The emitted text does not say what the emitted tree says: a defect of flintc."""


def format_module(module: EmittedModule) -> FormattedModule:
    """Format a module and derive its source map."""
    import black
    from black.mode import TargetVersion

    mode = black.Mode(target_versions={TargetVersion.PY311}, line_length=LINE_LENGTH)
    text = black.format_str(module.text, mode=mode)
    tree = ast.parse(text)
    rows = list(_rows(module.tree, tree, module))
    found = SourceMap(
        module.shown_path,
        source_map.text_hash(module.source),
        source_map.text_hash(text),
        rows,
        line_origins(text, tree, module.source, rows),
    )
    return FormattedModule(text, source_map.to_json(found))


def _rows(emitted: ast.Module, parsed: ast.Module, module: EmittedModule) -> Iterator[Row]:
    """A row for every statement and expression, outer ones before inner ones."""
    pairs: list[tuple[ast.AST, ast.AST]] = [(emitted, parsed)]
    while pairs:
        ours, theirs = pairs.pop()
        if type(ours) is not type(theirs):
            raise EmissionFault(
                f"{module.path}: emitted {type(ours).__name__}, printed {type(theirs).__name__} "
                f"at line {getattr(theirs, 'lineno', 0)} of the generated text"
            )
        if isinstance(ours, _MAPPED) and isinstance(theirs, _MAPPED):
            yield Row(_position(theirs), _position(ours))
        below = list(zip(_children(ours), _children(theirs), strict=True))
        below.reverse()
        pairs.extend(below)


def _children(node: ast.AST) -> list[ast.AST]:
    return [
        child
        for child in ast.iter_child_nodes(node)
        if not isinstance(child, (ast.expr_context, ast.operator, ast.unaryop, ast.boolop))
    ]


def _position(node: ast.stmt | ast.expr) -> Piece:
    return Piece(node.lineno, node.col_offset, node.end_lineno or 0, node.end_col_offset or 0)
