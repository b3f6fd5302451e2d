"""Make a copy of flintc that mypyc turned into C, as black's and mypy's own wheels are.

The hook of hatch-mypyc hides `pyproject.toml` while it works, so it runs on a copy of the sources.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SOURCES = ("flintc", "runtime", "pyproject.toml", "README.md", "LICENSE")
_LAST_LINES = 30


def compile_flintc(target: Path) -> None:
    """Replace `target` by a folder with the compiled package; SystemExit when that fails."""
    with tempfile.TemporaryDirectory() as folder:
        wheel = _wheel(_copy(Path(folder)))
        fresh = target.with_name(target.name + ".new")
        shutil.rmtree(fresh, ignore_errors=True)
        with zipfile.ZipFile(wheel) as archive:
            archive.extractall(fresh)
    shutil.rmtree(target, ignore_errors=True)
    fresh.rename(target)


def _copy(folder: Path) -> Path:
    for name in SOURCES:
        source = ROOT / name
        if source.is_dir():
            shutil.copytree(source, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(source, folder / name)
    # setuptools compiles one file after the other unless it is told how many at once
    (folder / "setup.cfg").write_text(f"[build_ext]\nparallel = {os.cpu_count() or 1}\n")
    return folder


def _wheel(folder: Path) -> Path:
    command = [
        sys.executable,
        "-m",
        "hatchling",
        "build",
        "-t",
        "wheel",
        "-d",
        str(folder / "dist"),
    ]
    environment = os.environ | {"HATCH_BUILD_HOOK_ENABLE_MYPYC": "true"}
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)
    if done.returncode:
        tail = (done.stdout + done.stderr).splitlines()[-_LAST_LINES:]
        raise SystemExit("\n".join(["error: mypyc could not compile flintc", *tail]))
    (wheel,) = (folder / "dist").glob("*.whl")
    return wheel


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("target", type=Path, help="folder to put on PYTHONPATH, replaced")
    compile_flintc(parser.parse_args().target)
