"""Source files on disk, as the module loader wants them."""

from __future__ import annotations

import os
from pathlib import Path

STDLIB = Path(__file__).parent / "stdlib" / "rss"


class DiskFiles:
    """The `Files` of `flintc.modules` on the file system, with the library that flintc ships."""

    def read(self, path: str) -> str:
        """The text of a file; OSError or UnicodeDecodeError where it cannot be read."""
        return Path(path).read_bytes().decode("utf-8")

    def exists(self, path: str) -> bool:
        return os.path.isfile(path)

    def canonical(self, path: str) -> str:
        try:
            return os.path.realpath(path)
        except ValueError:  # a text in memory may claim any name, even one that no file can have
            return path

    def library(self, name: str) -> str | None:
        """Path of the shipped module `stdlib::rss::NAME`."""
        path = STDLIB / f"{name}.rss"
        return str(path) if path.is_file() else None


def shown_path(path: str) -> str:
    """A path as people read it: relative to here where it lies below, with forward slashes."""
    relative = os.path.relpath(path)
    return Path(path if relative.startswith("..") else relative).as_posix()
