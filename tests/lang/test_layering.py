"""`flint.lang` stands alone: native programs must not load torch because of it."""

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import flint.lang

ROOT = Path(flint.lang.__file__).parent
OPTIONAL = {("regex/__init__.py", "re2")}  # loaded for patterns that need it, if it is there
SOURCES = sorted(ROOT.rglob("*.py"))


def imported_modules(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom):
            yield node.module or ""
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(ROOT)))
def test_imports_are_the_standard_library_or_flint_lang(path: Path) -> None:
    for module in imported_modules(path):
        own = module == "flint.lang" or module.startswith("flint.lang.")
        own |= (path.relative_to(ROOT).as_posix(), module) in OPTIONAL
        assert own or module.split(".")[0] in sys.stdlib_module_names


def test_the_template_parser_needs_only_the_standard_library() -> None:
    assert not any(m.startswith("flint") for m in imported_modules(ROOT / "format.py"))
