"""Make a copy of flintc that mypyc turned into C, as black's and mypy's own wheels are.

Left as Python: what needs click, black, pygls or Pygments, and what runs programs.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LEFT = ("cli/", "lsp/", "__main__.py", "execute.py", "pygments_lexer.py", "syntax/dump.py")
_SETUP = """\
from mypyc.build import mypycify
from setuptools import setup

sources = {sources!r}
# -O1: twice as quick to build as -O3, and no slower to run
extensions = mypycify(["--strict", *sources], opt_level="1", debug_level="0", multi_file=True)
setup(name="flintc", packages=[], ext_modules=extensions)
"""
_LAST_LINES = 30


def compile_flintc(target: Path) -> None:
    """Replace `target` by a folder with the compiled package; SystemExit when that fails."""
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=target.parent) as name:
        folder = Path(name)
        shutil.copytree(
            ROOT / "flintc", folder / "flintc", ignore=shutil.ignore_patterns("__pycache__")
        )
        (folder / "setup.py").write_text(_SETUP.format(sources=_sources(folder)))
        _build(folder)
        shutil.rmtree(folder / "build")
        shutil.rmtree(target, ignore_errors=True)
        folder.rename(target)
        folder.mkdir()  # for TemporaryDirectory to remove


def _sources(folder: Path) -> list[str]:
    found = sorted(path.relative_to(folder) for path in (folder / "flintc").rglob("*.py"))
    left = tuple(f"flintc/{name}" for name in LEFT)
    return [path.as_posix() for path in found if not path.as_posix().startswith(left)]


def _build(folder: Path) -> None:
    jobs = str(os.cpu_count() or 1)
    command = [sys.executable, "setup.py", "build_ext", "--inplace", "-j", jobs]
    # `flint`, whose host functions flintc reads, is found where it is
    environment = os.environ | {"MYPYPATH": str(ROOT / "runtime")}
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)
    if done.returncode:
        tail = (done.stdout + done.stderr).splitlines()[-_LAST_LINES:]
        raise SystemExit("\n".join(["error: mypyc could not compile flintc", *tail]))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("target", type=Path, help="folder to put on PYTHONPATH, replaced")
    compile_flintc(parser.parse_args().target)
