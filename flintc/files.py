"""Source files on disk, as the module loader wants them."""

from __future__ import annotations

import os
from pathlib import Path

_ROOT = Path(__file__).parent.parent  # of the package `flintc`
STDLIB = _ROOT / "flintc" / "stdlib" / "rss"


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

    def library_names(self) -> list[str]:
        return sorted(path.stem for path in STDLIB.glob("*.rss"))


def shown_path(path: str) -> str:
    """A path as people read it: relative to here where it lies below, with forward slashes."""
    relative = os.path.relpath(path)
    return Path(path if relative.startswith("..") else relative).as_posix()


def recorded_path(path: str) -> str:
    """A path as generated files name it: of a shipped module the same on every machine, of others
    as people read it.
    """
    real = Path(os.path.realpath(path))
    if real.parent == STDLIB.resolve():
        return real.relative_to(_ROOT.resolve()).as_posix()
    return shown_path(path)


def shipped(recorded: str) -> Path | None:
    """The file of a shipped module by its recorded path, None for other paths."""
    path = _ROOT / recorded
    return path if path.parent == STDLIB else None
