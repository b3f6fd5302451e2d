"""The worked example of docs/user-host-functions.md, as a reader would do it."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path


def blocks(root: Path, language: str) -> list[str]:
    page = (root / "docs" / "user-host-functions.md").read_text(encoding="utf-8")
    return re.findall(rf"^```{language}\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)


def test_the_example_does_what_the_page_says(root: Path, tmp_path: Path) -> None:
    (tmp_path / "shop").mkdir()
    (tmp_path / "shop" / "prices.py").write_text(blocks(root, "python")[0])
    (tmp_path / "receipt.rss").write_text(blocks(root, "rust")[0])
    session = blocks(root, "text")[0].splitlines()
    command = session[0].removeprefix("$ flintc ").split()
    done = subprocess.run(
        [sys.executable, "-P", "-m", "flintc", *command],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": f"{root}{os.pathsep}{root / 'runtime'}"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines() == session[1:]


def test_the_generated_lines_are_as_shown(root: Path, tmp_path: Path) -> None:
    from flintc import compiler

    (tmp_path / "shop").mkdir()
    (tmp_path / "shop" / "prices.py").write_text(blocks(root, "python")[0])
    sys.path.insert(0, str(tmp_path))
    try:
        text = blocks(root, "rust")[0]
        python = compiler.compile_text(text, host="shop.prices").modules[-1].text
    finally:
        sys.path.remove(str(tmp_path))
    shown = [line for line in blocks(root, "text")[2].splitlines() if line]
    assert [line for line in python.splitlines() if line in shown] == shown
