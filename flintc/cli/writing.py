"""Writing files whole: whoever reads one meets the old text or the new text, nothing between."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from flintc.excerpt import visible
from flintc.problems import Phase, Problem


def write_atomically(path: Path, text: str) -> None:
    """Write beside the file, then rename. Links and permissions stay. `OSError` if impossible."""
    target = Path(os.path.realpath(path))
    beside = target.with_name(f".{target.name}.{os.getpid()}.tmp")
    try:
        beside.write_bytes(text.encode("utf-8"))
        if target.exists():
            shutil.copymode(target, beside)
        os.replace(beside, target)
    finally:
        beside.unlink(missing_ok=True)


def cannot_write(error: OSError, path: str) -> Problem:
    """The problem to report for a failed write below or at `path`."""
    reason = error.strerror or str(error)
    title = f"cannot write {visible(path)}: {reason}"
    return Problem("E_CANNOT_WRITE", title, None, Phase.LOAD)
