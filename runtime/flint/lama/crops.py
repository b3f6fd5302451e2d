"""Which parts of a large image LaMa sees: what surrounds the mask (cli-and-embedding.md 3.2-3)."""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy import ndimage

Mask: TypeAlias = NDArray[np.uint8]
"""`[h, w]`, 0 where the image is kept."""

MARGIN = 128
"""How many pixels around a box are seen, on every side."""
FOREGROUND = 127
"""Only what is brighter has boxes; what is darker and not 0 is filled where a crop has it."""

_CORNERS_TOUCH = np.ones((3, 3), bool)


class Box(NamedTuple):
    """A rectangle of pixels; `right` and `bottom` are the first ones outside."""

    left: int
    top: int
    right: int
    bottom: int

    @property
    def area(self) -> tuple[slice, slice]:
        """Index of an image's array `[h, w, …]`."""
        return slice(self.top, self.bottom), slice(self.left, self.right)


def outer_boxes(mask: Mask) -> list[Box]:
    """The bounding boxes of the outermost connected parts of the foreground.

    Pixels are connected also at corners; a part in a hole of another one has no box. The order is
    that of the parts' first pixels, row by row.
    """
    whole = ndimage.binary_fill_holes(mask > FOREGROUND)
    labels, count = ndimage.label(whole, _CORNERS_TOUCH)
    boxes = [_box(*area) for area in ndimage.find_objects(labels, count)]
    first_columns = [
        box.left + int(np.argmax(labels[box.top, box.left : box.right] == label))
        for label, box in enumerate(boxes, start=1)
    ]
    order = sorted(range(count), key=lambda index: (boxes[index].top, first_columns[index]))
    return [boxes[index] for index in order]


def crop_box(width: int, height: int, box: Box) -> Box:
    """The box with its margins; what of one lies outside the image goes to the other side."""
    left, right = _widened(box.left, box.right, width)
    top, bottom = _widened(box.top, box.bottom, height)
    return Box(left, top, right, bottom)


def crops(mask: Mask) -> list[Box]:
    """The crops to fill one after the other, each from the image as it was, later ones on top.

    Crops of which nothing would be left to see are not among them.
    """
    height, width = mask.shape
    unseen = mask > 0
    chosen = []
    for box in reversed(outer_boxes(mask)):
        crop = crop_box(width, height, box)
        if unseen[crop.area].any():
            unseen[crop.area] = False
            chosen.append(crop)
    return chosen[::-1]


def _box(rows: slice, columns: slice) -> Box:
    return Box(columns.start, rows.start, columns.stop, rows.stop)


def _widened(start: int, stop: int, length: int) -> tuple[int, int]:
    """One direction of `crop_box`. An odd size loses a pixel."""
    middle, half = (start + stop) // 2, (stop - start) // 2 + MARGIN
    first, last = middle - half, middle + half
    moved_first = max(first, 0) - max(last - length, 0)
    moved_last = min(last, length) + max(-first, 0)
    return max(moved_first, 0), min(moved_last, length)
