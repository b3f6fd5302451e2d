"""Writing files whole: whoever reads one meets the old text or the new text, nothing between."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from tempfile import TemporaryDirectory

from flintc.excerpt import visible
from flintc.problems import Phase, Problem


def write_atomically(path: Path, text: str) -> None:
    """Write beside the file, then rename. Links and permissions stay. `OSError` if impossible."""
    target = Path(os.path.realpath(path))
    # Not named after the target, whose name may be as long as names can be.
    with TemporaryDirectory(prefix=".flintc-", dir=target.parent) as folder:
        complete = Path(folder) / "complete"
        complete.write_bytes(text.encode("utf-8"))
        if target.exists():
            shutil.copymode(target, complete)
        os.replace(complete, target)


def cannot_write(error: OSError, path: str) -> Problem:
    """The problem to report for a failed write below or at `path`."""
    reason = error.strerror or str(error)
    title = f"cannot write {visible(path)}: {reason}"
    return Problem("E_CANNOT_WRITE", title, None, Phase.LOAD)
