"""Programs with wrong handles, and with places where no image can be saved."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

from flint.lang.errors import HostError
from flint.runtime import ggml, sd
from flint.runtime.sd.settings import Pixels
from tests.sd.hostile import image, loaded, places, refused, scratch


def images() -> sd.ImageBatch:
    return sd.ImageBatch([Pixels(1, 1, 3, bytes(3))])


# ---- handles ------------------------------------------------------------------------------------


@refused("sd::free_sd_ctx", "handle", r"no sd context with handle \d+ \(already freed\)")
def context_freed_twice() -> None:
    made = loaded(sd.Context)
    sd.free_sd_ctx(made)
    sd.free_sd_ctx(made)


@refused("sd::generate_image", "handle", "no sd context with handle .*already freed")
def context_used_after_free() -> None:
    made = loaded()
    sd.free_sd_ctx(made)
    image(made)


@refused("sd::new_sd_ctx", "handle", "no sd context parameter with handle .*consumed by new_sd_ctx")
def parameters_used_twice() -> None:
    params = sd.ctx_params_init()
    with suppress(HostError):  # it has no model
        sd.new_sd_ctx(params)
    sd.new_sd_ctx(params)


@refused(
    "sd::img_gen_params_set_size", "handle", "no sd image parameter .*it is a sd context parameter"
)
def parameters_of_the_other_kind() -> None:
    sd.img_gen_params_set_size(sd.ctx_params_init(), 64, 64)  # type: ignore[arg-type]


@refused("sd::get_default_scheduler", "handle", "no sd context with handle 7 .*plain number")
def plain_number_as_context() -> None:
    sd.get_default_scheduler(7, 0)  # type: ignore[arg-type]


@refused("sd::free_sd_images", "handle", "no sd image batch with handle .*already freed")
def images_freed_twice() -> None:
    made = images()
    sd.free_sd_images(made)
    sd.free_sd_images(made)


# ---- saving -------------------------------------------------------------------------------------


def saved(path: Path | str, index: int = 0) -> None:
    sd.images_save(images(), index, str(path))


@refused("sd::images_save", "beyond", "no image 1, the batch has 1")
def image_beyond_the_last() -> None:
    saved(places.scratch / "a.png", 1)


@refused("sd::images_save", "negative", "no image -1, the batch has 1")
def negative_image() -> None:
    saved(places.scratch / "a.png", -1)


@refused(
    "sd::images_save",
    "extension",
    "cannot save the image: .*the extension .txt names no image format",
)
def unknown_extension() -> None:
    saved(places.scratch / "a.txt")


@refused(
    "sd::images_save",
    "extension",
    "cannot save the image: .*the extension none names no image format",
)
def no_extension() -> None:
    saved(places.scratch / "png")


@refused("sd::images_save", "folder", "cannot create the output folder: ")
def file_as_output_folder() -> None:
    saved(scratch("file", b"") / "a.png")


@refused("sd::images_save", "unwritable", "cannot save the image: .*Is a directory")
def folder_as_output() -> None:
    (places.scratch / "folder.png").mkdir(exist_ok=True)
    saved(places.scratch / "folder.png")


@refused("sd::images_save", "text", "contains a NUL")
def nul_in_an_output_path() -> None:
    saved("a\0.png")


@refused(
    "sd::images_check_path",
    "extension",
    "cannot save the image: .*the extension .txt names no image",
)
def path_of_a_text() -> None:
    sd.images_check_path(str(places.scratch / "a.txt"))


@refused("sd::images_check_path", "unwritable", "cannot save the image: .*Not a directory")
def path_below_a_file() -> None:
    sd.images_check_path(str(scratch("file", b"") / "a.png"))


# ---- ggml ---------------------------------------------------------------------------------------


@refused(
    "ggml::list_stable_diffusion_devices",
    "other build",
    "no cuda device in the installed stable-diffusion",
)
def devices_of_a_missing_build() -> None:
    ggml.list_stable_diffusion_devices("CUDA12")


@refused(
    "ggml::stable_diffusion_package_dir",
    "other build",
    "choosing the ggml package failed: no vulkan device",
)
def folder_of_a_missing_build() -> None:
    ggml.stable_diffusion_package_dir("vulkan")


@refused("ggml::load_stable_diffusion_backends", "other build", "loading ggml backends failed: no")
def backends_of_a_missing_build() -> None:
    ggml.load_stable_diffusion_backends("Vulkan1")
