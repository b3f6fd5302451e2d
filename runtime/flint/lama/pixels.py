"""Between images of 8 bits and what the model computes with (cli-and-embedding.md 3.4)."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
import torch
from numpy.typing import NDArray
from PIL import Image
from torch import Tensor

from flint.runtime.images import without_alpha

Pixels: TypeAlias = NDArray[np.uint8]
"""`[h, w, 3]` for an image, `[h, w]` for a mask."""

MULTIPLE = 8
"""The model halves each side three times."""

_LUMA = np.array([2126, 7152, 722], np.uint32)


def image_pixels(image: Image.Image) -> Pixels:
    """Red, green and blue `[h, w, 3]`; alpha is dropped. `UnreadableImage` for other pixels."""
    return np.asarray(without_alpha(image).convert("RGB"))


def mask_pixels(image: Image.Image) -> Pixels:
    """Brightness `[h, w]`, of colours by the weights of Rec. 709."""
    plain = without_alpha(image)
    if plain.mode == "L":
        return np.asarray(plain)
    weighted = np.asarray(plain).astype(np.uint32) @ _LUMA
    return np.asarray(weighted // _LUMA.sum(), np.uint8)


def image_tensor(image: Pixels) -> Tensor:
    """`[1, 3, H, W]` in 0 … 1, float32, with sides of a multiple of 8."""
    channels = torch.from_numpy(_padded(image)).permute(2, 0, 1).contiguous()
    return channels[None].float() / 255


def mask_tensor(mask: Pixels) -> Tensor:
    """`[1, 1, H, W]`, 1 where the image is to be filled, with sides of a multiple of 8."""
    return (torch.from_numpy(_padded(mask)) > 0)[None, None].float()


def tensor_pixels(image: Tensor, height: int, width: int) -> Pixels:
    """The first rows and columns of `[1, 3, H, W]` as `[height, width, 3]`, rounded down."""
    values = image[0, :, :height, :width].cpu().clamp(0, 1) * 255
    return values.to(torch.uint8).permute(1, 2, 0).numpy()


def _padded(pixels: Pixels) -> Pixels:
    """Reflected at the bottom and at the right, beginning with the last row or column again."""
    height, width, *_ = pixels.shape
    missing = [(0, -height % MULTIPLE), (0, -width % MULTIPLE), (0, 0)]
    return np.pad(pixels, missing[: pixels.ndim], mode="symmetric")
