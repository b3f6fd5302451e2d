"""An image of stable-diffusion.cpp as a file."""

from __future__ import annotations

from pathlib import Path

from flint.runtime.host import Refused
from flint.runtime.sd.settings import Pixels
from flint.whole_file import require_place

_MODES = {1: "L", 3: "RGB", 4: "RGBA"}


def require_path(path: str) -> None:
    """Refuse what `save_pixels` could not write, as far as that can be known before."""
    _require_format(path)
    try:
        require_place(path)
    except (OSError, ValueError) as error:
        raise _unsaved(path, error) from None


def save_pixels(pixels: Pixels, path: str) -> None:
    """Write in the format of the extension, whole or not at all; folders are made."""
    _require_format(path)
    _make_folder(Path(path).parent)
    try:
        _write(pixels, path)
    except (OSError, ValueError) as error:
        raise _unsaved(path, error) from None


def _unsaved(path: str, error: Exception) -> Refused:
    return Refused(f"cannot save the image: {path}: {_reason(error)}")


def _reason(error: Exception) -> str:
    return (isinstance(error, OSError) and error.strerror) or str(error)


def _require_format(path: str) -> None:
    from flint.runtime.image_writer import UnknownFormat, format_of

    if "\0" in path:
        raise Refused("cannot save the image: the path contains a NUL character")
    try:
        format_of(path)
    except UnknownFormat as error:
        raise Refused(f"cannot save the image: {path}: {error}") from None


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except (OSError, ValueError) as error:  # ValueError: a name that no file can have
        raise Refused(f"cannot create the output folder: {folder}: {_reason(error)}") from None


def _write(pixels: Pixels, path: str) -> None:
    from PIL import Image

    from flint.runtime.image_writer import write_image

    size = (pixels.width, pixels.height)
    write_image(Image.frombytes(_MODES[pixels.channels], size, pixels.data), path)
