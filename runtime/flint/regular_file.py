"""Files that libraries are given to read: regular ones, as a pipe would let them wait for ever."""

from __future__ import annotations

import errno
import os
import stat


def require_regular(path: str | os.PathLike[str]) -> None:
    """Raise `OSError` if `path` is missing, or is a folder, a pipe or a device."""
    mode = os.stat(path).st_mode
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
    if not stat.S_ISREG(mode):
        raise OSError(errno.EINVAL, "not a regular file")
