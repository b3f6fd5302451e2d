"""Whole images: against the PyTorch module with padding and crops done once more by hand."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch
from numpy.typing import NDArray
from PIL import Image
from safetensors.torch import load_file, save_file

import flint
from lama_generator import Generator
from tests.lama.conftest import Fill, masked, picture

Pixels = NDArray[np.uint8]


def mirrored(length: int) -> list[int]:
    """Which pixels a side of that length has when it is padded: …, n-2, n-1, n-1, n-2, …"""
    padded = (length + 7) // 8 * 8
    return [min(i % (2 * length), 2 * length - 1 - i % (2 * length)) for i in range(padded)]


def modelled(generator: Generator, image: Pixels, mask: Pixels) -> torch.Tensor:
    """What the module makes of an image of any size, `[1, 3, h, w]` in 0 … 1."""
    height, width = mask.shape
    rows, columns = mirrored(height), mirrored(width)
    values = torch.tensor(image[rows][:, columns] / np.float32(255)).permute(2, 0, 1)[None]
    holes = torch.tensor(mask[rows][:, columns] != 0).float()[None, None]
    return generator(values, holes)[..., :height, :width]


def as_pixels(values: torch.Tensor) -> NDArray[np.float32]:
    """Unrounded, `[h, w, 3]` in 0 … 255."""
    return values[0].permute(1, 2, 0).numpy() * 255


@pytest.mark.parametrize(("height", "width"), [(64, 80), (45, 61), (9, 17), (800, 30)])
def test_an_image_as_a_whole(height: int, width: int, generator: Generator, fill: Fill) -> None:
    image = picture(height, width)
    mask = masked(height, width, (3, 2, width - 4, height // 2), (0, height - 2, 5, height))
    result, wanted = fill(image, mask), modelled(generator, image, mask)
    (output,) = fill.outputs
    assert (output - wanted).abs().max() < 1e-4
    assert np.array_equal(result[mask == 0], image[mask == 0])
    # whole numbers, rounded down
    below = as_pixels(wanted)[mask > 0] - result[mask > 0]
    assert below.min() > -0.03
    assert below.max() < 1.03
    assert 0.3 < below.mean() < 0.7


def test_two_masks_in_a_large_image(generator: Generator, fill: Fill) -> None:
    """Crops by hand: 128 pixels around each box; the second one begins within the first one."""
    image = picture(300, 861)
    boxes = [(200, 20, 260, 61), (401, 150, 431, 290)]
    mask = masked(300, 861, *boxes)
    mask[299, 860] = 100  # too dark for a box of its own, and too far from the others
    mask[250, 300] = 1  # dark, but within both crops
    result = fill(image, mask)
    areas = [np.s_[0:296, 72:388], np.s_[0:300, 273:559]]
    expected = image.astype(np.float32)
    for output, area in zip(fill.outputs, areas, strict=True):
        wanted = modelled(generator, image[area], mask[area])
        assert (output - wanted).abs().max() < 1e-4
        expected[area] = as_pixels(wanted)
    kept = mask == 0
    kept[299, 860] = True
    assert np.array_equal(result[kept], image[kept])
    assert not np.array_equal(result[250, 300], image[250, 300])
    assert np.abs(expected - result)[~kept].max() < 1.03


@pytest.mark.parametrize("value", [1, 100, 127])
def test_dark_masks(value: int, fill: Fill) -> None:
    """They count in an image of up to 800 pixels, and not in a larger one."""
    for width, changes in ((800, True), (801, False)):
        image, mask = picture(16, width), np.full((16, width), 0, np.uint8)
        mask[4:8, 4:40] = value
        assert np.array_equal(fill(image, mask), image) != changes


@pytest.mark.parametrize(("height", "width"), [(8, 64), (64, 8), (1, 1), (8, 801), (801, 3)])
def test_sides_that_are_too_short(height: int, width: int, fill: Fill) -> None:
    image, mask = picture(height, width), np.full((height, width), 255, np.uint8)
    with pytest.raises(flint.UserError, match=r"\d+ x \d+ pixels cannot be filled: .* at least 9"):
        fill(image, mask)


def test_an_empty_mask_changes_nothing(fill: Fill) -> None:
    for height, width in ((20, 30), (20, 900)):
        image = picture(height, width)
        assert np.array_equal(fill(image, np.zeros((height, width), np.uint8)), image)
    # nothing to do, so the weights are not even looked for
    assert len(fill.outputs) == 1
    fill.weights = "absent"
    fill(picture(20, 900), np.zeros((20, 900), np.uint8))


def test_sizes_have_to_agree(fill: Fill) -> None:
    with pytest.raises(flint.UserError, match="image has 30 x 20 pixels, the mask 20 x 30 pixels"):
        fill(picture(20, 30), np.zeros((30, 20), np.uint8))


def test_an_image_without_pixels(lama: flint.LamaRustScript) -> None:
    empty = Image.new("RGB", (0, 5))
    with pytest.raises(flint.UserError, match="image has 0 x 5 pixels: there is nothing to fill"):
        lama.inference("w", empty, Image.new("L", (0, 5)))


def test_weights_of_nan(weights: str, fill: Fill, tmp_path: Path) -> None:
    tensors = load_file(weights)
    tensors["model.2.bn_l.bias"][3] = torch.nan
    fill.weights = str(tmp_path / "w.safetensors")
    save_file(tensors, fill.weights)
    with pytest.raises(flint.UserError, match=r"the model gives NaN: the weights in .* are"):
        fill(picture(16, 16), masked(16, 16, (2, 2, 9, 9)))


def test_weights_that_are_absent(fill: Fill) -> None:
    fill.weights = "absent.safetensors"
    with pytest.raises(flint.HostError, match=r"flint::weights::load: cannot read absent\.safet"):
        fill(picture(16, 16), masked(16, 16, (2, 2, 9, 9)))


def test_a_path_of_other_bytes(fill: Fill) -> None:
    fill.weights = "w\udcff"
    with pytest.raises(flint.UserError, match="path of the weights is not valid UTF-8"):
        fill(picture(16, 16), masked(16, 16, (2, 2, 9, 9)))


def test_weights_are_read_once(fill: Fill, monkeypatch: pytest.MonkeyPatch) -> None:
    image, mask = picture(16, 16), masked(16, 16, (2, 2, 9, 9))
    first = fill(image, mask)
    checkpoint = fill.lama._session.checkpoint
    assert np.array_equal(fill(image, mask), first)
    assert fill.lama._session.checkpoint is checkpoint


def test_pixels_that_cannot_be_filled(lama: flint.LamaRustScript, weights: str) -> None:
    image, mask = Image.new("F", (16, 16)), Image.new("L", (16, 16))
    with pytest.raises(
        flint.UserError, match="cannot fill the image: its pixels are of the kind F"
    ):
        lama.inference(weights, image, mask)
