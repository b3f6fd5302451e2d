"""Programs with settings that a model, an image or the installed library cannot have."""

from __future__ import annotations

import math
from unittest import mock

from flint.runtime import sd
from flint.runtime.sd import guard, native
from flint.runtime.sd import image as making
from tests.sd.hostile import context, image, loaded, refused

# ---- settings of a context ----------------------------------------------------------------------


@refused("sd::new_sd_ctx", "backend", "choosing the sd backend failed: no backend 'quantum'")
def unknown_backend() -> None:
    context(backend="quantum")


@refused("sd::new_sd_ctx", "backend", "no backend 'cuda7'; the installed build has CPU")
def missing_device() -> None:
    context(backend="cuda7")


@refused("sd::new_sd_ctx", "backend", "no backend 'unet=cpu'; modules are te, vae, diffusion")
def unknown_module() -> None:
    context(backend="unet=cpu")


@refused("sd::new_sd_ctx", "backend", "no backend 'vulkan0'; the installed build has CPU")
def missing_device_for_weights() -> None:
    context(weights="vulkan0")


@refused("sd::new_sd_ctx", "max_vram", "max_vram 'much' is neither auto nor a number of GiB")
def unknown_max_vram() -> None:
    context(max_vram="much")


@refused("sd::ctx_params_set_wtype", "unknown", "no weight type named 'Q8_0'; there are f32, f16, ")
def unknown_weight_type() -> None:
    context(wtype="Q8_0")


@refused("sd::new_sd_ctx", "storage", "the weight type i16 is for storage")
def weight_type_of_integers() -> None:
    context(wtype="i16")


@refused("sd::new_sd_ctx", "other version", "the installed version has no weight type q1_0")
def weight_type_of_another_version() -> None:
    context(wtype="q1_0")


@refused(
    "sd::ctx_params_set_vae_format", "unknown", "5 is not a VAE format; there are -1 auto, 0 flux, "
)
def unknown_vae_format() -> None:
    context(vae_format=5)


@refused("sd::ctx_params_set_vae_format", "too large", "vae_format exceeds int32")
def vae_format_beyond_int32() -> None:
    context(vae_format=2**31)


@refused(
    "sd::new_sd_ctx", "VAE format", "VAE format sd3 does not fit FLUX.2 Klein, which has flux2"
)
def vae_format_of_another_model() -> None:
    context(vae_format=1)


@refused("sd::new_sd_ctx", "memory", r"the weights are 0\.\d GiB, this process can have 0\.0")
def model_beyond_memory() -> None:
    with mock.patch.object(guard, "memory_limit", return_value=2**20):
        context()


@refused("sd::new_sd_ctx", "no devices", "sd library: reports no devices")
def no_devices() -> None:
    with mock.patch.object(native, "devices", return_value=[]):
        context()


@refused("sd::new_sd_ctx", "videos", "FLUX.2 Klein makes videos, not images")
def model_of_videos() -> None:
    with (
        mock.patch.object(native, "new_context", return_value=1),
        mock.patch.object(native, "makes_images", return_value=False),
        mock.patch.object(native, "free_context"),
    ):
        context()


# ---- settings of an image -----------------------------------------------------------------------


@refused("sd::img_gen_params_set_size", "size", "width has to be > 0, it is 0")
def no_width() -> None:
    sd.img_gen_params_set_size(sd.img_gen_params_init(), 0, 64)


@refused("sd::img_gen_params_set_size", "size", "height has to be > 0, it is -64")
def negative_height() -> None:
    sd.img_gen_params_set_size(sd.img_gen_params_init(), 64, -64)


@refused("sd::img_gen_params_set_size", "too large", "width 2147483648 exceeds int32")
def width_beyond_int32() -> None:
    sd.img_gen_params_set_size(sd.img_gen_params_init(), 2**31, 64)


@refused("sd::img_gen_params_set_size", "limit", "height 2147483647 is more than 16384")
def largest_height() -> None:
    sd.img_gen_params_set_size(sd.img_gen_params_init(), 64, 2**31 - 1)


@refused(
    "sd::generate_image", "memory", "an image of 16384 x 16384 needs about .* GiB for decoding"
)
def image_beyond_memory() -> None:
    image(loaded(), width=16384, height=16384)


@refused("sd::img_gen_params_set_sample", "steps", "steps has to be > 0, it is 0")
def no_steps() -> None:
    sd.img_gen_params_set_sample(sd.img_gen_params_init(), 0, 1, 1.0)


@refused("sd::img_gen_params_set_sample", "limit", "steps 4294967296 is more than 1000")
def endless_steps() -> None:
    sd.img_gen_params_set_sample(sd.img_gen_params_init(), 2**32, 1, 1.0)


@refused("sd::img_gen_params_set_sample", "negative", "cfg_scale -0.5 is below 0")
def negative_guidance() -> None:
    sd.img_gen_params_set_sample(sd.img_gen_params_init(), 1, 1, -0.5)


@refused(
    "sd::img_gen_params_set_sample", "no number", "cfg_scale nan is no number that a C float holds"
)
def guidance_that_is_no_number() -> None:
    sd.img_gen_params_set_sample(sd.img_gen_params_init(), 1, 1, math.nan)


@refused(
    "sd::str_to_sample_method",
    "unknown",
    "no sample method named 'Euler'; there are euler, euler_a, ",
)
def unknown_sample_method() -> None:
    sd.str_to_sample_method("Euler")


@refused(
    "sd::str_to_scheduler", "unknown", "no scheduler named 'default'; there are discrete, karras, "
)
def unknown_scheduler() -> None:
    sd.str_to_scheduler("default")


@refused("sd::img_gen_params_set_sampler", "unknown method", "21 is not a sample method")
def sample_method_beyond_the_last() -> None:
    sd.img_gen_params_set_sampler(sd.img_gen_params_init(), 21, 0)


@refused("sd::img_gen_params_set_sampler", "unknown scheduler", "-1 is not a scheduler")
def negative_scheduler() -> None:
    sd.img_gen_params_set_sampler(sd.img_gen_params_init(), 0, -1)


@refused(
    "sd::generate_image", "other version", "the installed version has no sample method euler_cfg_pp"
)
def sample_method_of_another_version() -> None:
    image(loaded(), method=15)


@refused("sd::generate_image", "other version", "the installed version has no scheduler flux2")
def scheduler_of_another_version() -> None:
    image(loaded(), scheduler=13)


@refused("sd::get_default_scheduler", "unknown method", "21 is not a sample method")
def default_for_an_unknown_method() -> None:
    sd.get_default_scheduler(loaded(), 21)


@refused("sd::get_default_scheduler", "other version", "has no sample method euler_ge")
def default_for_a_method_of_another_version() -> None:
    sd.get_default_scheduler(loaded(), 17)


@refused("sd::get_default_scheduler", "too large", "sample method 2147483648 exceeds int32")
def default_for_a_method_beyond_int32() -> None:
    sd.get_default_scheduler(loaded(), 2**31)


@refused("sd::get_default_scheduler", "too small", "sample method -2147483649 is below int32")
def default_for_a_method_below_int32() -> None:
    sd.get_default_scheduler(loaded(), -(2**31) - 1)


@refused("sd::generate_image", "library", "sd library: generation failed")
def generation_that_fails() -> None:
    with mock.patch.object(native, "generate", return_value=None):
        image(loaded())


@refused("sd::generate_image", "schedule", "the scheduler gits needs at least 2 steps")
def one_step_of_gits() -> None:
    image(loaded(), scheduler=4)


@refused("sd::generate_image", "schedule", "the scheduler karras needs at least 2 steps")
def one_step_of_karras() -> None:
    image(loaded(), scheduler=1)  # it would be white: 0 / 0 is the first noise level


@refused("sd::generate_image", "schedule", "the scheduler ays has no noise levels for FLUX.2 Klein")
def scheduler_for_other_models() -> None:
    image(loaded(), scheduler=3, steps=4)


@refused(
    "sd::img_gen_params_set_prompt", "weight", "the prompt has the weight '.', which is no number"
)
def weight_of_a_point() -> None:
    sd.img_gen_params_set_prompt(sd.img_gen_params_init(), "a (cat:.)", "")


@refused("sd::img_gen_params_set_prompt", "weight", "the negative prompt has the weight '9999")
def weight_beyond_float() -> None:
    sd.img_gen_params_set_prompt(sd.img_gen_params_init(), "", "(a:" + "9" * 60 + ")")


@refused("sd::img_gen_params_set_prompt", "limit", "the prompt has 900000 bytes, at most 8192")
def endless_prompt() -> None:
    sd.img_gen_params_set_prompt(sd.img_gen_params_init(), "cat" * 300_000, "")


@refused("sd::img_gen_params_set_prompt", "text", "prompt contains a NUL")
def nul_in_a_prompt() -> None:
    sd.img_gen_params_set_prompt(sd.img_gen_params_init(), "a\0b", "")


@refused("sd::generate_image", "memory", "a prompt of 8192 bytes needs about 8 GiB for encoding")
def prompt_beyond_memory() -> None:
    params = sd.img_gen_params_init()
    sd.img_gen_params_set_prompt(params, "", "\x01" * 8192)  # 8192 tokens
    with mock.patch.object(making, "memory_limit", return_value=2**30):
        sd.generate_image(loaded(), params)
