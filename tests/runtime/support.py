"""Running code in a fresh interpreter, with our packages importable, and reading what it says."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]


def python(*arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run the interpreter with these arguments and additional environment variables."""
    path = os.pathsep.join([str(ROOT), str(ROOT / "runtime")])
    return subprocess.run(
        [sys.executable, *arguments],
        capture_output=True,
        encoding="utf-8",
        timeout=300,
        env=os.environ | {"PYTHONPATH": path} | variables,
        check=False,
    )


def assert_refused(outcome: dict[str, Any], function: str, says: str) -> None:
    """One line on stderr, exit 1: the host function refused, in these words (a pattern)."""
    assert outcome["code"] == 1, outcome
    assert outcome["stdout"] == "", outcome
    (line,) = outcome["stderr"].splitlines()
    prefix = f"Error: host error: flint::{function}: "
    assert line.startswith(prefix), line
    assert re.search(says, line.removeprefix(prefix)), line


def on_screen(written: str) -> str:
    """What a terminal's line shows after carriage returns overwrote it."""
    line: list[str] = []
    for part in written.replace("\x1b[A", "").split("\r"):
        line[: len(part)] = part
    return "".join(line).strip()
