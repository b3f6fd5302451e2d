"""Errors of `flint::sd` and `flint::ggml` that need no library (host-functions.md 2, 3).

Those that need one are in tests/sd/hostile_*.py.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

from flint.runtime import sd
from flint.runtime.sd.settings import Pixels
from tests.torch.case import Case, Exempt, Refusal

INT32 = 2**31
LARGEST_FLOAT = 3.4028234663852886e38  # FLT_MAX


def context(*args: Any) -> Callable[[Path], tuple[Any, ...]]:
    """Context parameters and the other arguments."""
    return lambda _: (sd.ctx_params_init(), *args)


def image(*args: Any) -> Callable[[Path], tuple[Any, ...]]:
    """Image parameters and the other arguments."""
    return lambda _: (sd.img_gen_params_init(), *args)


def save(name: str, index: int = 0) -> Callable[[Path], tuple[Any, ...]]:
    """A batch of one image, and a path below the folder."""
    return lambda folder: (sd.ImageBatch([Pixels(1, 1, 3, bytes(3))]), index, path(name, folder))


def check(name: str) -> Callable[[Path], tuple[Any, ...]]:
    return lambda folder: (path(name, folder),)


def path(name: str, folder: Path) -> str:
    (folder / "file").touch()
    (folder / "folder.png").mkdir(exist_ok=True)
    return str(folder / name)


METHODS = "; there are euler, euler_a, heun, "
SCHEDULES = "; there are discrete, karras, exponential, "
ENDLESS = LARGEST_FLOAT * 1.0001

CASES: list[Case] = []
REFUSALS: list[Refusal] = [
    *(
        Refusal(
            "sd::ctx_params_set_wtype", "unknown", context(name), f"no weight type named '{name}'"
        )
        for name in ("F16", "Q8_0", "q8_2", " f16", "iq5")
    ),
    *(
        Refusal("sd::ctx_params_set_vae_format", "unknown", context(n), f"{n} is not a VAE format")
        for n in (-2, 3, INT32 - 1, -INT32 - 1)
    ),
    Refusal(
        "sd::ctx_params_set_vae_format", "too large", context(INT32), "vae_format exceeds int32"
    ),
    Refusal("sd::img_gen_params_set_prompt", "text", image("a\0", ""), "prompt contains a NUL"),
    Refusal("sd::img_gen_params_set_prompt", "text", image("", "\ud800"), "is not valid Unicode"),
    Refusal("sd::img_gen_params_set_prompt", "weight", image("", "(a:.)"), "has the weight '.'"),
    Refusal("sd::img_gen_params_set_prompt", "limit", image("é" * 4097, ""), "has 8194 bytes"),
    Refusal("sd::img_gen_params_set_size", "size", image(0, 64), "width has to be > 0, it is 0"),
    Refusal("sd::img_gen_params_set_size", "size", image(64, -1), "height has to be > 0, it is -1"),
    Refusal(
        "sd::img_gen_params_set_size", "too large", image(INT32, 64), "width 2147483648 exceeds"
    ),
    Refusal("sd::img_gen_params_set_size", "too large", image(64, INT32), "height 2147483648 exc"),
    Refusal("sd::img_gen_params_set_size", "limit", image(16385, 64), "16385 is more than 16384"),
    Refusal("sd::img_gen_params_set_sample", "steps", image(0, 1, 1.0), "steps has to be > 0"),
    Refusal("sd::img_gen_params_set_sample", "steps", image(-4, 1, 1.0), "it is -4"),
    Refusal(
        "sd::img_gen_params_set_sample", "limit", image(1001, 1, 1.0), "1001 is more than 1000"
    ),
    Refusal("sd::img_gen_params_set_sample", "negative", image(1, 1, -0.1), "-0.1 is below 0"),
    Refusal("sd::img_gen_params_set_sample", "negative", image(1, 1, -math.inf), "-inf is below 0"),
    Refusal(
        "sd::img_gen_params_set_sample", "no number", image(1, 1, math.nan), "nan is no number"
    ),
    Refusal("sd::img_gen_params_set_sample", "no number", image(1, 1, ENDLESS), "that a C float"),
    Refusal("sd::img_gen_params_set_sampler", "unknown method", image(21, 0), f"method{METHODS}"),
    Refusal("sd::img_gen_params_set_sampler", "unknown method", image(-1, 0), "-1 is not a sample"),
    Refusal(
        "sd::img_gen_params_set_sampler", "unknown scheduler", image(0, 17), "17 is not a sched"
    ),
    Refusal("sd::img_gen_params_set_sampler", "unknown scheduler", image(0, -1), SCHEDULES),
    Refusal("sd::str_to_sample_method", "unknown", ("Euler",), f"method named 'Euler'{METHODS}"),
    Refusal("sd::str_to_sample_method", "unknown", ("flux2",), "no sample method named 'flux2'"),
    Refusal("sd::str_to_scheduler", "unknown", ("Karras",), f"scheduler named 'Karras'{SCHEDULES}"),
    Refusal("sd::sample_method_name", "unknown", (21,), f"21 is not a sample method{METHODS}"),
    Refusal("sd::sample_method_name", "unknown", (-1,), "-1 is not a sample method"),
    Refusal("sd::scheduler_name", "unknown", (17,), f"17 is not a scheduler{SCHEDULES}"),
    Refusal("sd::scheduler_name", "unknown", (-(2**63),), f"{-2**63} is not a scheduler"),
    Refusal("sd::images_save", "negative", save("a.png", -1), "no image -1, the batch has 1"),
    Refusal("sd::images_save", "beyond", save("a.png", 1), "no image 1, the batch has 1"),
    Refusal("sd::images_save", "extension", save("a.exe"), "the extension .exe names no image"),
    Refusal("sd::images_save", "folder", save("file/a.png"), "cannot create the output folder: "),
    Refusal("sd::images_save", "unwritable", save("folder.png"), "cannot save the image: "),
    Refusal("sd::images_save", "text", save("a\0.png"), "the path contains a NUL character"),
    Refusal("sd::images_save", "text", save("a\ud800.png"), "surrogates not allowed"),
    Refusal("sd::images_save", "text", save("a\ud800/a.png"), "surrogates not allowed"),
    Refusal("sd::images_check_path", "text", check("a\ud800/a.png"), "surrogates not allowed"),
    Refusal("sd::images_check_path", "extension", check("a"), "the extension none names no image"),
    Refusal("sd::images_check_path", "unwritable", check("folder.png"), "Is a directory"),
    Refusal("sd::images_check_path", "unwritable", check("file/new/a.png"), "Not a directory"),
    Refusal("sd::images_check_path", "text", check("a\0.png"), "the path contains a NUL character"),
    Refusal(
        "ggml::load_backends",
        "missing",
        check("none"),
        "loading ggml backends failed: [Errno 2] No such file or directory",
    ),
    Refusal("ggml::list_devices", "missing", check("none"), "listing ggml devices failed: "),
    Refusal("ggml::load_backends", "no library", check("file"), "failed: no ggml library at "),
    Refusal("ggml::list_devices", "no library", check("folder.png"), "no ggml library at "),
    Refusal("ggml::load_backends", "text", check("a\0"), "loading ggml backends failed: "),
    Refusal("ggml::list_devices", "text", check("a\0"), "listing ggml devices failed: "),
]
EXEMPT = Exempt()
