"""Writing an image file: whole or not at all."""

from __future__ import annotations

import os
import tempfile
from contextlib import suppress
from pathlib import Path

from flint.runtime.host import Refused
from flint.runtime.sd.native import Pixels

_MODES = {1: "L", 3: "RGB", 4: "RGBA"}
_JPEG_QUALITY = 95


def save_pixels(pixels: Pixels, path: str) -> None:
    """Write in the format of the extension, beside the target first; folders are made."""
    if "\0" in path:
        raise Refused("cannot save the image: the path contains a NUL character")
    target = Path(path)
    file_format = _format(target)
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        reason = f"{target.parent}: {error.strerror}"
        raise Refused(f"cannot create the output folder: {reason}") from None
    try:
        _write(pixels, target, file_format)
    except (OSError, ValueError) as error:
        reason = (isinstance(error, OSError) and error.strerror) or str(error)
        raise Refused(f"cannot save the image: {path}: {reason}") from None


def _format(target: Path) -> str:
    from PIL import Image

    Image.init()
    formats = {
        extension: name
        for extension, name in Image.registered_extensions().items()
        if name in Image.SAVE
    }
    found = formats.get(target.suffix.lower())
    if found is None:
        extension = target.suffix or "none"
        raise Refused(
            f"cannot save the image: {target}: the extension {extension} names no image format; "
            "use .png or .jpg"
        )
    return found


def _write(pixels: Pixels, target: Path, file_format: str) -> None:
    from PIL import Image

    if target.is_dir():
        raise IsADirectoryError(0, "Is a directory")
    size = (pixels.width, pixels.height)
    image = Image.frombytes(_MODES[pixels.channels], size, pixels.data)
    options = {"quality": _JPEG_QUALITY} if file_format == "JPEG" else {}
    descriptor, partial = tempfile.mkstemp(prefix=f".{target.name}.", dir=target.parent)
    try:
        with os.fdopen(descriptor, "wb") as file:
            image.save(file, format=file_format, **options)
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
