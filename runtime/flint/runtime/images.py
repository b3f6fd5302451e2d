"""Reading an image file: upright, 8 bits a channel, grey or colour. Needs no torch."""

from __future__ import annotations

import warnings

from PIL import Image, ImageOps, UnidentifiedImageError

from flint.regular_file import require_regular

# Formats whose readers are Pillow's own: none starts another program, as that of EPS does.
FORMATS = ("AVIF", "BMP", "GIF", "ICO", "JPEG", "PNG", "PPM", "QOI", "TIFF", "WEBP")

_GREY = ("1", "L", "LA", "La")
_COLOUR = ("P", "PA", "RGB", "RGBA", "RGBa", "RGBX", "CMYK", "YCbCr", "LAB", "HSV")
_BITS_16_TO_8 = 255 / 65535


class UnreadableImage(Exception):
    """Why a file cannot be read as an image, without its path."""


def read_image(path: str) -> Image.Image:
    """Return the image as Pillow's `RGB`, or as `L` if it is grey.

    It is turned as its EXIF orientation says. Alpha is dropped, 16 bits become 8, rounded; of
    several frames or pages the first is taken. Raises `UnreadableImage`, whatever is wrong with
    the file.
    """
    try:
        require_regular(path)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of damaged metadata, of sizes that are still read
            with Image.open(path, formats=_readable()) as image:
                return without_alpha(ImageOps.exif_transpose(image))
    except UnreadableImage:
        raise
    except UnidentifiedImageError:
        raise UnreadableImage(f"it is none of {', '.join(_readable())}") from None
    except Exception as error:  # readers of damaged files fail in any way
        raise UnreadableImage(_reason(error)) from None


def _readable() -> list[str]:
    """The formats that this build of Pillow has."""
    Image.init()
    return [name for name in FORMATS if name in Image.OPEN]


def without_alpha(image: Image.Image) -> Image.Image:
    """Return the image as `RGB`, or as `L` if it is grey; `UnreadableImage` for other pixels."""
    if image.mode.startswith("I;16"):
        return image.convert("I").point(lambda value: value * _BITS_16_TO_8 + 0.5).convert("L")
    if image.mode in _GREY:
        return image.convert("L")
    if image.mode not in _COLOUR:
        raise UnreadableImage(
            f"its pixels are of the kind {image.mode}; convert it to 8 or 16 bits"
        )
    # by way of RGBA, since a palette may have transparent colours, which would be a warning
    return image.convert("RGBA").convert("RGB") if image.mode == "P" else image.convert("RGB")


def _reason(error: Exception) -> str:
    if isinstance(error, OSError) and error.strerror:
        return error.strerror
    return str(error) or type(error).__name__
