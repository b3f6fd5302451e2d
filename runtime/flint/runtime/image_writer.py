"""Writing an image file: whole or not at all, in the format of its extension. Needs no torch."""

from __future__ import annotations

from pathlib import Path

from PIL import Image

from flint.whole_file import written_whole

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
    """Write the file in the format of its extension.

    Raises `UnknownFormat`, and `OSError` or `ValueError` if writing fails. The folder has to exist.
    """
    file_format = format_of(path)
    with written_whole(path) as whole, whole.open("wb") as file:
        image.save(file, format=file_format, **_OPTIONS.get(file_format, {}))
