"""Programs that load files which are no model, or do not fit each other."""

from __future__ import annotations

import json
import os
import struct
from collections.abc import Callable
from pathlib import Path

import gguf
import numpy as np

import toy_klein
from tests.sd.hostile import context, places, refused, scratch, whole
from toy_klein import Array, Tensors, Weights


class Zeros(Weights):
    """Weights that take no time: these files are refused for their names and sizes."""

    def __init__(self) -> None:
        """Draw nothing."""

    def normal(self, *shape: int, scale: float) -> Array:
        return np.zeros(shape, np.float16)


def transformer(change: Callable[[Tensors], object], **sizes: int) -> Path:
    tensors = toy_klein.transformer(Zeros(), **sizes)
    change(tensors)
    return toy_klein.write_safetensors(places.scratch / "changed.safetensors", tensors)


def safetensors(header: dict[str, object], data: bytes = bytes(64)) -> Path:
    text = json.dumps(header).encode()
    return scratch("made.safetensors", struct.pack("<Q", len(text)) + text + data)


def gguf_file() -> bytearray:
    tensors = toy_klein.transformer(Zeros())
    path = toy_klein.write_gguf(places.scratch / "whole.gguf", tensors, "flux")
    return bytearray(path.read_bytes())


def gguf_entry(data: bytearray, name: bytes) -> int:
    """Where the entry of a matrix in the list of tensors has its two sizes."""
    at = data.index(struct.pack("<Q", len(name)) + name)
    return at + 8 + len(name) + 4


# ---- files that are no model --------------------------------------------------------------------


@refused("sd::new_sd_ctx", "unreadable", "diffusion_model_path .*none.gguf: No such file")
def missing_diffusion_model() -> None:
    context(diffusion=places.scratch / "none.gguf")


@refused("sd::new_sd_ctx", "unreadable", "vae_path .*none.safetensors: No such file")
def missing_vae() -> None:
    context(vae=places.scratch / "none.safetensors")


@refused("sd::new_sd_ctx", "unreadable", "llm_path .*none.safetensors: No such file")
def missing_text_encoder() -> None:
    context(llm=places.scratch / "none.safetensors")


@refused("sd::new_sd_ctx", "damaged", r"neither a whole safetensors nor a GGUF file \(0 bytes\)")
def empty_file() -> None:
    context(diffusion=scratch("empty.safetensors", b""))


@refused("sd::new_sd_ctx", "damaged", "cut short, tensor .* ends beyond the end")
def model_cut_in_its_tensors() -> None:
    data = whole("diffusion")
    context(diffusion=scratch("cut.safetensors", data[: len(data) // 2]))


@refused("sd::new_sd_ctx", "damaged", "neither a whole safetensors nor a GGUF file")
def model_cut_in_its_header() -> None:
    context(diffusion=scratch("cut.safetensors", whole("diffusion")[:500]))


@refused("sd::new_sd_ctx", "damaged", "cut short, tensor .* ends beyond the end")
def vae_without_its_last_byte() -> None:
    context(vae=scratch("cut.safetensors", whole("vae")[:-1]))


@refused("sd::new_sd_ctx", "damaged", "neither a whole safetensors nor a GGUF file")
def text_as_model() -> None:
    context(diffusion=scratch("model.safetensors", b"This is a text and no model at all.\n" * 99))


@refused("sd::new_sd_ctx", "damaged", "neither a whole safetensors nor a GGUF file")
def random_bytes_as_text_encoder() -> None:
    context(llm=scratch("random.gguf", np.random.default_rng(0).bytes(5000)))


@refused(
    "sd::new_sd_ctx", "pickle", "a pickle of PyTorch, which can run code; convert it to safetensors"
)
def pickle_as_vae() -> None:
    context(vae=scratch("model.ckpt", b"PK\x03\x04" + bytes(2000)))


@refused("sd::new_sd_ctx", "unreadable", "a folder; give the safetensors or GGUF file in it")
def folder_as_model() -> None:
    context(diffusion=places.scratch)


@refused("sd::new_sd_ctx", "unreadable", "/dev/zero: not a regular file")
def device_as_model() -> None:
    context(diffusion="/dev/zero")


@refused("sd::new_sd_ctx", "unreadable", "vae_path .*pipe.gguf: not a regular file")
def pipe_as_vae() -> None:
    os.mkfifo(places.scratch / "pipe.gguf")
    context(vae=places.scratch / "pipe.gguf")


@refused("sd::new_sd_ctx", "damaged", "neither a safetensors nor a GGUF file, or damaged")
def nested_header() -> None:
    text = b"[" * 200_000
    context(diffusion=scratch("nested.safetensors", struct.pack("<Q", len(text)) + text + b"."))


@refused("sd::new_sd_ctx", "damaged", "tensor 'a' has a dimension of 0")
def tensor_without_numbers() -> None:
    context(diffusion=safetensors({"a": {"dtype": "F32", "shape": [0], "data_offsets": [0, 0]}}))


@refused("sd::new_sd_ctx", "damaged", "tensor 'a' has other bytes than its shape needs")
def shape_beyond_64_bits() -> None:
    entry = {"dtype": "F32", "shape": [2**62, 2**62], "data_offsets": [0, 64]}
    context(diffusion=safetensors({"a": entry}))


@refused("sd::new_sd_ctx", "number type", "tensor 'a' has the type F4, which is not supported")
def unknown_type_of_numbers() -> None:
    context(diffusion=safetensors({"a": {"dtype": "F4", "shape": [1], "data_offsets": [0, 1]}}))


@refused("sd::new_sd_ctx", "other kind", "it holds no part of a diffusion model that is known here")
def model_of_another_kind() -> None:
    context(diffusion=safetensors({"a": {"dtype": "F32", "shape": [16], "data_offsets": [0, 64]}}))


@refused("sd::new_sd_ctx", "text", "diffusion_model_path contains a NUL")
def nul_in_a_path() -> None:
    context(diffusion="a\0b")


# ---- GGUF files on which ggml or the library's own reader would end the process -----------------


@refused("sd::new_sd_ctx", "damaged", "cut short, tensor .* ends beyond the end")
def gguf_cut_in_its_tensors() -> None:
    context(diffusion=scratch("cut.gguf", gguf_file()[:-8]))


@refused("sd::new_sd_ctx", "damaged", "cut short")
def gguf_cut_in_its_header() -> None:
    context(diffusion=scratch("cut.gguf", gguf_file()[:700]))


@refused("sd::new_sd_ctx", "damaged", "a tensor has a dimension of 0")
def gguf_with_a_dimension_of_zero() -> None:
    data = gguf_file()
    at = gguf_entry(data, b"img_in.weight")
    data[at + 8 : at + 16] = bytes(8)
    context(diffusion=scratch("zero.gguf", data))


@refused("sd::new_sd_ctx", "number type", "has the type number 4, which is not supported")
def gguf_with_a_type_that_was_removed() -> None:
    data = gguf_file()
    at = gguf_entry(data, b"img_in.weight") + 16
    data[at : at + 4] = struct.pack("<I", 4)
    context(diffusion=scratch("type.gguf", data))


@refused("sd::new_sd_ctx", "number type", "has the type number 4294967295")
def gguf_with_the_largest_type() -> None:
    data = gguf_file()
    at = gguf_entry(data, b"img_in.weight") + 16
    data[at : at + 4] = b"\xff" * 4
    context(diffusion=scratch("type.gguf", data))


@refused("sd::new_sd_ctx", "damaged", "is not where it should be")
def gguf_with_a_misplaced_tensor() -> None:
    data = gguf_file()
    at = gguf_entry(data, b"txt_in.weight") + 20
    data[at : at + 8] = bytes(8)
    context(diffusion=scratch("offset.gguf", data))


@refused("sd::new_sd_ctx", "damaged", "the alignment is 0")
def gguf_with_an_alignment_of_zero() -> None:
    writer = gguf.GGUFWriter(places.scratch / "alignment.gguf", "flux")
    writer.add_uint32("general.alignment", 0)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.close()
    context(diffusion=places.scratch / "alignment.gguf")


# ---- files in each other's place, and files that do not fit each other --------------------------


@refused(
    "sd::new_sd_ctx", "other kind", "diffusion_model_path .*: it holds a VAE; give it as vae_path"
)
def vae_as_diffusion_model() -> None:
    context(diffusion=places.model / "vae.safetensors", vae=places.model / "diffusion.safetensors")


@refused(
    "sd::new_sd_ctx", "other kind", "vae_path .*: it holds a language model; give it as llm_path"
)
def text_encoder_as_vae() -> None:
    context(vae=places.model / "llm.safetensors")


@refused(
    "sd::new_sd_ctx", "other kind", r"llm_path .*: it holds a diffusion model \(FLUX.2 Klein\)"
)
def diffusion_model_as_text_encoder() -> None:
    context(llm=places.model / "diffusion.safetensors")


@refused(
    "sd::new_sd_ctx",
    "other kind",
    "model_path .* without text encoder and VAE; give it as diffusion_model",
)
def diffusion_model_as_checkpoint() -> None:
    context(model=places.model / "diffusion.safetensors", diffusion="")


@refused(
    "sd::new_sd_ctx", "part", "it is one of a model's several files; join them, or take a GGUF file"
)
def one_of_several_files() -> None:
    context(llm=scratch("model-00001-of-00003.safetensors", whole("llm")))


@refused(
    "sd::new_sd_ctx",
    "no CLIP",
    "FLUX.1 encodes prompts with CLIP or T5, which only a full checkpoint",
)
def model_without_its_text_encoders() -> None:
    tensors = {"double_blocks.0.img_attn.proj.weight": toy_klein.ones(64)}
    context(diffusion=toy_klein.write_safetensors(places.scratch / "flux1.safetensors", tensors))


@refused("sd::new_sd_ctx", "family", "Wan is not run by flint::sd")
def model_for_videos() -> None:
    tensors = {"blocks.0.cross_attn.norm_k.weight": toy_klein.ones(64)}
    context(diffusion=toy_klein.write_safetensors(places.scratch / "wan.safetensors", tensors))


@refused(
    "sd::new_sd_ctx", "no model", "no model: neither model_path nor diffusion_model_path is set"
)
def no_model_at_all() -> None:
    context(diffusion="")


@refused("sd::new_sd_ctx", "no VAE", "FLUX.2 Klein needs a VAE: vae_path is not set")
def no_vae() -> None:
    context(vae="")


@refused(
    "sd::new_sd_ctx",
    "no text encoder",
    "needs a language model as text encoder: llm_path is not set",
)
def no_text_encoder() -> None:
    context(llm="")


@refused(
    "sd::new_sd_ctx", "misfit", "it gives 1 x 64 numbers for a token, the diffusion model takes 32"
)
def text_encoder_of_another_width() -> None:
    path = places.scratch / "wide.safetensors"
    context(llm=toy_klein.write_safetensors(path, toy_klein.text_encoder(Zeros(), width=64)))


@refused("sd::new_sd_ctx", "misfit", "vocabulary of 151668 lacks tokens .*; it takes 151669")
def text_encoder_with_too_few_tokens() -> None:
    encoder = toy_klein.text_encoder(Zeros(), vocabulary=151_668)
    context(llm=toy_klein.write_safetensors(places.scratch / "few.safetensors", encoder))


@refused("sd::new_sd_ctx", "misfit", "its layers are not numbered from 0")
def text_encoder_with_a_billion_layers() -> None:
    encoder = toy_klein.text_encoder(Zeros())
    encoder["model.layers.999999999.self_attn.q_norm.weight"] = toy_klein.ones(128)
    context(llm=toy_klein.write_safetensors(places.scratch / "layers.safetensors", encoder))


@refused(
    "sd::new_sd_ctx",
    "library",
    "context not created .*model.layers.0.mlp.up_proj.weight.*not in model",
)
def text_encoder_without_a_weight() -> None:
    encoder = toy_klein.text_encoder(Zeros())
    del encoder["model.layers.0.mlp.up_proj.weight"]
    context(llm=toy_klein.write_safetensors(places.scratch / "layers.safetensors", encoder))


@refused(
    "sd::new_sd_ctx", "no transformer", "the tensor single_blocks.0.norm.key_norm.scale is missing"
)
def transformer_without_a_norm() -> None:
    context(diffusion=transformer(lambda t: t.pop("single_blocks.0.norm.key_norm.scale")))


@refused(
    "sd::new_sd_ctx", "no transformer", r"img_in.weight is \[128, 64\], it should be \[128, 128\]"
)
def transformer_with_other_latents() -> None:
    narrow = {"img_in.weight": np.zeros((128, 64), np.float16)}
    context(diffusion=transformer(lambda t: t.update(narrow)))


@refused("sd::new_sd_ctx", "no transformer", "its width 192 is not a multiple of 128")
def transformer_with_half_a_head() -> None:
    context(diffusion=transformer(lambda t: None, width=192))


@refused("sd::new_sd_ctx", "no transformer", "it has 65 blocks, at most 64 are possible")
def transformer_with_too_many_blocks() -> None:
    context(diffusion=transformer(lambda t: None, double=1, single=64))


@refused(
    "sd::new_sd_ctx",
    "no transformer",
    r"img_in.weight_scale does not belong to it \(a file with scaled FP8",
)
def transformer_with_scaled_weights() -> None:
    context(diffusion=transformer(lambda t: t.update({"img_in.weight_scale": toy_klein.ones(1)})))


@refused(
    "sd::new_sd_ctx", "number type", "img_in.weight has the type i32, which is not computed with"
)
def transformer_of_integers() -> None:
    integers = {"img_in.weight": np.ones((128, 128), np.int32)}
    context(diffusion=transformer(lambda t: t.update(integers)))


@refused("sd::new_sd_ctx", "misfit", "decoder takes 16 latent channels, FLUX.2 Klein has 32")
def vae_of_another_model() -> None:
    decoder = toy_klein.decoder(Zeros(), latent=16)
    context(vae=toy_klein.write_safetensors(places.scratch / "other.safetensors", decoder))


@refused("sd::new_sd_ctx", "misfit", "not a multiple of 128 channels")
def vae_of_an_odd_width() -> None:
    decoder = toy_klein.decoder(Zeros(), channels=8)
    context(vae=toy_klein.write_safetensors(places.scratch / "odd.safetensors", decoder))
