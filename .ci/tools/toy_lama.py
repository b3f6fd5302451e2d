"""A small LaMa of random weights, and a picture with a hole for it to fill.

`python .ci/tools/toy_lama.py FOLDER` writes `lama.safetensors`, `image.png` and `mask.png`. What
such a model paints is no guess at the picture.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
from PIL import Image
from safetensors.torch import save_file

from lama_generator import random_generator

HEIGHT, WIDTH = 150, 200
HOLE = (70, 50, 130, 95)
"""Left, top, right, bottom."""


def waves() -> Image.Image:
    """Diagonal waves, one for each colour."""
    y, x = np.mgrid[:HEIGHT, :WIDTH]
    phases = np.stack([x * 0.05 + y * 0.03, x * 0.03 - y * 0.06, x * 0.08 + y * 0.01], axis=-1)
    return Image.fromarray((127.5 + 127.5 * np.sin(phases)).astype(np.uint8))


def hole() -> Image.Image:
    """White where the picture is to be filled."""
    mask = Image.new("L", (WIDTH, HEIGHT))
    mask.paste(255, HOLE)
    return mask


def write(folder: Path) -> None:
    """The three files; the same ones every time."""
    folder.mkdir(parents=True, exist_ok=True)
    save_file(random_generator(5, width=16, blocks=2).state_dict(), folder / "lama.safetensors")
    picture = waves()
    picture.paste("white", HOLE)
    picture.save(folder / "image.png")
    hole().save(folder / "mask.png")


if __name__ == "__main__":
    write(Path(sys.argv[1]))
