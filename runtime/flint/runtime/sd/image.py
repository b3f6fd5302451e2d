"""Images: their parameters, making and saving them (host-functions.md 3)."""

from __future__ import annotations

import math
import sys
from typing import ClassVar

from flint.runtime.c_values import INT32_MAX
from flint.runtime.host import Refused, host
from flint.runtime.machine import memory_limit
from flint.runtime.sd import native
from flint.runtime.sd.context import Context, library_sample_method, library_scheduler
from flint.runtime.sd.handles import SdResource
from flint.runtime.sd.names import AUTO, SAMPLE_METHODS, SCHEDULERS
from flint.runtime.sd.picture import require_path, save_pixels
from flint.runtime.sd.progress import progress_bar
from flint.runtime.sd.prompt import prompt_bytes
from flint.runtime.sd.settings import ImageSettings, Pixels
from flint.runtime.sd.values import library_error

_MOST_STEPS = 1000  # schedulers choose from as many noise levels
_LARGEST_SIDE = 16384
_SCHEDULERS_OF_TWO_STEPS = ("gits", "karras", "exponential")
_LARGEST_FLOAT = (2 - 2.0**-23) * 2.0**127
# Measured: bytes for a pixel and a channel of the decoder's width, when it decodes in one piece.
_DECODER_BYTES = 52
# One attention score: between two places of 8 x 8 pixels, or between two tokens of the prompt.
_SCORE_BYTES = 4


class ImageParams(SdResource):
    """What an image will be made from; numbers of names are those of `names`."""

    kind: ClassVar[str] = "image parameter"

    def __init__(self) -> None:
        super().__init__()
        self.prompt = self.negative_prompt = b""
        self.width = self.height = 512
        self.steps = 20
        self.seed = -1
        self.cfg_scale = 7.0
        self.sample_method = SAMPLE_METHODS.number(AUTO)
        self.scheduler = SCHEDULERS.number(AUTO)


class ImageBatch(SdResource):
    """The images of one generation."""

    kind: ClassVar[str] = "image batch"

    def __init__(self, images: list[Pixels]) -> None:
        super().__init__()
        self.images = images

    def _release(self) -> None:
        self.images = []


@host
def img_gen_params_init() -> ImageParams:
    """Return parameters with defaults: no prompt, 512 x 512, 20 steps, random seed, CFG 7."""
    return ImageParams()


@host
def img_gen_params_set_prompt(params: ImageParams, prompt: str, negative_prompt: str) -> bool:
    """Set what the image shall show, and what not (with a CFG scale other than 1)."""
    texts = prompt_bytes("prompt", prompt), prompt_bytes("negative prompt", negative_prompt)
    params.prompt, params.negative_prompt = texts
    return True


@host
def img_gen_params_set_size(params: ImageParams, width: int, height: int) -> bool:
    """Set the size in pixels, from 1 to 16384; the library rounds up, for most models to 16."""
    sizes = _side("width", width), _side("height", height)
    params.width, params.height = sizes
    return True


@host
def img_gen_params_set_sample(params: ImageParams, steps: int, seed: int, cfg_scale: float) -> bool:
    """Set the steps (1 to 1000), the seed (negative: random) and the scale of guidance by text."""
    if steps <= 0:
        raise Refused(f"steps has to be > 0, it is {steps}")
    if steps > _MOST_STEPS:
        raise Refused(f"steps {steps} is more than {_MOST_STEPS}")
    if math.isnan(cfg_scale) or cfg_scale > _LARGEST_FLOAT:
        raise Refused(f"cfg_scale {cfg_scale} is no number that a C float holds")
    if cfg_scale < 0:
        raise Refused(f"cfg_scale {cfg_scale} is below 0")
    params.steps, params.seed, params.cfg_scale = steps, seed, cfg_scale
    return True


@host
def img_gen_params_set_sampler(params: ImageParams, sample_method: int, scheduler: int) -> bool:
    """Set both by their numbers, those of `str_to_sample_method` and `str_to_scheduler`."""
    SAMPLE_METHODS.name(sample_method)
    SCHEDULERS.name(scheduler)
    params.sample_method, params.scheduler = sample_method, scheduler
    return True


@host
def generate_image(context: Context, params: ImageParams) -> ImageBatch:
    """Make one image; `params` can be used again.

    The same seed gives the same pixels on one machine. A size that was rounded is told on stderr.
    """
    settings = ImageSettings(
        prompt=params.prompt,
        negative_prompt=params.negative_prompt,
        width=params.width,
        height=params.height,
        steps=params.steps,
        seed=params.seed,
        cfg_scale=params.cfg_scale,
        sample_method=library_sample_method(params.sample_method),
        scheduler=library_scheduler(params.scheduler),
    )
    _require_schedule(context, SCHEDULERS.name(params.scheduler), params.steps)
    if not context.on_gpu:
        _require_memory(context, params)
    native.complaints()
    with progress_bar("sampling") as listener:
        pixels = native.generate(context.pointer, settings, listener)
    if pixels is None:
        raise library_error("generation failed", native.complaints())
    _tell_size(pixels, params)
    return ImageBatch([pixels])


@host
def images_save(images: ImageBatch, index: int, output_path: str) -> bool:
    """Write an image in the format that the extension names: `.png`, `.jpg`, `.webp`, …

    Missing folders are made. The file is written beside and renamed when it is whole.
    """
    count = len(images.images)
    if not 0 <= index < count:
        raise Refused(f"no image {index}, the batch has {count}")
    save_pixels(images.images[index], output_path)
    return True


@host
def images_check_path(output_path: str) -> bool:
    """Fail if `images_save` could not write there: before an image is made, and not after it.

    The extension has to name a format, and the place has to take a file. A function of ours.
    """
    require_path(output_path)
    return True


@host
def free_sd_images(images: ImageBatch) -> bool:
    """Free the images."""
    images.close()
    return True


@host
def str_to_sample_method(name: str) -> int:
    """Return the number of a sample method by its exact name; empty is `auto`."""
    return SAMPLE_METHODS.number(name)


@host
def str_to_scheduler(name: str) -> int:
    """Return the number of a scheduler by its exact name; empty is `auto`."""
    return SCHEDULERS.number(name)


@host
def sample_method_name(sample_method: int) -> str:
    """Return the name of a sample method."""
    return SAMPLE_METHODS.name(sample_method)


@host
def scheduler_name(scheduler: int) -> str:
    """Return the name of a scheduler."""
    return SCHEDULERS.name(scheduler)


def _side(label: str, value: int) -> int:
    if value <= 0:
        raise Refused(f"{label} has to be > 0, it is {value}")
    if value > INT32_MAX:
        raise Refused(f"{label} {value} exceeds int32")
    if value > _LARGEST_SIDE:
        raise Refused(f"{label} {value} is more than {_LARGEST_SIDE}")
    return value


def _tell_size(pixels: Pixels, params: ImageParams) -> None:
    real, wanted = (pixels.width, pixels.height), (params.width, params.height)
    if real != wanted and sys.stderr is not None:
        sizes = f"the image is {real[0]} x {real[1]}, not {wanted[0]} x {wanted[1]}"
        print(f"{sizes}: the model's sizes are rounded up", file=sys.stderr)


def _require_schedule(context: Context, scheduler: str, steps: int) -> None:
    """Refuse schedulers where they divide by zero, read beyond a table, or have no table."""
    if scheduler in _SCHEDULERS_OF_TWO_STEPS and steps < 2:
        raise library_error(f"the scheduler {scheduler} needs at least 2 steps")
    if scheduler == "ays" and not context.model.has_align_your_steps:
        title = context.model.family.title
        raise library_error(f"the scheduler ays has no noise levels for {title}")


def _require_memory(context: Context, params: ImageParams) -> None:
    """Refuse a size or a prompt that cannot fit: the kernel would kill the process."""
    model, width, height = context.model, params.width, params.height
    pixels = width * height
    decoding = max(pixels * model.vae_width * _DECODER_BYTES, (pixels // 64) ** 2 * _SCORE_BYTES)
    _require_room(context, decoding, f"an image of {width} x {height}", "decoding")
    for text in (params.prompt, params.negative_prompt):
        # a byte can be a token
        encoding = len(text) ** 2 * model.text_heads * _SCORE_BYTES
        _require_room(context, encoding, f"a prompt of {len(text)} bytes", "encoding")


def _require_room(context: Context, need: int, what: str, purpose: str) -> None:
    limit = memory_limit()
    if limit is not None and context.model.nbytes + need > limit:
        raise library_error(
            f"{what} needs about {need / 2**30:.0f} GiB for {purpose}, "
            f"this process can have {limit / 2**30:.0f}"
        )
