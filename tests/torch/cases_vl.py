"""`flint::image` and `flint::vl`: what a vision-language model needs (host-functions.md 11)."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import numpy as np
from PIL import ExifTags, Image

from tests.torch.case import Case, Exempt, Refusal, World, floats
from tests.torch.support import BF16, F16, F32, ints, random

KINDS = {F32: "float", BF16: "bf16", F16: "half"}
UPSIDE_DOWN = 3  # of EXIF's orientations
PIXELS = np.random.default_rng(0).integers(0, 256, (512, 512, 3), dtype=np.uint8)
GREY = np.full((1, 1024, 768), (51 / 255 - 0.5) / 0.5)


def png(pixels: Any, mode: str | None = None) -> Any:
    """A picture with these pixels as the only argument."""

    def args(folder: Path) -> tuple[str]:
        image = Image.fromarray(pixels)
        path = folder / "picture.png"
        (image.convert(mode) if mode else image).save(path)
        return (str(path),)

    return args


def turned(folder: Path) -> tuple[str]:
    """The picture of PIXELS, kept upside down with the remark that it is."""
    exif = Image.Exif()
    exif[ExifTags.Base.Orientation] = UPSIDE_DOWN
    path = folder / "turned.png"
    Image.fromarray(PIXELS[::-1, ::-1]).save(path, exif=exif)
    return (str(path),)


def file(content: bytes) -> Any:
    """A file with these bytes as the only argument."""

    def args(folder: Path) -> tuple[str]:
        path = folder / "picture"
        path.write_bytes(content)
        return (str(path),)

    return args


def encoded(image: Image.Image, file_format: str) -> bytes:
    buffer = io.BytesIO()
    image.save(buffer, file_format)
    return buffer.getvalue()


def patches(_: str) -> Any:
    """16 x 16 patches by rows; inside by row, column and colour."""
    rows = PIXELS.reshape(32, 16, 32, 16, 3).transpose(0, 2, 1, 3, 4)
    return (rows.reshape(1, 1024, 768) / 255 - 0.5) / 0.5


def pictures() -> list[Case]:
    found = []
    for dtype, kind in KINDS.items():
        world = World(variables={"KOHARU_TORCH_WEIGHT_KIND": kind})
        found.append(Case(PATCHES, png(PIXELS), patches, dtype, dtype, world))
    return found


def resized(table: Any, height: int, width: int) -> Any:
    """Bilinear between the centres of squares, `[s, s, D]` → `[height * width, D]`."""
    rows, columns = (weights(table.shape[0], size) for size in (height, width))
    return np.einsum("is,jt,std->ijd", rows, columns, table).reshape(height * width, -1)


def weights(old: int, new: int) -> Any:
    """`[new, old]`: how much every old place counts for a new one."""
    result = np.zeros((new, old))
    for at in range(new):
        place = max((at + 0.5) * old / new - 0.5, 0)
        first = int(place)
        result[at, first] += 1 - (place - first)
        result[at, min(first + 1, old - 1)] += place - first
    return result


def positions(weight: Any, height: int, width: int, max_len: int) -> Any:
    side = int(np.sqrt(len(weight)))
    rows = resized(weight.reshape(side, side, -1), height, width)
    padding = np.repeat(rows[:1], max_len - len(rows), axis=0)
    return np.concatenate([rows, padding])[None]


def unshuffled(x: Any) -> Any:
    corners = [x[:, i::2, j::2] for i in (0, 1) for j in (0, 1)]
    return np.concatenate(corners, axis=-1)


def scattered(ids: Any, embeds: Any, features: Any, token: int) -> Any:
    result = embeds.copy()
    places = np.argwhere(ids == token)
    rows = features.reshape(-1, features.shape[-1])
    for (batch, at), row in zip(places, rows, strict=False):
        result[batch, at] = row
    return result


IDS = ints([5, 9, 9], [9, 5, 5])
PATCHES = "image::lfm2_vl_patches"
SIGLIP = "vl::siglip2_position_embedding"
SCATTER = "vl::scatter_image_embeddings"

CASES: list[Case] = [
    *pictures(),
    # every size becomes 512 x 512, every mode RGB
    *(
        Case(PATCHES, png(np.full(shape, 51, np.uint8), mode), GREY, result=F32)
        for shape, mode in (
            ((7, 30, 3), None),
            ((700, 600), None),
            ((4, 4, 3), "P"),
            ((4, 4), "LA"),
            ((4, 4, 3), "RGBA"),
            ((4, 4, 4), None),  # almost transparent
        )
    ),
    # 16 bits become 8, rounded: 51 * 257 is 51, and so is a little less
    Case(PATCHES, png(np.full((3, 2), 51 * 257, np.uint16)), GREY, result=F32),
    Case(PATCHES, png(np.full((3, 2), 51 * 257 - 100, np.uint16)), GREY, result=F32),
    Case(PATCHES, turned, patches, result=F32),
    *floats(SIGLIP, lambda t: (random(9, 4, dtype=t), 5, 4, 22), positions),
    *floats(SIGLIP, lambda t: (random(16, 2, dtype=t), 4, 4, 16), positions),
    *floats("vl::pixel_unshuffle2", lambda t: (random(2, 4, 6, 3, dtype=t),), unshuffled),
    *floats(
        SCATTER,
        lambda t: (IDS, random(2, 3, 4, dtype=t), random(1, 3, 4, seed=1), 9),
        scattered,
    ),
    # surplus rows are ignored
    *floats(
        SCATTER,
        lambda t: (IDS, random(2, 3, 4, dtype=t), random(7, 4, dtype=t, seed=1), 9),
        scattered,
    ),
]

REFUSALS: list[Refusal] = [
    *(
        Refusal(PATCHES, "unreadable", args, says)
        for args, says in (
            (("/nowhere/p.png",), "cannot read image /nowhere/p.png: No such file"),
            (("/",), "cannot read image /: Is a directory"),
            (("a\0b",), "null byte"),
            (file(b""), "picture: it is none of "),
            (file(b"\x89PNG\r\n\x1a\n" + bytes(50)), "picture: it is none of "),
            (file(encoded(Image.fromarray(PIXELS), "JPEG")[:-500]), "truncated"),
            (file(encoded(Image.fromarray(PIXELS), "PNG")[:-500]), "truncated"),
            (file(encoded(Image.new("F", (2, 2)), "TIFF")), "kind F; convert it to 8 or 16 bits"),
            (file(encoded(Image.new("RGB", (2, 2)), "EPS")), "picture: it is none of "),
        )
    ),
    Refusal(SIGLIP, "rank", (random(9), 3, 3, 9), "2-D"),
    Refusal(SIGLIP, "no square", (random(8, 2), 3, 3, 9), "square"),
    Refusal(SIGLIP, "size", (random(9, 2), 0, 3, 9), "size"),
    Refusal(SIGLIP, "size", (random(9, 2), 3, 3, 8), "size"),
    Refusal("vl::pixel_unshuffle2", "shape", (random(1, 3, 4, 2),), "even"),
    Refusal("vl::pixel_unshuffle2", "shape", (random(4, 4, 2),), "even"),
    Refusal(SCATTER, "too few", (IDS, random(2, 3, 4), random(2, 4), 9), "3 places for an image"),
    Refusal(SCATTER, "width", (IDS, random(2, 3, 4), random(3, 8), 9), "4 wide"),
]

EXEMPT = Exempt()
