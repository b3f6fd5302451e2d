"""Running mypyc over files in a folder, and what its messages mean."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from flintc.cli import mypyc_setup
from flintc.cli.mypyc_setup import NO_BINARY, REFUSED
from flintc.locate import runtime_root

# at -O1 a loop over floats takes twice as long; -O3 gains nothing more
_LEVEL: Final = "2"
_CONFIG: Final = """\
[mypy]
explicit_package_bases = True
follow_imports = silent
ignore_missing_imports = True
no_site_packages = True
cache_dir = cache
"""
_PLAIN: Final = "the Python modules work as they are: build without `--native`"


class CannotCompile(Exception):
    """Nothing can be compiled; `help` says what to do."""

    def __init__(self, title: str, help: str) -> None:
        super().__init__(title)
        self.help = help


@dataclass(frozen=True, slots=True)
class Refusal:
    """What mypyc has against a file: its first message, and how many there are."""

    file: str
    message: str
    count: int


def require_mypyc() -> None:
    """`CannotCompile` where mypyc, or setuptools, which it needs, is not installed."""
    missing = [name for name in ("mypyc", "setuptools") if find_spec(name) is None]
    if missing:
        title = f"--native needs {' and '.join(missing)}, which this Python does not have"
        raise CannotCompile(title, "install it: pip install 'flintc[native]'")


def run_mypyc(
    folder: Path, groups: Mapping[str, Sequence[str]], bases: Sequence[str]
) -> list[Refusal]:
    """Compile groups of files, by their names below `folder`, to extensions below `folder/out`.

    `bases` are the folders below which a file's path is its module's name. Nothing is made if
    mypyc refuses a file. `CannotCompile` if the C compiler fails.
    """
    _copy_language(folder / "library")
    plan = {"groups": {name: list(files) for name, files in groups.items()}, "level": _LEVEL}
    (folder / "build.json").write_text(json.dumps(plan), encoding="utf-8")
    (folder / "mypy.ini").write_text(_CONFIG, encoding="utf-8")
    done = _run(folder, bases)
    output = (done.stdout + done.stderr).splitlines()
    if done.returncode == 0:
        return []
    refusals = _refusals(output, {file for files in groups.values() for file in files})
    if done.returncode == REFUSED and refusals:
        return refusals
    reason = _telling(output)
    if done.returncode == NO_BINARY:
        help = f"a C compiler and Python's headers are needed; {_PLAIN}"
        raise CannotCompile(f"the C compiler failed: {reason}", help)
    raise CannotCompile(f"mypyc failed: {reason}", _PLAIN)


def _copy_language(target: Path) -> None:
    """The types of `flint.lang`: mypy would read all of `flint`, and torch, for the rest."""
    source = runtime_root() / "flint" / "lang"
    ignored = shutil.ignore_patterns("__pycache__")
    shutil.copytree(source, target / "flint" / "lang", ignore=ignored, dirs_exist_ok=True)
    (target / "flint" / "__init__.py").touch()


def _run(folder: Path, bases: Sequence[str]) -> subprocess.CompletedProcess[str]:
    path = os.pathsep.join(["library", *bases])
    return subprocess.run(
        [sys.executable, "-P", mypyc_setup.__file__],
        cwd=folder,
        env=os.environ | {"MYPYPATH": path},
        capture_output=True,
        text=True,
        check=False,
    )


def _refusals(output: Sequence[str], files: set[str]) -> list[Refusal]:
    """The errors of mypy and mypyc by file, `FILE:LINE: error: MESSAGE  [code]`."""
    found: dict[str, list[str]] = {}
    for line in output:
        place, mark, message = line.partition(": error: ")
        file, _, number = place.rpartition(":")
        if mark and file in files:
            found.setdefault(file, []).append(f"line {number}: {message.strip()}")
    return [Refusal(file, messages[0], len(messages)) for file, messages in found.items()]


def _telling(output: Sequence[str]) -> str:
    """The line that says most: the first error, else the last line."""
    errors = [line for line in output if "error:" in line.lower()]
    return (errors or [line for line in output if line.strip()][-1:] or ["without a message"])[0]
