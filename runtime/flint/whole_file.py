"""Writing a file or a folder whole: it has its name when it is complete, or does not appear."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory

from flint.regular_file import require_regular


@contextmanager
def written_whole(path: str | Path) -> Iterator[Path]:
    """Where to write in the block; at its end that gets the name `path`, in place of an old file.

    Links are followed. `OSError` if `path` is a folder, a pipe or a device, or if its folder does
    not take files.
    """
    target = _target(path)
    # Not named after the target, whose name may be as long as names can be.
    with TemporaryDirectory(prefix=".flint-", dir=target.parent) as folder:
        complete = Path(folder) / "complete"
        yield complete
        os.replace(complete, target)


def require_place(path: str | Path) -> None:
    """Raise the `OSError` of writing `path`, folders for it included, as far as it can be foreseen.

    For work that takes long before there is something to write.
    """
    target = _target(path)
    folder = next(parent for parent in target.parents if parent.exists())
    if not folder.is_dir():
        raise _error(NotADirectoryError, errno.ENOTDIR)
    if not os.access(folder, os.W_OK | os.X_OK):
        raise _error(PermissionError, errno.EACCES)


def _target(path: str | Path) -> Path:
    """The file that links lead to; `OSError` if what would be replaced is none."""
    if os.fspath(path).endswith(os.sep):
        raise _error(IsADirectoryError, errno.EISDIR)
    target = Path(os.path.realpath(path))
    with suppress(FileNotFoundError):
        require_regular(target)
    return target


def _error(kind: type[OSError], number: int) -> OSError:
    return kind(number, os.strerror(number))
