"""The final text of a module: black's formatting, checked, with its source map.

Black does not change the tree, so the positions that the emitted tree carries (the script's) meet
the positions of the formatted text by walking both trees in step.
"""

from __future__ import annotations

import ast
import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass

from flintc.emit.module import EmittedModule
from flintc.emit.printer import LINE_LENGTH

_VERSION = 1
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
    spans = list(_spans(module.tree, ast.parse(text), module))
    return FormattedModule(text, _source_map(module, text, spans))


def _spans(
    emitted: ast.Module, parsed: ast.Module, module: EmittedModule
) -> Iterator[tuple[int, ...]]:
    """[line, column, end line, end column] in the Python text, then in the script. Lines from 1,
    columns from 0 in UTF-8 bytes.
    """
    pairs: list[tuple[ast.AST, ast.AST]] = [(emitted, parsed)]
    while pairs:
        ours, theirs = pairs.pop()
        if type(ours) is not type(theirs):
            raise EmissionFault(
                f"{module.path}: emitted {type(ours).__name__}, printed {type(theirs).__name__} "
                f"at line {getattr(theirs, 'lineno', 0)} of the generated text"
            )
        if isinstance(ours, _MAPPED) and isinstance(theirs, _MAPPED):
            yield (*_position(theirs), *_position(ours))
        below = list(zip(_children(ours), _children(theirs), strict=True))
        below.reverse()
        pairs.extend(below)


def _children(node: ast.AST) -> list[ast.AST]:
    return [
        child
        for child in ast.iter_child_nodes(node)
        if not isinstance(child, ast.expr_context | ast.operator | ast.unaryop | ast.boolop)
    ]


def _position(node: ast.stmt | ast.expr) -> tuple[int, int, int, int]:
    return (node.lineno, node.col_offset, node.end_lineno or 0, node.end_col_offset or 0)


def _source_map(module: EmittedModule, text: str, spans: list[tuple[int, ...]]) -> str:
    rows = ",\n".join(json.dumps(row) for row in spans)
    head = {
        "version": _VERSION,
        "source": module.shown_path,
        "source_sha256": hashlib.sha256(module.source.encode()).hexdigest(),
        "output_sha256": hashlib.sha256(text.encode()).hexdigest(),
    }
    return json.dumps(head, indent=1)[:-2] + ',\n "mappings": [\n' + rows + "\n]}\n"
