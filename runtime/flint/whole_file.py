"""Writing a file or a folder whole: it has its name when it is complete, or does not appear."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory


@contextmanager
def written_whole(path: str | Path) -> Iterator[Path]:
    """Where to write in the block; at its end that gets the name `path`, in place of an old file.

    Links are followed. `OSError` if `path` is a folder or its folder does not take files.
    """
    target = Path(os.path.realpath(path))
    if target.is_dir():
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
    # Not named after the target, whose name may be as long as names can be.
    with TemporaryDirectory(prefix=".flint-", dir=target.parent) as folder:
        complete = Path(folder) / "complete"
        yield complete
        os.replace(complete, target)
