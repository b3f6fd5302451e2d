"""Read and rewrite wheel archives: drop or add files and keep RECORD true."""

from __future__ import annotations

import base64
import csv
import hashlib
import io
import zipfile
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path


def is_wheel(path: Path) -> bool:
    """Whether `path` is a whole wheel: a zip archive that lists its contents in RECORD."""
    try:
        with zipfile.ZipFile(path) as archive:
            return any(name.endswith(".dist-info/RECORD") for name in archive.namelist())
    except (OSError, zipfile.BadZipFile):
        return False


def rewrite_wheel(
    wheel: Path, folder: Path, *, keep: Callable[[str], bool], add: Mapping[str, Path]
) -> Path:
    """Write a copy of `wheel` under the same name into `folder`.

    `keep` chooses the members to take over by name, `add` maps new member names to files.
    """
    target = folder / wheel.name
    record: list[tuple[str, str, int | str]] = []
    with zipfile.ZipFile(wheel) as old, zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as new:
        for name, data in _members(old, keep, add):
            if name.endswith(".dist-info/RECORD"):
                continue
            new.writestr(name, data)
            record.append((name, _digest(data), len(data)))
        record_name = next(n for n in old.namelist() if n.endswith(".dist-info/RECORD"))
        record.append((record_name, "", ""))
        new.writestr(record_name, _csv(record))
    return target


def _members(
    old: zipfile.ZipFile, keep: Callable[[str], bool], add: Mapping[str, Path]
) -> Iterator[tuple[str, bytes]]:
    for info in old.infolist():
        if not info.is_dir() and keep(info.filename) and info.filename not in add:
            yield info.filename, old.read(info)
    for name, path in add.items():
        yield name, path.read_bytes()


def _digest(data: bytes) -> str:
    raw = base64.urlsafe_b64encode(hashlib.sha256(data).digest())
    return "sha256=" + raw.rstrip(b"=").decode("ascii")


def _csv(rows: list[tuple[str, str, int | str]]) -> str:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue()
