"""A FLUX.2 Klein of random weights, as small as stable-diffusion.cpp takes it.

`python .ci/tools/toy_klein.py FOLDER` writes its three files, 19 MB. Its images are noise.

Most sizes follow from the tensors. Fixed in the library are: 128 latent channels, heads of 128, a
feed-forward of three times the width, 8 key heads in the text encoder, and Qwen's tokenizer, whose
ids make the embedding by far the largest tensor.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import gguf
import numpy as np
from numpy.typing import NDArray
from safetensors.numpy import load_file, save_file

Array = NDArray[np.generic]
Tensors = dict[str, Array]

HEAD = 128
LATENT_CHANNELS = 128
QWEN_VOCABULARY = 151_936
_TAPS = (9, 18, 27)  # the text encoder's layers whose outputs the transformer reads side by side
_KEY_HEADS = 8


@dataclass(frozen=True, slots=True)
class Paths:
    """The files of one model, ready for `flint::sd`."""

    diffusion: Path
    vae: Path
    llm: Path


class Weights:
    """Makes tensors that keep activations about as large as they were."""

    def __init__(self, seed: int) -> None:
        self._random = np.random.default_rng(seed)

    def normal(self, *shape: int, scale: float) -> Array:
        return (self._random.standard_normal(shape, np.float32) * scale).astype(np.float16)

    def linear(self, outputs: int, inputs: int) -> Array:
        return self.normal(outputs, inputs, scale=inputs**-0.5)

    def convolution(self, outputs: int, inputs: int, size: int) -> Array:
        return self.normal(outputs, inputs, size, size, scale=(inputs * size * size) ** -0.5)


def ones(size: int) -> Array:
    return np.ones(size, np.float32)


def transformer(
    weights: Weights, *, width: int = 128, context: int = 32, double: int = 1, single: int = 1
) -> Tensors:
    """The diffusion transformer; `context` is the width of the text features."""
    shapes = {
        "img_in": (width, LATENT_CHANNELS),
        "txt_in": (width, context),
        "time_in.in_layer": (width, 256),
        "time_in.out_layer": (width, width),
        "double_stream_modulation_img.lin": (6 * width, width),
        "double_stream_modulation_txt.lin": (6 * width, width),
        "single_stream_modulation.lin": (3 * width, width),
        "final_layer.adaLN_modulation.1": (2 * width, width),
        "final_layer.linear": (LATENT_CHANNELS, width),
    }
    norms = []
    hidden = 3 * width
    for stream in (f"double_blocks.{i}.{kind}" for i in range(double) for kind in ("img", "txt")):
        shapes[f"{stream}_attn.qkv"] = (3 * width, width)
        shapes[f"{stream}_attn.proj"] = (width, width)
        shapes[f"{stream}_mlp.0"] = (2 * hidden, width)
        shapes[f"{stream}_mlp.2"] = (width, hidden)
        norms.append(f"{stream}_attn.norm")
    for block in (f"single_blocks.{i}" for i in range(single)):
        shapes[f"{block}.linear1"] = (3 * width + 2 * hidden, width)
        shapes[f"{block}.linear2"] = (width, width + hidden)
        norms.append(f"{block}.norm")
    tensors = {f"{name}.weight": weights.linear(*shape) for name, shape in shapes.items()}
    for norm in norms:
        tensors[f"{norm}.query_norm.scale"] = ones(HEAD)
        tensors[f"{norm}.key_norm.scale"] = ones(HEAD)
    return tensors


def text_encoder(
    weights: Weights,
    *,
    width: int = 32,
    layers: int = 1,
    vocabulary: int = QWEN_VOCABULARY,
    inner: int = 64,
) -> Tensors:
    """Qwen3 with the names of the Hugging Face checkpoint."""
    heads = 16 if layers == 28 else 32
    tensors = {
        "model.embed_tokens.weight": weights.normal(vocabulary, width, scale=1.0),
        "model.norm.weight": ones(width),
    }
    for layer in (f"model.layers.{i}" for i in range(layers)):
        for name, shape in {
            "self_attn.q_proj": (heads * HEAD, width),
            "self_attn.k_proj": (_KEY_HEADS * HEAD, width),
            "self_attn.v_proj": (_KEY_HEADS * HEAD, width),
            "self_attn.o_proj": (width, heads * HEAD),
            "mlp.gate_proj": (inner, width),
            "mlp.up_proj": (inner, width),
            "mlp.down_proj": (width, inner),
        }.items():
            tensors[f"{layer}.{name}.weight"] = weights.linear(*shape)
        for name, size in {
            "self_attn.q_norm": HEAD,
            "self_attn.k_norm": HEAD,
            "input_layernorm": width,
            "post_attention_layernorm": width,
        }.items():
            tensors[f"{layer}.{name}.weight"] = ones(size)
    return tensors


def context_width(width: int, layers: int) -> int:
    """The width of the text features: one encoder width for each tap that there is."""
    return width * (sum(tap <= layers for tap in _TAPS) or 1)


def decoder(weights: Weights, *, channels: int = 32, latent: int = 32) -> Tensors:
    """The decoder half of the FLUX.2 VAE."""
    return dict(_decoder(weights, channels, latent))


def _decoder(weights: Weights, channels: int, latent: int) -> Iterator[tuple[str, Array]]:
    def convolution(name: str, outputs: int, inputs: int, size: int = 3) -> Iterator[Named]:
        yield f"{name}.weight", weights.convolution(outputs, inputs, size)
        yield f"{name}.bias", np.zeros(outputs, np.float32)

    def norm(name: str, size: int) -> Iterator[Named]:
        yield f"{name}.weight", ones(size)
        yield f"{name}.bias", np.zeros(size, np.float32)

    def residual(name: str, inputs: int, outputs: int) -> Iterator[Named]:
        yield from norm(f"{name}.norm1", inputs)
        yield from convolution(f"{name}.conv1", outputs, inputs)
        yield from norm(f"{name}.norm2", outputs)
        yield from convolution(f"{name}.conv2", outputs, outputs)
        if inputs != outputs:
            yield from convolution(f"{name}.nin_shortcut", outputs, inputs, 1)

    widest = 4 * channels
    yield from convolution("post_quant_conv", latent, latent, 1)
    yield from convolution("decoder.conv_in", widest, latent)
    yield from residual("decoder.mid.block_1", widest, widest)
    yield from norm("decoder.mid.attn_1.norm", widest)
    for part in ("q", "k", "v", "proj_out"):
        yield from convolution(f"decoder.mid.attn_1.{part}", widest, widest, 1)
    yield from residual("decoder.mid.block_2", widest, widest)
    inputs = widest
    for level, multiple in ((3, 4), (2, 4), (1, 2), (0, 1)):
        for block in range(3):
            yield from residual(f"decoder.up.{level}.block.{block}", inputs, channels * multiple)
            inputs = channels * multiple
        if level > 0:
            yield from convolution(f"decoder.up.{level}.upsample.conv", inputs, inputs)
    yield from norm("decoder.norm_out", channels)
    yield from convolution("decoder.conv_out", 3, channels)


Named = tuple[str, Array]

_GGUF_NAMES = {
    "model.embed_tokens": "token_embd",
    "model.norm": "output_norm",
    "model.layers": "blk",
    "self_attn.q_proj": "attn_q",
    "self_attn.k_proj": "attn_k",
    "self_attn.v_proj": "attn_v",
    "self_attn.o_proj": "attn_output",
    "self_attn.q_norm": "attn_q_norm",
    "self_attn.k_norm": "attn_k_norm",
    "mlp.gate_proj": "ffn_gate",
    "mlp.up_proj": "ffn_up",
    "mlp.down_proj": "ffn_down",
    "input_layernorm": "attn_norm",
    "post_attention_layernorm": "ffn_norm",
}


def gguf_name(name: str) -> str:
    """The name that llama.cpp's converter gives a tensor of the text encoder."""
    for long, short in _GGUF_NAMES.items():
        name = name.replace(long + ".", short + ".")
    return name


def write_safetensors(path: Path, tensors: Tensors) -> Path:
    save_file(tensors, path)
    return path


def write_gguf(
    path: Path,
    tensors: Tensors,
    architecture: str,
    renamed: Callable[[str], str] = str,
    quantization: gguf.GGMLQuantizationType = gguf.GGMLQuantizationType.Q8_0,
) -> Path:
    """Matrices quantized, everything else in 32 bits."""
    writer = gguf.GGUFWriter(path, architecture)
    for name, tensor in tensors.items():
        values = tensor.astype(np.float32)
        if values.ndim == 2:
            packed = gguf.quantize(values, quantization)
            writer.add_tensor(renamed(name), packed, raw_dtype=quantization)
        else:
            writer.add_tensor(renamed(name), values)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path


def write(folder: Path, *, seed: int = 0, llm_width: int = 32, llm_layers: int = 1) -> Paths:
    """All three files as safetensors, 19 MB."""
    weights = Weights(seed)
    context = context_width(llm_width, llm_layers)
    return Paths(
        diffusion=write_safetensors(
            folder / "diffusion.safetensors", transformer(weights, context=context)
        ),
        vae=write_safetensors(folder / "vae.safetensors", decoder(weights)),
        llm=write_safetensors(
            folder / "llm.safetensors", text_encoder(weights, width=llm_width, layers=llm_layers)
        ),
    )


def write_checkpoint(path: Path, parts: Paths) -> Path:
    """A model's three files as one."""
    prefixes = {
        "model.diffusion_model": parts.diffusion,
        "first_stage_model": parts.vae,
        "text_encoders.llm": parts.llm,
    }
    return write_safetensors(
        path,
        {
            f"{prefix}.{name}": tensor
            for prefix, part in prefixes.items()
            for name, tensor in load_file(part).items()
        },
    )


if __name__ == "__main__":
    target = Path(sys.argv[1])
    target.mkdir(parents=True, exist_ok=True)
    write(target)
