"""Filling the masked part of an image by `scripts/lama.rss` (cli-and-embedding.md 3)."""

from __future__ import annotations

import os
from pathlib import Path
from threading import RLock
from typing import TYPE_CHECKING

from flint.compiler import compile_script_file
from flint.devices import require_device
from flint.progress import Progress
from flint.report import UserError
from flint.runtime.context import run_for_tensor
from flint.runtime.session import Session

if TYPE_CHECKING:
    from PIL.Image import Image

    from flint.lama.pixels import Pixels

WHOLE_SIDE = 800
"""Images with a longer side are filled crop by crop."""
SMALLEST_SIDE = 9
"""What is smaller has a single pixel where the model is narrowest, which cannot be reflected."""


class LamaRustScript:
    """Fills images with LaMa on one device; one at a time, further threads wait.

    `device` as for `TorchScriptRunner`. Loaded weights stay from one image to the next.
    """

    def __init__(self, device: str | None = None) -> None:
        self._lock = RLock()
        self._session = Session(device)
        require_device(self._session.device)
        self._program = compile_script_file(_script()).program

    def inference(self, weights_path: str | os.PathLike[str], image: Image, mask: Image) -> Image:
        """Return the image with its masked part filled, as `RGB` of the same size.

        `mask` has the size of `image` and is black where the image is kept; those pixels stay as
        they are. In an image with a side above 800 pixels it fills what is near to parts of the
        mask that are brighter than 127. Alpha is dropped, EXIF orientation is not looked at.
        `UserError` for images that cannot be filled, `HostError` for weights that do not fit.
        """
        from PIL import Image as images

        from flint.lama.pixels import image_pixels, mask_pixels
        from flint.runtime.images import UnreadableImage

        weights = _utf8(os.fspath(weights_path))
        _require_sizes(image.size, mask.size)
        try:
            pixels, masked = image_pixels(image), mask_pixels(mask)
        except UnreadableImage as error:
            raise UserError(f"cannot fill the image: {error}") from None
        with self._lock:
            return images.fromarray(self._filled(weights, pixels, masked))

    def _filled(self, weights: str, image: Pixels, mask: Pixels) -> Pixels:
        """`[h, w, 3]` from `[h, w, 3]` and `[h, w]`."""
        from flint.lama.crops import crops

        if max(mask.shape) <= WHOLE_SIDE:
            return self._forward(weights, image, mask)
        result, boxes = image.copy(), crops(mask)
        progress = Progress("crops", len(boxes), unit="crop")
        try:
            progress.show()
            for box in boxes:
                result[box.area] = self._forward(weights, image[box.area], mask[box.area])
                progress.advance(1)
        finally:
            progress.hide()
        return result

    def _forward(self, weights: str, image: Pixels, mask: Pixels) -> Pixels:
        """What the model makes of an image, or of a crop of one."""
        from flint.lama.pixels import image_tensor, mask_tensor, tensor_pixels

        height, width = mask.shape
        if min(height, width) < SMALLEST_SIDE:
            raise UserError(
                f"an image of {width} x {height} pixels cannot be filled: "
                f"each side has to have at least {SMALLEST_SIDE}"
            )
        device = self._session.device
        inputs = [part.to(device) for part in (image_tensor(image), mask_tensor(mask))]
        filled = run_for_tensor(lambda: self._run(weights), [weights], inputs, self._session)
        if not filled.isfinite().all():
            raise UserError(f"the model gives NaN: the weights in {weights} are damaged")
        return tensor_pixels(filled, height, width)

    def _run(self, weights: str) -> None:
        """Read all weights, then run the script.

        Weights that are read between large intermediate results keep the memory of those from
        being given back: that took half as much again.
        """
        from flint.runtime import weights as loaded

        loaded.load(weights)
        checkpoint = self._session.checkpoint
        for name in () if checkpoint is None else checkpoint.names():
            if "model." in name and not name.startswith("discriminator."):
                loaded.get(name)
        self._program.load()()


def _script() -> Path:
    """The script: beside this file in an installed package, where it was written in the project."""
    installed = Path(__file__).with_name("lama.rss")
    if installed.exists():
        return installed
    return Path(__file__).resolve().parents[3] / "scripts" / "lama.rss"


def _utf8(path: str) -> str:
    try:
        path.encode()
    except UnicodeEncodeError:
        raise UserError("the path of the weights is not valid UTF-8") from None
    return path


def _require_sizes(image: tuple[int, int], mask: tuple[int, int]) -> None:
    if image != mask:
        raise UserError(f"the image has {_pixels(image)}, the mask {_pixels(mask)}")
    if 0 in image:
        raise UserError(f"the image has {_pixels(image)}: there is nothing to fill")


def _pixels(size: tuple[int, int]) -> str:
    return f"{size[0]} x {size[1]} pixels"
