"""Programs that misuse `flint::sd`, each with what its error must say.

Run as a script with the folder of a tiny model and a scratch folder, it executes every one in a
process of its own (forked, so that the imports are paid once) and prints the outcomes as JSON.
"""

from __future__ import annotations

import json
import math
import os
import struct
import sys
from collections.abc import Callable
from pathlib import Path

import gguf
import numpy as np

from flint.runtime import ggml, sd
from flint.runtime.context import current, run
from flint.runtime.sd import native
from tests.runtime.hostile_cases import Case, outcome
from tests.sd import tiny_klein
from tests.sd.tiny_klein import Tensors, Weights

CASES: dict[str, Case] = {}
MODEL = SCRATCH = Path()
LOADED: list[sd.Context] = []


def refused(function: str, says: str) -> Callable[[Callable[[], object]], Callable[[], object]]:
    """Register a program that `flint::<function>` must refuse with these words."""

    def register(main: Callable[[], object]) -> Callable[[], object]:
        CASES[main.__name__] = Case(main, function, says)
        return main

    return register


def context(**changed: object) -> sd.Context:
    """A context of the tiny model; `changed` are paths and settings to use instead."""
    params = sd.ctx_params_init()
    paths = {
        "model": "",
        **{name: str(MODEL / f"{name}.safetensors") for name in ("diffusion", "vae", "llm")},
    }
    paths |= {name: str(path) for name, path in changed.items() if name in paths}
    sd.ctx_params_set_paths(params, paths["model"], paths["diffusion"], paths["vae"], paths["llm"])
    backend = [str(changed.get(name, "auto")) for name in ("backend", "weights", "max_vram")]
    sd.ctx_params_set_backend(params, *backend)
    sd.ctx_params_set_wtype(params, str(changed.get("wtype", "auto")))
    vae_format = changed.get("vae_format", 2)
    assert isinstance(vae_format, int)
    sd.ctx_params_set_vae_format(params, vae_format)
    return sd.new_sd_ctx(params)


def loaded() -> sd.Context:
    """The context that was made before the forks, as a resource of this run."""
    (made,) = LOADED
    return sd.Context(made.pointer, made.model, made.on_gpu)


def image(made_by: sd.Context, **settings: int) -> sd.ImageBatch:
    params = sd.img_gen_params_init()
    sd.img_gen_params_set_size(params, settings.get("width", 16), settings.get("height", 16))
    sd.img_gen_params_set_sample(params, settings.get("steps", 1), 1, 1.0)
    sd.img_gen_params_set_sampler(params, settings.get("method", 20), settings.get("scheduler", 16))
    return sd.generate_image(made_by, params)


def scratch(name: str, data: bytes) -> Path:
    path = SCRATCH / name
    path.write_bytes(data)
    return path


def whole(part: str) -> bytes:
    return (MODEL / f"{part}.safetensors").read_bytes()


def transformer(change: Callable[[Tensors], object], **sizes: int) -> Path:
    tensors = tiny_klein.transformer(Weights(0), **sizes)
    change(tensors)
    return tiny_klein.write_safetensors(SCRATCH / "changed.safetensors", tensors)


def safetensors(header: dict[str, object], data: bytes = bytes(64)) -> Path:
    text = json.dumps(header).encode()
    return scratch("made.safetensors", struct.pack("<Q", len(text)) + text + data)


def gguf_file() -> bytearray:
    tensors = tiny_klein.transformer(Weights(0))
    path = tiny_klein.write_gguf(SCRATCH / "whole.gguf", tensors, "flux")
    return bytearray(path.read_bytes())


def gguf_entry(data: bytearray, name: bytes) -> int:
    """Where the entry of a matrix in the list of tensors has its two sizes."""
    at = data.index(struct.pack("<Q", len(name)) + name)
    return at + 8 + len(name) + 4


# ---- files that are no model --------------------------------------------------------------------


@refused("sd::new_sd_ctx", "diffusion_model_path .*none.gguf: No such file")
def missing_diffusion_model() -> None:
    context(diffusion=SCRATCH / "none.gguf")


@refused("sd::new_sd_ctx", "vae_path .*none.safetensors: No such file")
def missing_vae() -> None:
    context(vae=SCRATCH / "none.safetensors")


@refused("sd::new_sd_ctx", "llm_path .*none.safetensors: No such file")
def missing_text_encoder() -> None:
    context(llm=SCRATCH / "none.safetensors")


@refused("sd::new_sd_ctx", r"neither a whole safetensors nor a GGUF file \(0 bytes\)")
def empty_file() -> None:
    context(diffusion=scratch("empty.safetensors", b""))


@refused("sd::new_sd_ctx", "cut short, tensor .* ends beyond the end")
def model_cut_in_its_tensors() -> None:
    data = whole("diffusion")
    context(diffusion=scratch("cut.safetensors", data[: len(data) // 2]))


@refused("sd::new_sd_ctx", "neither a whole safetensors nor a GGUF file")
def model_cut_in_its_header() -> None:
    context(diffusion=scratch("cut.safetensors", whole("diffusion")[:500]))


@refused("sd::new_sd_ctx", "cut short, tensor .* ends beyond the end")
def vae_without_its_last_byte() -> None:
    context(vae=scratch("cut.safetensors", whole("vae")[:-1]))


@refused("sd::new_sd_ctx", "neither a whole safetensors nor a GGUF file")
def text_as_model() -> None:
    context(diffusion=scratch("model.safetensors", b"This is a text and no model at all.\n" * 99))


@refused("sd::new_sd_ctx", "neither a whole safetensors nor a GGUF file")
def random_bytes_as_text_encoder() -> None:
    context(llm=scratch("random.gguf", np.random.default_rng(0).bytes(5000)))


@refused("sd::new_sd_ctx", "a pickle of PyTorch, which can run code; convert it to safetensors")
def pickle_as_vae() -> None:
    context(vae=scratch("model.ckpt", b"PK\x03\x04" + bytes(2000)))


@refused("sd::new_sd_ctx", "a folder; give the safetensors or GGUF file in it")
def folder_as_model() -> None:
    context(diffusion=SCRATCH)


@refused("sd::new_sd_ctx", "/dev/zero: not a regular file")
def device_as_model() -> None:
    context(diffusion="/dev/zero")


@refused("sd::new_sd_ctx", "neither a safetensors nor a GGUF file, or damaged")
def nested_header() -> None:
    text = b"[" * 200_000
    context(diffusion=scratch("nested.safetensors", struct.pack("<Q", len(text)) + text + b"."))


@refused("sd::new_sd_ctx", "tensor 'a' has a dimension of 0")
def tensor_without_numbers() -> None:
    context(diffusion=safetensors({"a": {"dtype": "F32", "shape": [0], "data_offsets": [0, 0]}}))


@refused("sd::new_sd_ctx", "tensor 'a' has other bytes than its shape needs")
def shape_beyond_64_bits() -> None:
    entry = {"dtype": "F32", "shape": [2**62, 2**62], "data_offsets": [0, 64]}
    context(diffusion=safetensors({"a": entry}))


@refused("sd::new_sd_ctx", "tensor 'a' has the type F4, which is not supported")
def unknown_type_of_numbers() -> None:
    context(diffusion=safetensors({"a": {"dtype": "F4", "shape": [1], "data_offsets": [0, 1]}}))


@refused("sd::new_sd_ctx", "it holds no part of a diffusion model that is known here")
def model_of_another_kind() -> None:
    context(diffusion=safetensors({"a": {"dtype": "F32", "shape": [16], "data_offsets": [0, 64]}}))


@refused("sd::new_sd_ctx", "diffusion_model_path contains a NUL")
def nul_in_a_path() -> None:
    context(diffusion="a\0b")


# ---- GGUF files on which ggml or the library's own reader would end the process -----------------


@refused("sd::new_sd_ctx", "cut short, tensor .* ends beyond the end")
def gguf_cut_in_its_tensors() -> None:
    context(diffusion=scratch("cut.gguf", gguf_file()[:-8]))


@refused("sd::new_sd_ctx", "cut short")
def gguf_cut_in_its_header() -> None:
    context(diffusion=scratch("cut.gguf", gguf_file()[:700]))


@refused("sd::new_sd_ctx", "a tensor has a dimension of 0")
def gguf_with_a_dimension_of_zero() -> None:
    data = gguf_file()
    at = gguf_entry(data, b"img_in.weight")
    data[at + 8 : at + 16] = bytes(8)
    context(diffusion=scratch("zero.gguf", data))


@refused("sd::new_sd_ctx", "has the type number 4, which is not supported")
def gguf_with_a_type_that_was_removed() -> None:
    data = gguf_file()
    at = gguf_entry(data, b"img_in.weight") + 16
    data[at : at + 4] = struct.pack("<I", 4)
    context(diffusion=scratch("type.gguf", data))


@refused("sd::new_sd_ctx", "has the type number 4294967295")
def gguf_with_the_largest_type() -> None:
    data = gguf_file()
    at = gguf_entry(data, b"img_in.weight") + 16
    data[at : at + 4] = b"\xff" * 4
    context(diffusion=scratch("type.gguf", data))


@refused("sd::new_sd_ctx", "is not where it should be")
def gguf_with_a_misplaced_tensor() -> None:
    data = gguf_file()
    at = gguf_entry(data, b"txt_in.weight") + 20
    data[at : at + 8] = bytes(8)
    context(diffusion=scratch("offset.gguf", data))


@refused("sd::new_sd_ctx", "the alignment is 0")
def gguf_with_an_alignment_of_zero() -> None:
    writer = gguf.GGUFWriter(SCRATCH / "alignment.gguf", "flux")
    writer.add_uint32("general.alignment", 0)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.close()
    context(diffusion=SCRATCH / "alignment.gguf")


# ---- files in each other's place, and files that do not fit each other --------------------------


@refused("sd::new_sd_ctx", "diffusion_model_path .*: it holds a VAE; give it as vae_path")
def vae_as_diffusion_model() -> None:
    context(diffusion=MODEL / "vae.safetensors", vae=MODEL / "diffusion.safetensors")


@refused("sd::new_sd_ctx", "vae_path .*: it holds a language model; give it as llm_path")
def text_encoder_as_vae() -> None:
    context(vae=MODEL / "llm.safetensors")


@refused("sd::new_sd_ctx", r"llm_path .*: it holds a diffusion model \(FLUX.2 Klein\)")
def diffusion_model_as_text_encoder() -> None:
    context(llm=MODEL / "diffusion.safetensors")


@refused("sd::new_sd_ctx", "model_path .* without text encoder and VAE; give it as diffusion_model")
def diffusion_model_as_checkpoint() -> None:
    context(model=MODEL / "diffusion.safetensors", diffusion="")


@refused("sd::new_sd_ctx", "it is one of a model's several files; join them, or take a GGUF file")
def one_of_several_files() -> None:
    context(llm=scratch("model-00001-of-00003.safetensors", whole("llm")))


@refused("sd::new_sd_ctx", "FLUX.1 encodes prompts with CLIP or T5, which only a full checkpoint")
def model_without_its_text_encoders() -> None:
    tensors = {"double_blocks.0.img_attn.proj.weight": tiny_klein.ones(64)}
    context(diffusion=tiny_klein.write_safetensors(SCRATCH / "flux1.safetensors", tensors))


@refused("sd::new_sd_ctx", "Wan is not run by flint::sd")
def model_for_videos() -> None:
    tensors = {"blocks.0.cross_attn.norm_k.weight": tiny_klein.ones(64)}
    context(diffusion=tiny_klein.write_safetensors(SCRATCH / "wan.safetensors", tensors))


@refused("sd::new_sd_ctx", "no model: neither model_path nor diffusion_model_path is set")
def no_model_at_all() -> None:
    context(diffusion="")


@refused("sd::new_sd_ctx", "FLUX.2 Klein needs a VAE: vae_path is not set")
def no_vae() -> None:
    context(vae="")


@refused("sd::new_sd_ctx", "needs a language model as text encoder: llm_path is not set")
def no_text_encoder() -> None:
    context(llm="")


@refused("sd::new_sd_ctx", "it gives 1 x 64 numbers for a token, the diffusion model takes 32")
def text_encoder_of_another_width() -> None:
    path = SCRATCH / "wide.safetensors"
    context(llm=tiny_klein.write_safetensors(path, tiny_klein.text_encoder(Weights(0), width=64)))


@refused("sd::new_sd_ctx", "vocabulary of 151668 lacks tokens .*; it takes 151669")
def text_encoder_with_too_few_tokens() -> None:
    encoder = tiny_klein.text_encoder(Weights(0), vocabulary=151_668)
    context(llm=tiny_klein.write_safetensors(SCRATCH / "few.safetensors", encoder))


@refused("sd::new_sd_ctx", "its layers are not numbered from 0")
def text_encoder_with_a_billion_layers() -> None:
    encoder = tiny_klein.text_encoder(Weights(0))
    encoder["model.layers.999999999.self_attn.q_norm.weight"] = tiny_klein.ones(128)
    context(llm=tiny_klein.write_safetensors(SCRATCH / "layers.safetensors", encoder))


@refused("sd::new_sd_ctx", "context not created .*model.layers.0.mlp.up_proj.weight.*not in model")
def text_encoder_without_a_weight() -> None:
    encoder = tiny_klein.text_encoder(Weights(0))
    del encoder["model.layers.0.mlp.up_proj.weight"]
    context(llm=tiny_klein.write_safetensors(SCRATCH / "layers.safetensors", encoder))


@refused("sd::new_sd_ctx", "the tensor single_blocks.0.norm.key_norm.scale is missing")
def transformer_without_a_norm() -> None:
    context(diffusion=transformer(lambda t: t.pop("single_blocks.0.norm.key_norm.scale")))


@refused("sd::new_sd_ctx", r"img_in.weight is \[128, 64\], it should be \[128, 128\]")
def transformer_with_other_latents() -> None:
    narrow = {"img_in.weight": np.zeros((128, 64), np.float16)}
    context(diffusion=transformer(lambda t: t.update(narrow)))


@refused("sd::new_sd_ctx", "its width 192 is not a multiple of 128")
def transformer_with_half_a_head() -> None:
    context(diffusion=transformer(lambda t: None, width=192))


@refused("sd::new_sd_ctx", "it has 111 blocks, at most 64 are possible")
def transformer_with_too_many_blocks() -> None:
    context(diffusion=transformer(lambda t: None, double=64, single=47))


@refused("sd::new_sd_ctx", r"img_in.weight_scale does not belong to it \(a file with scaled FP8")
def transformer_with_scaled_weights() -> None:
    context(diffusion=transformer(lambda t: t.update({"img_in.weight_scale": tiny_klein.ones(1)})))


@refused("sd::new_sd_ctx", "img_in.weight has the type i32, which is not computed with")
def transformer_of_integers() -> None:
    integers = {"img_in.weight": np.ones((128, 128), np.int32)}
    context(diffusion=transformer(lambda t: t.update(integers)))


@refused("sd::new_sd_ctx", "decoder takes 16 latent channels, FLUX.2 Klein has 32")
def vae_of_another_model() -> None:
    decoder = tiny_klein.decoder(Weights(0), latent=16)
    context(vae=tiny_klein.write_safetensors(SCRATCH / "other.safetensors", decoder))


@refused("sd::new_sd_ctx", "not a multiple of 128 channels")
def vae_of_an_odd_width() -> None:
    decoder = tiny_klein.decoder(Weights(0), channels=8)
    context(vae=tiny_klein.write_safetensors(SCRATCH / "odd.safetensors", decoder))


# ---- settings of a context ----------------------------------------------------------------------


@refused("sd::new_sd_ctx", "choosing the sd backend failed: no backend 'quantum'")
def unknown_backend() -> None:
    context(backend="quantum")


@refused("sd::new_sd_ctx", "no backend 'cuda7'; the installed build has CPU")
def missing_device() -> None:
    context(backend="cuda7")


@refused("sd::new_sd_ctx", "no backend 'unet=cpu'; modules are te, vae, diffusion")
def unknown_module() -> None:
    context(backend="unet=cpu")


@refused("sd::new_sd_ctx", "no backend 'vulkan0'; the installed build has CPU")
def missing_device_for_weights() -> None:
    context(weights="vulkan0")


@refused("sd::new_sd_ctx", "max_vram 'much' is neither auto nor a number of GiB")
def unknown_max_vram() -> None:
    context(max_vram="much")


@refused("sd::ctx_params_set_wtype", "no weight type named 'Q8_0'; there are f32, f16, ")
def unknown_weight_type() -> None:
    context(wtype="Q8_0")


@refused("sd::new_sd_ctx", "the weight type i16 is for storage")
def weight_type_of_integers() -> None:
    context(wtype="i16")


@refused("sd::new_sd_ctx", "the installed version has no weight type q1_0")
def weight_type_of_another_version() -> None:
    context(wtype="q1_0")


@refused("sd::ctx_params_set_vae_format", "5 is not a VAE format; there are -1 auto, 0 flux, ")
def unknown_vae_format() -> None:
    context(vae_format=5)


@refused("sd::ctx_params_set_vae_format", "vae_format exceeds int32")
def vae_format_beyond_int32() -> None:
    context(vae_format=2**31)


@refused("sd::new_sd_ctx", "VAE format sd3 does not fit FLUX.2 Klein, which has flux2")
def vae_format_of_another_model() -> None:
    context(vae_format=1)


# ---- settings of an image -----------------------------------------------------------------------


@refused("sd::img_gen_params_set_size", "width has to be > 0, it is 0")
def no_width() -> None:
    sd.img_gen_params_set_size(sd.img_gen_params_init(), 0, 64)


@refused("sd::img_gen_params_set_size", "height has to be > 0, it is -64")
def negative_height() -> None:
    sd.img_gen_params_set_size(sd.img_gen_params_init(), 64, -64)


@refused("sd::img_gen_params_set_size", "width 2147483648 exceeds int32")
def width_beyond_int32() -> None:
    sd.img_gen_params_set_size(sd.img_gen_params_init(), 2**31, 64)


@refused("sd::img_gen_params_set_size", "height 2147483647 is more than 16384")
def largest_height() -> None:
    sd.img_gen_params_set_size(sd.img_gen_params_init(), 64, 2**31 - 1)


@refused("sd::generate_image", "an image of 16384 x 16384 needs about .* GiB for decoding")
def image_beyond_memory() -> None:
    image(loaded(), width=16384, height=16384)


@refused("sd::img_gen_params_set_sample", "steps has to be > 0, it is 0")
def no_steps() -> None:
    sd.img_gen_params_set_sample(sd.img_gen_params_init(), 0, 1, 1.0)


@refused("sd::img_gen_params_set_sample", "steps 4294967296 is more than 1000")
def endless_steps() -> None:
    sd.img_gen_params_set_sample(sd.img_gen_params_init(), 2**32, 1, 1.0)


@refused("sd::img_gen_params_set_sample", "cfg_scale -0.5 is below 0")
def negative_guidance() -> None:
    sd.img_gen_params_set_sample(sd.img_gen_params_init(), 1, 1, -0.5)


@refused("sd::img_gen_params_set_sample", "cfg_scale nan is no number that a C float holds")
def guidance_that_is_no_number() -> None:
    sd.img_gen_params_set_sample(sd.img_gen_params_init(), 1, 1, math.nan)


@refused("sd::str_to_sample_method", "no sample method named 'Euler'; there are euler, euler_a, ")
def unknown_sample_method() -> None:
    sd.str_to_sample_method("Euler")


@refused("sd::str_to_scheduler", "no scheduler named 'default'; there are discrete, karras, ")
def unknown_scheduler() -> None:
    sd.str_to_scheduler("default")


@refused("sd::img_gen_params_set_sampler", "21 is not a sample method")
def sample_method_beyond_the_last() -> None:
    sd.img_gen_params_set_sampler(sd.img_gen_params_init(), 21, 0)


@refused("sd::img_gen_params_set_sampler", "-1 is not a scheduler")
def negative_scheduler() -> None:
    sd.img_gen_params_set_sampler(sd.img_gen_params_init(), 0, -1)


@refused("sd::generate_image", "the installed version has no sample method euler_cfg_pp")
def sample_method_of_another_version() -> None:
    image(loaded(), method=15)


@refused("sd::generate_image", "the installed version has no scheduler flux2")
def scheduler_of_another_version() -> None:
    image(loaded(), scheduler=13)


@refused("sd::generate_image", "the scheduler gits needs at least 2 steps")
def one_step_of_gits() -> None:
    image(loaded(), scheduler=4)


@refused("sd::generate_image", "the scheduler ays has no noise levels for FLUX.2 Klein")
def scheduler_for_other_models() -> None:
    image(loaded(), scheduler=3, steps=4)


@refused("sd::img_gen_params_set_prompt", "the prompt has the weight '.', which is no number")
def weight_of_a_point() -> None:
    sd.img_gen_params_set_prompt(sd.img_gen_params_init(), "a (cat:.)", "")


@refused("sd::img_gen_params_set_prompt", "the negative prompt has the weight '9999")
def weight_beyond_float() -> None:
    sd.img_gen_params_set_prompt(sd.img_gen_params_init(), "", "(a:" + "9" * 60 + ")")


@refused("sd::img_gen_params_set_prompt", "the prompt has 900000 bytes, at most 8192")
def endless_prompt() -> None:
    sd.img_gen_params_set_prompt(sd.img_gen_params_init(), "cat" * 300_000, "")


@refused("sd::img_gen_params_set_prompt", "prompt contains a NUL")
def nul_in_a_prompt() -> None:
    sd.img_gen_params_set_prompt(sd.img_gen_params_init(), "a\0b", "")


# ---- handles ------------------------------------------------------------------------------------


@refused("sd::free_sd_ctx", r"no sd context with handle \d+ \(already freed\)")
def context_freed_twice() -> None:
    made = loaded()
    sd.free_sd_ctx(made)
    sd.free_sd_ctx(made)


@refused("sd::generate_image", "no sd context with handle .*already freed")
def context_used_after_free() -> None:
    made = loaded()
    sd.free_sd_ctx(made)
    image(made)


@refused("sd::new_sd_ctx", "no sd context parameter with handle .*consumed by new_sd_ctx")
def parameters_used_twice() -> None:
    params = sd.ctx_params_init()
    paths = [str(MODEL / f"{name}.safetensors") for name in ("diffusion", "vae", "llm")]
    sd.ctx_params_set_paths(params, "", *paths)
    sd.new_sd_ctx(params)
    sd.new_sd_ctx(params)


@refused("sd::img_gen_params_set_size", "no sd image parameter .*it is a sd context parameter")
def parameters_of_the_other_kind() -> None:
    sd.img_gen_params_set_size(sd.ctx_params_init(), 64, 64)  # type: ignore[arg-type]


@refused("sd::get_default_scheduler", "no sd context with handle 7 .*plain number")
def plain_number_as_context() -> None:
    sd.get_default_scheduler(7, 0)  # type: ignore[arg-type]


@refused("sd::free_sd_images", "no sd image batch with handle .*already freed")
def images_freed_twice() -> None:
    made = image(loaded())
    sd.free_sd_images(made)
    sd.free_sd_images(made)


# ---- saving -------------------------------------------------------------------------------------


def saved(path: Path | str, index: int = 0) -> None:
    sd.images_save(sd.ImageBatch([native.Pixels(1, 1, 3, bytes(3))]), index, str(path))


@refused("sd::images_save", "no image 1, the batch has 1")
def image_beyond_the_last() -> None:
    saved(SCRATCH / "a.png", 1)


@refused("sd::images_save", "no image -1, the batch has 1")
def negative_image() -> None:
    saved(SCRATCH / "a.png", -1)


@refused("sd::images_save", "cannot save the image: .*the extension .txt names no image format")
def unknown_extension() -> None:
    saved(SCRATCH / "a.txt")


@refused("sd::images_save", "cannot save the image: .*the extension none names no image format")
def no_extension() -> None:
    saved(SCRATCH / "png")


@refused("sd::images_save", "cannot create the output folder: ")
def file_as_output_folder() -> None:
    saved(scratch("file", b"") / "a.png")


@refused("sd::images_save", "cannot save the image: .*Is a directory")
def folder_as_output() -> None:
    (SCRATCH / "folder.png").mkdir(exist_ok=True)
    saved(SCRATCH / "folder.png")


@refused("sd::images_save", "contains a NUL")
def nul_in_an_output_path() -> None:
    saved("a\0.png")


# ---- ggml ---------------------------------------------------------------------------------------


@refused("ggml::list_stable_diffusion_devices", "no cuda device in the installed stable-diffusion")
def devices_of_a_missing_build() -> None:
    ggml.list_stable_diffusion_devices("CUDA12")


@refused("ggml::stable_diffusion_package_dir", "choosing the ggml package failed: no vulkan device")
def folder_of_a_missing_build() -> None:
    ggml.stable_diffusion_package_dir("vulkan")


def keep_context() -> None:
    """Load the model once, before the forks, and keep it beyond this run."""
    LOADED.append(context())
    current().forget(LOADED[0])


if __name__ == "__main__":
    MODEL, SCRATCH = Path(sys.argv[1]), Path(sys.argv[2])
    run(keep_context)
    wanted = {name: case for name, case in CASES.items() if os.environ.get("CASE", name) == name}
    print(json.dumps({name: outcome(case) for name, case in wanted.items()}))
