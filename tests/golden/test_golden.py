"""What the emitted Python looks like, construct by construct.

After a deliberate change: `python tests/golden/support.py`, then read the difference.
"""

from __future__ import annotations

import ast
import sys
from pathlib import Path

import parso
import pytest

sys.path.insert(0, str(Path(__file__).parent))
import support

GOLDENS = sorted(support.FOLDER.glob("*.md"))
SUPPORTED = ("3.11", "3.12", "3.13")


@pytest.mark.parametrize("path", GOLDENS, ids=lambda path: path.stem)
def test_golden(path: Path) -> None:
    golden = support.read(path)
    assert support.compiled(golden).text() == path.read_text(encoding="utf-8")


@pytest.mark.parametrize("path", GOLDENS, ids=lambda path: path.stem)
def test_is_valid_for_every_supported_python(path: Path) -> None:
    for text in support.read(path).python.values():
        for version in SUPPORTED:
            grammar = parso.load_grammar(version=version)
            errors = [error.message for error in grammar.iter_errors(grammar.parse(text))]
            assert errors == [], version


@pytest.mark.parametrize("path", GOLDENS, ids=lambda path: path.stem)
def test_importing_runs_nothing(path: Path) -> None:
    for text in support.read(path).python.values():
        for statement in ast.parse(text).body:
            assert _only_defines(statement), ast.unparse(statement)


def _only_defines(statement: ast.stmt) -> bool:
    """Imports, definitions, annotations, what wraps a host function, the guard of `python -m`."""
    match statement:
        case ast.Import() | ast.ImportFrom() | ast.FunctionDef() | ast.ClassDef() | ast.AnnAssign():
            return True
        case ast.Expr(value=ast.Constant()):
            return True
        case ast.Assign(value=ast.Call(func=ast.Name(id="TypeVar" | "checked"))):
            return True
        case ast.If(test=test):
            return "__main__" in ast.unparse(test)
        case _:
            return False
