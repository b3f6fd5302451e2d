"""The invariants that ARCHITECTURE.md states, by number."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
SOURCES = ("flintc", "runtime/flint")
# the parts of flintc that touch files, processes or other packages
_OUTER = (
    "flintc/cli/",
    "flintc/files.py",
    "flintc/map_files.py",
    "flintc/host_modules.py",
    "flintc/compiler.py",
    "flintc/execute.py",
)
_FORMATTING = "flintc/emit/format.py"
_GENERATED_MAY_IMPORT = {"flint", "typing", "collections.abc", "torch", "__future__"}


def _modules(folder: str) -> Iterator[Path]:
    return (path for path in (ROOT / folder).rglob("*.py") if "__pycache__" not in path.parts)


def _imports(path: Path, *, top_level_only: bool = False) -> set[str]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    nodes = tree.body if top_level_only else ast.walk(tree)
    found: set[str] = set()
    for node in nodes:
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            found.add(node.module)
    return found


def _roots(names: set[str]) -> set[str]:
    return {name.split(".")[0] for name in names}


def _python(code: str, **environment: str) -> str:
    path = os.pathsep.join([str(ROOT), str(ROOT / "runtime")])
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": path, **environment},
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def _loaded_by(code: str) -> set[str]:
    modules = _python(f"{code}\nimport sys; print('\\n'.join(sys.modules))")
    return set(modules.split("\n"))


def test_1_the_core_of_the_compiler_does_no_io() -> None:
    for path in _modules("flintc"):
        name = path.relative_to(ROOT).as_posix()
        if name.startswith(_OUTER) or name == "flintc/__main__.py":
            continue
        roots = _roots(_imports(path))
        forbidden = {"click", "torch", "flint", "tokenizers", "subprocess", "shutil"}
        if name != _FORMATTING:
            forbidden.add("black")
        assert not roots & forbidden, name


@pytest.mark.parametrize("arguments", [["--help"], ["check", "scripts/llama_quantized.rss"]])
def test_2_the_compiler_loads_no_heavy_package(arguments: list[str]) -> None:
    code = (
        "from flintc.cli import main\n"
        f"try: main({arguments!r}, standalone_mode=False)\n"
        "except SystemExit: pass"
    )
    assert not _loaded_by(code) & {"torch", "black", "tokenizers", "flint", "numpy"}


def test_3_flint_loads_neither_flintc_nor_torch() -> None:
    loaded = _loaded_by("import flint, flint.cli, flint.runtime.llama, flint.runtime.program")
    assert not loaded & {"flintc", "torch", "llama_cpp", "numpy"}


def test_4_generated_modules_import_flint_only() -> None:
    for path in _modules("generated"):
        for name in _imports(path):
            allowed = name in _GENERATED_MAY_IMPORT or name.startswith(("flint.", "generated."))
            assert allowed, f"{path.name} imports {name}"


def test_6_emission_is_deterministic(tmp_path: Path) -> None:
    texts = set()
    for seed in ("0", "1", "42"):
        folder = tmp_path / f"seed{seed}" / "generated"
        _python(
            "from flintc.cli import main\n"
            f"main(['build', 'scripts/llama_quantized.rss', '-o', {str(folder)!r}])",
            PYTHONHASHSEED=seed,
        )
        texts.add((folder / "llama_quantized.py").read_bytes())
        texts.add((folder / "llama_quantized.py.map").read_bytes())
    assert len(texts) == 2  # one text and one map


def test_8_generated_modules_are_fresh(tmp_path: Path) -> None:
    folder = tmp_path / "generated"
    scripts = sorted(path.relative_to(ROOT).as_posix() for path in (ROOT / "scripts").glob("*.rss"))
    _python("from flintc.cli import main\n" f"main(['build', *{scripts!r}, '-o', {str(folder)!r}])")
    built = sorted(path for path in folder.rglob("*") if path.suffix in (".py", ".map"))
    committed = sorted(
        path
        for path in (ROOT / "generated").rglob("*")
        if path.suffix in (".py", ".map") and "__pycache__" not in path.parts
    )
    assert [path.name for path in built] == [path.name for path in committed]
    for new, old in zip(built, committed, strict=True):
        assert new.read_text() == old.read_text(), f"{old.name} is stale: run `make build`"


@pytest.mark.parametrize("folder", SOURCES)
def test_9_no_file_is_long(folder: str) -> None:
    for path in _modules(folder):
        lines = path.read_text(encoding="utf-8").count("\n")
        assert lines <= 1000, f"{path.name} has {lines} lines"
