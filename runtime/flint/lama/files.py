"""`flint --lama`: image, mask and result as files (cli-and-embedding.md 1.2)."""

from __future__ import annotations

from pathlib import Path

from PIL.Image import Image

from flint.lama.inpainting import LamaRustScript
from flint.report import UserError
from flint.runtime.image_writer import UnknownFormat, format_of, write_image
from flint.runtime.images import UnreadableImage, read_image
from flint.whole_file import require_place

# Not among them: formats of 256 colours (GIF) and of small sizes (ICO).
WRITTEN = ("BMP", "JPEG", "PNG", "PPM", "TIFF", "WEBP")


def fill_file(lama: LamaRustScript, weights: str, image: str, mask: str, output: str) -> None:
    """Fill the image file where the mask file is not black; write `output`, and folders for it.

    The format is that of the extension; JPEG changes pixels a little, all others keep them. The
    result is upright and has no metadata. `UserError` or `HostError` for whatever cannot be done.
    """
    _require_output(output)
    picture, masked = _read("image", image), _read("mask", mask)
    _write(lama.inference(weights, picture, masked), output)


def _read(what: str, path: str) -> Image:
    try:
        return read_image(path)
    except UnreadableImage as error:
        raise UserError(f"cannot read {what} {path}: {error}") from None


def _require_output(path: str) -> None:
    """Said before the work is done, not after it."""
    try:
        found = format_of(path)
    except UnknownFormat as error:
        raise UserError(f"cannot write {path}: {error}") from None
    if found not in WRITTEN:
        raise UserError(f"cannot write {path}: {found} is not one of {', '.join(WRITTEN)}")
    try:
        require_place(path)
    except (OSError, ValueError) as error:
        raise UserError(f"cannot write {path}: {_reason(error)}") from None


def _write(image: Image, path: str) -> None:
    folder = Path(path).parent
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except (OSError, ValueError) as error:
        raise UserError(f"cannot create {folder}: {_reason(error)}") from None
    try:
        write_image(image, path)
    except (OSError, ValueError) as error:
        raise UserError(f"cannot write {path}: {_reason(error)}") from None


def _reason(error: Exception) -> str:
    return (isinstance(error, OSError) and error.strerror) or str(error)
