"""The script under test, a model's paths as arguments, and the pixels of a file."""

from __future__ import annotations

from pathlib import Path

from PIL import Image

from tests.runtime.support import ROOT
from toy_klein import Paths

SCRIPT = str(ROOT / "scripts" / "flux_klein.rss")
THREADS = {"OMP_NUM_THREADS": "1"}


def model(paths: Paths) -> tuple[str, str, str]:
    return str(paths.diffusion), str(paths.vae), str(paths.llm)


def pixels(path: Path) -> tuple[str, tuple[int, int], bytes]:
    with Image.open(path) as image:
        return image.mode, image.size, image.tobytes()
