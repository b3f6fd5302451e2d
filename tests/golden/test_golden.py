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
    assert support.compiled(golden, path.stem) == golden


@pytest.mark.parametrize("path", GOLDENS, ids=lambda path: path.stem)
def test_is_valid_for_every_supported_python(path: Path) -> None:
    python = support.read(path).python
    for version in SUPPORTED:
        grammar = parso.load_grammar(version=version)
        errors = [error.message for error in grammar.iter_errors(grammar.parse(python))]
        assert errors == [], version


@pytest.mark.parametrize("path", GOLDENS, ids=lambda path: path.stem)
def test_importing_runs_nothing(path: Path) -> None:
    allowed = ast.Import | ast.ImportFrom | ast.FunctionDef | ast.ClassDef | ast.AnnAssign
    for statement in ast.parse(support.read(path).python).body:
        is_docstring = isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
        is_type_variable = isinstance(statement, ast.Assign) and "TypeVar" in ast.unparse(statement)
        is_guard = isinstance(statement, ast.If) and "__main__" in ast.unparse(statement.test)
        assert isinstance(statement, allowed) or is_docstring or is_guard or is_type_variable
