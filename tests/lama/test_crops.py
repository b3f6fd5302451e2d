"""Where large images are filled: boxes of the mask's outermost parts, and their surroundings."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from flint.lama.crops import Box, crop_box, crops, outer_boxes

Mask = NDArray[np.uint8]


def drawn(*rows: str) -> Mask:
    return np.array([[255 if pixel == "#" else 0 for pixel in row] for row in rows], np.uint8)


def neighbours(at: tuple[int, int], corners: bool) -> list[tuple[int, int]]:
    steps = [(y, x) for y in (-1, 0, 1) for x in (-1, 0, 1) if (y or x) and (corners or not y * x)]
    return [(at[0] + y, at[1] + x) for y, x in steps]


def flooded(
    start: tuple[int, int], inside: set[tuple[int, int]], corners: bool
) -> set[tuple[int, int]]:
    """What can be reached from a pixel."""
    seen, front = {start}, [start]
    while front:
        for pixel in neighbours(front.pop(), corners):
            if pixel in inside and pixel not in seen:
                seen.add(pixel)
                front.append(pixel)
    return seen


def naive_boxes(mask: Mask) -> list[Box]:
    """Pixel by pixel: a part counts if the background around the image touches it."""
    height, width = mask.shape
    everything = {(y, x) for y in range(-1, height + 1) for x in range(-1, width + 1)}
    foreground = {(int(y), int(x)) for y, x in zip(*np.nonzero(mask > 127), strict=True)}
    outside = flooded((-1, -1), everything - foreground, corners=False)
    boxes, seen = [], set[tuple[int, int]]()
    for pixel in sorted(foreground):
        if pixel not in seen:
            part = flooded(pixel, foreground, corners=True)
            seen |= part
            if any(other in outside for at in part for other in neighbours(at, corners=False)):
                ys, xs = zip(*part, strict=True)
                boxes.append(Box(min(xs), min(ys), max(xs) + 1, max(ys) + 1))
    return boxes


@pytest.mark.parametrize(
    ("rows", "boxes"),
    [
        (["....", "...."], []),
        (["####", "####"], [(0, 0, 4, 2)]),
        ([".#..", "#..#"], [(0, 0, 2, 2), (3, 1, 4, 2)]),
        # an island in a lake, and a lake that is open at a corner only
        (["#####", "#...#", "#.#.#", "#...#", "#####"], [(0, 0, 5, 5)]),
        ([".####", "#...#", "#.#.#", "#...#", "#####"], [(0, 0, 5, 5)]),
        (["..###", "#...#", "#.#.#", "#...#", "#####"], [(0, 0, 5, 5), (2, 2, 3, 3)]),
        # two rows begin in the first row, from the right one the left one is reached first
        (["..#.#", "#.#..", "###.."], [(0, 0, 3, 3), (4, 0, 5, 1)]),
        (["....#", "#####", ".....", "##..."], [(0, 0, 5, 2), (0, 3, 2, 4)]),
        (["...#", "#...", ".#.."], [(3, 0, 4, 1), (0, 1, 2, 3)]),
    ],
)
def test_boxes_by_hand(rows: list[str], boxes: list[tuple[int, int, int, int]]) -> None:
    assert outer_boxes(drawn(*rows)) == boxes
    assert naive_boxes(drawn(*rows)) == boxes


@pytest.mark.parametrize("seed", range(60))
def test_boxes_of_random_masks(seed: int) -> None:
    random = np.random.default_rng(seed)
    mask = (random.random(random.integers(1, 14, 2)) < random.uniform(0.1, 0.8)) * np.uint8(255)
    assert outer_boxes(mask) == naive_boxes(mask)


def test_grey_has_no_box() -> None:
    mask = np.array([[127, 0, 128]], np.uint8)
    assert outer_boxes(mask) == [(2, 0, 3, 1)]


@pytest.mark.parametrize(
    ("size", "box", "crop"),
    [
        ((1000, 900), (100, 100, 150, 150), (0, 0, 306, 306)),
        ((1000, 900), (400, 300, 451, 351), (272, 172, 578, 478)),
        ((1000, 900), (960, 10, 1000, 40), (704, 0, 1000, 286)),
        ((1200, 200), (10, 10, 1190, 190), (0, 0, 1200, 200)),
    ],
)
def test_crops_by_hand(
    size: tuple[int, int], box: tuple[int, int, int, int], crop: tuple[int, int, int, int]
) -> None:
    assert crop_box(*size, Box(*box)) == crop


@pytest.mark.parametrize("seed", range(10))
def test_crops_left_out_change_nothing(seed: int) -> None:
    """Every crop paints its number; the last one at each pixel of the mask has to be the same."""
    random = np.random.default_rng(seed)
    height, width = random.integers(200, 900, 2)
    mask = np.zeros((height, width), np.uint8)
    for _ in range(random.integers(1, 30)):
        y, x = random.integers(0, (height - 9, width - 9))
        mask[y : y + random.integers(1, 9), x : x + random.integers(1, 9)] = random.choice(
            [90, 255]
        )
    every = [crop_box(int(width), int(height), box) for box in outer_boxes(mask)]
    painted = [painting(every, every, mask), painting(crops(mask), every, mask)]
    assert np.array_equal(*painted)
    assert len(crops(mask)) <= len(every)


def painting(chosen: list[Box], every: list[Box], mask: Mask) -> NDArray[np.int64]:
    canvas = np.full(mask.shape, -1)
    for crop in chosen:
        canvas[crop.area][mask[crop.area] > 0] = every.index(crop)
    return canvas


def test_speckles_in_one_place_take_few_crops() -> None:
    mask = np.zeros((1000, 1000), np.uint8)
    mask[500:600:3, 500:600:3] = 255
    assert len(outer_boxes(mask)) == 34 * 34
    assert len(crops(mask)) < 5
