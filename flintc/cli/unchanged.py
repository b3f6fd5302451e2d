"""What `flintc build` remembers of each script, to leave unchanged ones alone."""

from __future__ import annotations

import hashlib
import json
import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path

from flintc import __version__
from flintc.cli.writing import write_atomically
from flintc.files import DiskFiles
from flintc.locate import runtime_root

_FOLDER = ".flintc-cache"


@dataclass(frozen=True, slots=True)
class Record:
    """One finished build: hashes of all files read and written, and files that were missing.

    `targets` gives the script of each Python module; the last is that of the root.
    """

    compiler: str
    files: dict[str, str]
    absent: list[str]
    targets: dict[str, str]


class Records:
    """The records of one output folder."""

    def __init__(self, output: Path, hosts: Sequence[str] = ()) -> None:
        self.folder = output / _FOLDER
        self.hosts = hosts  # names of the user's modules

    def current(self, script: str) -> Record | None:
        """The record of a script if building it again would change nothing."""
        try:
            record = Record(**json.loads(self._path(script).read_text(encoding="utf-8")))
            fresh = (
                record.compiler == self.fingerprint
                and all(text_hash(_read(path)) == known for path, known in record.files.items())
                and not any(os.path.exists(path) for path in record.absent)
            )
        except (OSError, ValueError, TypeError, AttributeError):
            return None
        return record if fresh and record.targets else None

    def remember(
        self,
        script: str,
        texts: Mapping[str, str],
        absent: Sequence[str],
        targets: dict[str, str],
    ) -> None:
        """Keep that the script was built; `texts` are all files that it read and wrote."""
        files = {os.path.abspath(path): text_hash(text.encode()) for path, text in texts.items()}
        missing = sorted({os.path.abspath(path) for path in absent})
        record = Record(self.fingerprint, files, missing, targets)
        self.folder.mkdir(exist_ok=True)
        write_atomically(self._path(script), json.dumps(asdict(record)))

    def _path(self, script: str) -> Path:
        key = hashlib.sha256(os.path.abspath(script).encode("utf-8", "surrogateescape"))
        return self.folder / f"{key.hexdigest()[:24]}.json"

    @cached_property
    def fingerprint(self) -> str:
        """Changes whenever this compiler, its formatter or the host functions' signatures do."""
        known = (__version__, sys.version_info[:2], _black(), *self.hosts)
        digest = hashlib.sha256(repr(known).encode())
        for folder in (Path(__file__).parent.parent, runtime_root() / "flint"):
            for source in sorted(folder.rglob("*.py")):
                digest.update(source.read_bytes())
        return digest.hexdigest()


def _black() -> str:
    """The installed black, by the folder that holds its metadata: reading that would cost more than
    all the rest of an unchanged build."""
    spec = find_spec("black")
    if spec is None or spec.origin is None:
        return "?"
    packages = Path(spec.origin).parent.parent
    return " ".join(sorted(path.name for path in packages.glob("black-*.dist-info")))


def _read(path: str) -> bytes:
    return Path(path).read_bytes()


def text_hash(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


class TrackedFiles(DiskFiles):
    """Files on disk, and which of those asked for did not exist."""

    def __init__(self) -> None:
        self.absent: list[str] = []

    def exists(self, path: str) -> bool:
        found = super().exists(path)
        if not found:
            self.absent.append(path)
        return found
