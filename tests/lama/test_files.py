"""`flint --lama`: image files of all kinds, and what is wrong with them, in this process."""

from __future__ import annotations

import io
import os
import re
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image

import flint.cli
from flint import progress
from flint.lama import pixels
from tests.lama.conftest import masked, picture

Run: TypeAlias = Callable[..., tuple[int, str]]
Pixels: TypeAlias = NDArray[np.uint8]

HEIGHT, WIDTH = 20, 30
HOLE = (6, 4, 15, 12)


@pytest.fixture
def run(
    lama: flint.LamaRustScript,
    weights: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> Run:
    """Run the command in a folder with an image and a mask: exit code and stderr."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(flint.cli, "LamaRustScript", lambda device: lama)
    Image.fromarray(picture(HEIGHT, WIDTH)).save("image.png")
    Image.fromarray(masked(HEIGHT, WIDTH, HOLE)).save("mask.png")

    def run_it(**changes: str) -> tuple[int, str]:
        options = {"image": "image.png", "mask": "mask.png", "output": "out.png"}
        words = {"weights": weights, **options, **changes}
        with pytest.raises(SystemExit) as stop:
            flint.cli._command.main(
                ["--lama", *(f"--{name}={value}" for name, value in words.items())], "flint"
            )
        out, err = capfd.readouterr()
        assert out == ""
        return int(stop.value.code or 0), err

    return run_it


def result(path: str = "out.png") -> Pixels:
    with Image.open(path) as image:
        assert image.mode == "RGB"
        return np.asarray(image)


def differs_in_the_hole(left: Pixels, right: Pixels) -> bool:
    """Nowhere else, and there nearly everywhere."""
    hole = masked(HEIGHT, WIDTH, HOLE) > 0
    assert np.array_equal(left[~hole], right[~hole])
    return bool((left[hole] != right[hole]).any(-1).mean() > 0.9)


def test_png(run: Run) -> None:
    assert run() == (0, "")
    assert differs_in_the_hole(result(), picture(HEIGHT, WIDTH))
    assert sorted(os.listdir()) == ["image.png", "mask.png", "out.png"]


def test_the_output_may_be_the_image(run: Run) -> None:
    assert run(output="image.png") == (0, "")
    assert differs_in_the_hole(result("image.png"), picture(HEIGHT, WIDTH))


@pytest.mark.parametrize("name", ["a.bmp", "a.ppm", "a.TIFF", "a.webp", "new/er/a.png"])
def test_formats_that_keep_pixels(name: str, run: Run) -> None:
    run()
    assert run(output=name) == (0, "")
    assert np.array_equal(result(name), result())


def test_jpeg(run: Run) -> None:
    smooth = np.linspace((0, 40, 80), (160, 200, 240), WIDTH).round().astype(np.uint8)
    image = np.broadcast_to(smooth, (HEIGHT, WIDTH, 3)).copy()
    Image.fromarray(image).save("image.jpg", quality=100)
    assert run(image="image.jpg", output="out.jpeg") == (0, "")
    kept = masked(HEIGHT, WIDTH, HOLE) == 0
    kept[:16, :16] = False  # blocks that hold a part of the hole
    assert np.abs(result("out.jpeg").astype(int) - image)[kept].max() < 10


# -- kinds of images ------------------------------------------------------------------------------


def grey16() -> Image.Image:
    values = np.linspace(0, 65535, HEIGHT * WIDTH).reshape(HEIGHT, WIDTH)
    return Image.fromarray(values.astype(np.uint16))


def grey8() -> Image.Image:
    """Beside it in 8 bits: a 257th, rounded."""
    return Image.fromarray((np.asarray(grey16()) / 257 + 0.5).astype(np.uint8))


def with_alpha() -> Image.Image:
    alpha = picture(HEIGHT, WIDTH, 5)[..., :1]
    return Image.fromarray(np.concatenate([picture(HEIGHT, WIDTH), alpha], axis=-1))


def palette() -> Image.Image:
    return Image.fromarray(picture(HEIGHT, WIDTH)).quantize(16)


KINDS: dict[str, tuple[Callable[[], Image.Image], Callable[[], Image.Image]]] = {
    "grey": (grey8, lambda: grey8().convert("RGB")),
    "16 bits": (grey16, lambda: grey8().convert("RGB")),
    "alpha": (with_alpha, lambda: Image.fromarray(picture(HEIGHT, WIDTH))),
    "grey and alpha": (lambda: grey8().convert("LA"), lambda: grey8().convert("RGB")),
    "black and white": (
        lambda: grey8().convert("1", dither=Image.Dither.NONE),
        lambda: grey8().point(lambda value: 255 * (value > 127)).convert("RGB"),
    ),
    "palette": (palette, lambda: palette().convert("RGB")),
}


@pytest.mark.parametrize("kind", KINDS)
def test_kinds_of_images(kind: str, run: Run) -> None:
    given, plain = (make() for make in KINDS[kind])
    given.save("given.png")
    plain.save("plain.png")
    assert run(image="given.png") == (0, "")
    assert differs_in_the_hole(result(), np.asarray(plain))
    found = result()
    assert run(image="plain.png") == (0, "")
    assert np.array_equal(result(), found)


def test_the_first_frame_counts(run: Run) -> None:
    first, second = (Image.fromarray(picture(HEIGHT, WIDTH, seed)) for seed in (1, 2))
    first.save("moving.webp", save_all=True, append_images=[second], lossless=True)
    assert run(image="moving.webp") == (0, "")
    assert differs_in_the_hole(result(), picture(HEIGHT, WIDTH, 1))


def test_the_result_is_upright(run: Run) -> None:
    """An image that lies on its side, with a mask that does not."""
    lying = Image.fromarray(picture(HEIGHT, WIDTH)).transpose(Image.Transpose.ROTATE_90)
    exif = Image.Exif()
    exif[0x0112] = 6  # turn it clockwise
    lying.save("lying.png", exif=exif)
    assert run(image="lying.png") == (0, "")
    assert differs_in_the_hole(result(), picture(HEIGHT, WIDTH))
    with Image.open("out.png") as image:
        assert 0x0112 not in image.getexif()


def test_kinds_of_masks(run: Run) -> None:
    run()
    wanted = result()
    mask = Image.open("mask.png")
    for index, other in enumerate(
        (mask.convert("1"), mask.convert("RGBA"), mask.convert("P"), mask.convert("I;16"))
    ):
        other.save(f"mask{index}.png")
        assert run(mask=f"mask{index}.png") == (0, "")
        assert np.array_equal(result(), wanted), other.mode


@pytest.mark.parametrize(
    ("colour", "fills"),
    # 722 * 13 and 7152 * 1 are less than 10000; 722 * 14 and 7152 * 2 are more
    [((0, 0, 13), False), ((0, 0, 14), True), ((0, 1, 0), False), ((0, 2, 0), True)],
)
def test_the_brightness_of_coloured_masks(
    colour: tuple[int, int, int], fills: bool, run: Run
) -> None:
    Image.new("RGB", (WIDTH, HEIGHT), colour).save("mask.png")
    assert run() == (0, "")
    assert np.array_equal(result(), picture(HEIGHT, WIDTH)) != fills


# -- what cannot be done --------------------------------------------------------------------------


def prepared() -> None:
    """Files of every bad kind."""
    Path("text.png").write_text("no image")
    Path("folder.png").mkdir()
    Path("file").write_text("")
    Path("cut.png").write_bytes(Path("image.png").read_bytes()[:800])
    Image.new("L", (WIDTH, HEIGHT + 1)).save("taller.png")
    Image.new("RGB", (8, 8)).save("small.png")
    Image.fromarray(np.zeros((HEIGHT, WIDTH), np.float32)).save("float.tiff")


REFUSED: dict[str, tuple[dict[str, str], str]] = {
    "no image": (
        {"image": "absent.png"},
        "cannot read image absent.png: No such file or directory",
    ),
    "no mask": ({"mask": "absent.png"}, "cannot read mask absent.png: No such file or directory"),
    "text": ({"image": "text.png"}, r"cannot read image text.png: it is none of AVIF, .*"),
    "folder": ({"mask": "folder.png"}, "cannot read mask folder.png: Is a directory"),
    "cut off": ({"image": "cut.png"}, r"cannot read image cut.png: .*truncated.*"),
    "floats": ({"image": "float.tiff"}, r"cannot read image float.tiff: .* of the kind F; .*"),
    "another size": (
        {"mask": "taller.png"},
        "the image has 30 x 20 pixels, the mask 30 x 21 pixels",
    ),
    "small": (
        {"image": "small.png", "mask": "small.png"},
        "an image of 8 x 8 pixels cannot be filled: each side has to have at least 9",
    ),
    "no weights": (
        {"weights": "absent"},
        r"host error: flint::weights::load: cannot read absent: .*",
    ),
    "weights that are an image": (
        {"weights": "image.png"},
        r"host error: flint::weights::load: cannot read image.png: .*it is no safetensors file.*",
    ),
    "no extension": (
        {"output": "out"},
        "cannot write out: the extension none names no image format; use .png or .jpg",
    ),
    "another extension": ({"output": "out.txt"}, r"cannot write out.txt: the extension .txt .*"),
    "few colours": ({"output": "out.gif"}, r"cannot write out.gif: GIF is not one of BMP, .*"),
    "output is a folder": ({"output": "folder.png"}, "cannot write folder.png: Is a directory"),
    "output below a file, told before the weights": (
        {"output": "file/out.png", "weights": "absent"},
        "cannot write file/out.png: Not a directory",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_refused(case: str, run: Run) -> None:
    prepared()
    before = sorted(os.listdir())
    changes, message = REFUSED[case]
    code, err = run(**changes)
    assert code == 1
    first, *places = err.splitlines()
    assert re.fullmatch(f"Error: {message}", first)
    assert "Traceback" not in err
    assert not places or "host error" in message
    assert sorted(os.listdir()) == before


def test_a_failed_write_leaves_the_old_file(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    Path("out.png").write_bytes(b"old")

    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Image.Image, "save", full)
    assert run() == (1, "Error: cannot write out.png: No space left on device\n")
    assert Path("out.png").read_bytes() == b"old"
    assert sorted(os.listdir()) == ["image.png", "mask.png", "out.png"]


# -- progress -------------------------------------------------------------------------------------


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_a_bar_over_crops(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    Image.fromarray(picture(20, 900)).save("wide.png")
    Image.fromarray(masked(20, 900, (5, 5, 9, 9), (800, 5, 820, 9))).save("two.png")
    terminal, as_before = Terminal(), pixels.tensor_pixels

    def slow(*values: Any) -> Pixels:
        time.sleep(0.12)  # the bar moves ten times a second at most
        return as_before(*values)

    monkeypatch.setattr(progress, "PATIENCE_SECONDS", 0.0)
    monkeypatch.setattr(pixels, "tensor_pixels", slow)
    with monkeypatch.context() as patch:
        patch.setattr(progress.sys, "stderr", terminal)
        assert run(image="wide.png", mask="two.png")[0] == 0
    written = terminal.getvalue()
    assert "crops:   0%" in written
    assert "0/2" in written
    assert "1/2" in written
    assert written.split("\r")[-1] == ""
    # without a terminal there is none
    assert run(image="wide.png", mask="two.png") == (0, "")
