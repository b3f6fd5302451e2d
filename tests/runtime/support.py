"""Running code in a fresh interpreter, with our packages importable."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

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
