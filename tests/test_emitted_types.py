"""mypy --strict accepts the Python that is emitted for the conformance suite's programs, and ours.

A sample runs always, the whole suite with `-m slow`.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import flint
from flintc import compiler
from flintc.emit.context import Options

ROOT = Path(__file__).parent.parent
GIVEN = ROOT / "tests" / "conformance" / "given"
SAMPLE = 16  # every so manyth program
OWN = ROOT / "tests" / "emit" / "untyped_values.rss"


def _programs() -> list[Path]:
    """The programs that run to their end, in a fixed order."""
    cases = sorted(GIVEN.rglob("*.json"))
    sound = [case for case in cases if json.loads(case.read_text())["status"] == "ok"]
    return [
        (
            case.with_suffix(".rss")
            if case.with_suffix(".rss").exists()
            else case.with_suffix("") / "main.rss"
        )
        for case in sound
    ]


def _emit(programs: list[Path], folder: Path) -> None:
    for number, program in enumerate(programs):
        package = f"program_{number}_{program.parent.name}_{program.stem}"
        compiled = compiler.compile_file(str(program), Options(package=package))
        assert compiled.ok, program
        for module in compiled.modules:
            path = folder.joinpath(package, *module.name.split(".")).with_suffix(".py")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(module.text, encoding="utf-8")


# No program of the suite uses tensors, and reading torch takes most of a minute.
_CONFIG = "[mypy]\n[mypy-torch.*]\nfollow_imports = skip\n"


def _check(folder: Path) -> str:
    """What mypy complains about."""
    config = folder / "mypy.ini"
    config.write_text(_CONFIG, encoding="utf-8")
    options = ["--strict", "--no-error-summary", "--namespace-packages", "--explicit-package-bases"]
    options += ["--config-file", str(config)]
    done = subprocess.run(
        [sys.executable, "-m", "mypy", *options, "--cache-dir", str(folder / "cache"), "."],
        cwd=folder,
        env={**os.environ, "MYPYPATH": str(ROOT / "runtime")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stderr == ""
    return "\n".join(line[-200:] for line in done.stdout.split("\n") if line.startswith("program_"))


def test_a_sample(tmp_path: Path) -> None:
    _emit([*_programs()[::SAMPLE], OWN], tmp_path)
    assert _check(tmp_path) == ""


@pytest.mark.slow
def test_every_program(tmp_path: Path) -> None:
    _emit(_programs(), tmp_path)
    assert _check(tmp_path) == ""


def test_a_type_that_no_argument_tells_is_any() -> None:
    """mypy refuses a type variable in the result alone: Python's callers cannot give it."""
    source = """
    use flint;
    pub fn value<T>(reference: int) -> T { flint::cli::get(reference) }
    pub fn same<T>(x: T) -> T { x }
    """
    python = flint.compile_source(source).python
    assert "def value(reference: cli.Reference) -> Any:" in python
    assert "def same(x: T) -> T:" in python
