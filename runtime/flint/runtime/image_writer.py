"""Writing an image file: whole or not at all, in the format of its extension. Needs no torch."""

from __future__ import annotations

import os
import tempfile
from contextlib import suppress
from pathlib import Path

from PIL import Image

# What keeps pixels as they are, or nearly so where a format cannot.
_OPTIONS: dict[str, dict[str, object]] = {"JPEG": {"quality": 95}, "WEBP": {"lossless": True}}


class UnknownFormat(Exception):
    """Why a path names no format that can be written."""


def format_of(path: str) -> str:
    """Return Pillow's name of the extension's format; `UnknownFormat` if there is none."""
    Image.init()
    extension = Path(path).suffix
    found = Image.registered_extensions().get(extension.lower())
    if found not in Image.SAVE:
        raise UnknownFormat(
            f"the extension {extension or 'none'} names no image format; use .png or .jpg"
        )
    return found


def write_image(image: Image.Image, path: str) -> None:
    """Write beside the target, then rename: the file is the old one or the new one, whole.

    Raises `UnknownFormat`, and `OSError` or `ValueError` if writing fails. The folder has to exist.
    """
    target, file_format = Path(path), format_of(path)
    if target.is_dir():
        raise IsADirectoryError(0, "Is a directory")
    # Not named after the target, whose name may be as long as names can be.
    descriptor, partial = tempfile.mkstemp(prefix=".flint-", dir=target.parent)
    try:
        with os.fdopen(descriptor, "wb") as file:
            image.save(file, format=file_format, **_OPTIONS.get(file_format, {}))
        os.chmod(partial, 0o666 & ~_umask())
        os.replace(partial, target)
    except BaseException:
        with suppress(OSError):
            os.unlink(partial)
        raise


def _umask() -> int:
    """The process's mask, which can only be read by setting it."""
    mask = os.umask(0)
    os.umask(mask)
    return mask
