"""`flint::image`: images as the inputs of models (host-functions.md 11)."""

from __future__ import annotations

import torch
from PIL import Image
from torch import Tensor

from flint.runtime.context import current
from flint.runtime.host import Refused
from flint.runtime.images import UnreadableImage, read_image
from flint.runtime.op import op
from flint.runtime.weight_kind import weight_dtype

_SIDE, _PATCH, _COLOURS = 512, 16, 3
_GRID = _SIDE // _PATCH


@op
def lfm2_vl_patches(path: str) -> Tensor:
    """Return the image file `path` as the patches that LFM2-VL reads, `[1, 1024, 768]`.

    The image, upright and without alpha, becomes 512 x 512 pixels whatever its shape (bilinear,
    antialiased). There are 32 rows of 32 patches; a patch holds 16 rows of 16 pixels, each red,
    green, blue in -1 … 1. The dtype is that of the weights (`KOHARU_TORCH_WEIGHT_KIND`), float32
    for `native`.
    """
    dtype = weight_dtype() or torch.float32
    return _patches(_pixels(path)).to(current().session.device, dtype)


def _pixels(path: str) -> Tensor:
    """The resized image, uint8 `[512, 512, 3]`."""
    try:
        image = read_image(path)
    except UnreadableImage as error:
        raise Refused(f"cannot read image {path}: {error}") from None
    # in Pillow a filter widens when it makes an image smaller, which is what antialiasing is
    resized = image.convert("RGB").resize((_SIDE, _SIDE), Image.Resampling.BILINEAR)
    return torch.frombuffer(bytearray(resized.tobytes()), dtype=torch.uint8).view(
        _SIDE, _SIDE, _COLOURS
    )


def _patches(pixels: Tensor) -> Tensor:
    """`[512, 512, 3]` in 0 … 255 → `[1, 1024, 768]` in -1 … 1, float32."""
    values = (pixels.float() / 255 - 0.5) / 0.5
    grid = values.view(_GRID, _PATCH, _GRID, _PATCH, _COLOURS).transpose(1, 2)
    return grid.reshape(1, _GRID * _GRID, _PATCH * _PATCH * _COLOURS)
