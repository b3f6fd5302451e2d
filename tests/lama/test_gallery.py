"""The pictures in README are what its commands make."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from PIL import Image

import flint
import toy_lama


def test_before_and_after(lama: flint.LamaRustScript, tmp_path: Path, root: Path) -> None:
    toy_lama.write(tmp_path)
    image, mask = (Image.open(tmp_path / name) for name in ("image.png", "mask.png"))
    filled = lama.inference(tmp_path / "lama.safetensors", image, mask)
    for made, name in ((image, "lama-before.png"), (filled, "lama-after.png")):
        shown = np.asarray(Image.open(root / "docs" / "images" / name)).astype(int)
        # sums in another order, on another CPU, may be rounded down to the next colour
        assert np.abs(np.asarray(made) - shown).max() <= 1
