"""Kinds of model files, told by the names of their tensors.

Source: the detection in stable-diffusion.cpp (`ModelLoader::get_sd_version`) and its conditioners.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum

from flint.runtime.sd.tensor_file import TensorInfo

Tensors = dict[str, TensorInfo]

DIFFUSION_PREFIX = "model.diffusion_model."
_VAE_PREFIXES = ("first_stage_model.", "vae.")
_TEXT_PREFIXES = ("text_encoders.llm.", "cond_stage_model.", "conditioner.", "text_encoders.")
_QWEN_VOCABULARY, _MISTRAL_VOCABULARY = 151_669, 131_072


class Kind(Enum):
    """What a file holds, in words for messages."""

    CHECKPOINT = "a full checkpoint"
    DIFFUSION = "a diffusion model"
    VAE = "a VAE"
    TINY_VAE = "a tiny VAE (TAESD)"
    LLM = "a language model"
    TEXT_ENCODER = "a CLIP or T5 text encoder"
    LORA = "a LoRA"
    UNKNOWN = "no part of a diffusion model that is known here"


@dataclass(frozen=True, slots=True)
class Family:
    """A family of diffusion models.

    `marker` is in the name of a tensor that only this family has. Those with a language model as
    text encoder have the tensor `context`, whose last size is the width of the text features; these
    are the outputs after the layers `taps`, side by side, or of the last layer if it has none of
    them. Its tokenizer makes ids below `vocabulary`. The others encode texts with CLIP and T5.
    """

    title: str
    marker: str
    runs: bool = True
    context: str = ""
    taps: tuple[int, ...] = ()
    vocabulary: int = _QWEN_VOCABULARY
    vae_format: str = ""

    @property
    def latent_channels(self) -> int | None:
        """How many channels the VAE's decoder takes, where its format says so."""
        return _LATENT_CHANNELS.get(self.vae_format)


_LATENT_CHANNELS = {"flux": 16, "sd3": 16, "flux2": 32}
FLUX2_MARKER = "double_stream_modulation_img.lin.weight"
KLEIN = Family(
    "FLUX.2 Klein", FLUX2_MARKER, context="txt_in.weight", taps=(9, 18, 27), vae_format="flux2"
)
FLUX2_DEV = Family(
    "FLUX.2",
    "single_blocks.47.",
    context="txt_in.weight",
    taps=(10, 20, 30),
    vocabulary=_MISTRAL_VOCABULARY,
    vae_format="flux2",
)
_UNET = Family("Stable Diffusion", "input_blocks.")
_FAMILIES = (
    Family("Chroma Radiance", "nerf_final_layer_conv.", runs=False),
    Family("Stable Diffusion 3", "joint_blocks.", vae_format="sd3"),
    Family("Qwen-Image", "transformer_blocks.0.img_mod.1.weight", context="txt_in.weight"),
    Family("Anima", "llm_adapter.blocks.0.cross_attn.q_proj.weight", runs=False),
    Family("Ovis-Image", "double_blocks.0.img_mlp.gate_proj.weight", context="txt_in.weight"),
    Family(
        "Z-Image",
        "cap_embedder.0.weight",
        context="cap_embedder.0.weight",
        taps=(35,),
        vae_format="flux",
    ),
    Family(
        "ERNIE-Image",
        "layers.0.adaLN_sa_ln.weight",
        context="text_proj.weight",
        taps=(25,),
        vocabulary=_MISTRAL_VOCABULARY,
        vae_format="flux2",
    ),
    Family("Wan", "blocks.0.cross_attn.norm_k.weight", runs=False),
    KLEIN,
    Family("FLUX.1", "double_blocks.", vae_format="flux"),
    _UNET,
    Family(_UNET.title, "down_blocks.0.attentions."),
)


def kind_of(tensors: Tensors) -> Kind:
    """What the file holds."""
    names = tensors.keys()
    if any("lora_" in name or ".lora." in name for name in names):
        return Kind.LORA
    if family_of(tensors) is not None:
        others = (*_VAE_PREFIXES, *_TEXT_PREFIXES)
        whole = any(name.startswith(others) for name in names)
        return Kind.CHECKPOINT if whole else Kind.DIFFUSION
    if _ends(names, "decoder.conv_in.weight") or _ends(names, "decoder.conv1.weight"):
        return Kind.VAE
    if _ends(names, "decoder.layers.0.weight") or _ends(names, "decoder.1.weight"):
        return Kind.TINY_VAE
    if embedding_of(tensors) is not None:
        return Kind.LLM
    if _ends(names, "token_embedding.weight") or _ends(names, "shared.weight"):
        return Kind.TEXT_ENCODER
    return Kind.UNKNOWN


def family_of(tensors: Tensors) -> Family | None:
    """The family of the diffusion model in the file, if there is one."""
    for family in _FAMILIES:
        if any(family.marker in name for name in tensors):
            dev = family is KLEIN and any(FLUX2_DEV.marker in name for name in tensors)
            return FLUX2_DEV if dev else family
    return None


def diffusion_part(tensors: Tensors) -> Tensors:
    """The diffusion model's tensors by the names that they have in it."""
    part = {
        name.removeprefix(DIFFUSION_PREFIX): info
        for name, info in tensors.items()
        if name.startswith(DIFFUSION_PREFIX)
    }
    return part or tensors


def has_align_your_steps(family: Family, tensors: Tensors) -> bool:
    """Whether the scheduler `ays` has noise levels: for Stable Diffusion 1 and XL, not 2."""
    widths = {
        info.shape[-1] for name, info in tensors.items() if name.endswith("token_embedding.weight")
    }
    return family.title == _UNET.title and 1024 not in widths


def embedding_of(tensors: Tensors) -> TensorInfo | None:
    """The embedding of a language model: [vocabulary, width]."""
    for name, info in tensors.items():
        if name.endswith(("embed_tokens.weight", "token_embd.weight")) and len(info.shape) == 2:
            return info
    return None


_LAYER = re.compile(r"(?:layers|blk)\.(\d+)\.")


def layers_of(tensors: Tensors) -> set[int]:
    """The numbers of a language model's layers."""
    names = (name for name in tensors if "visual." not in name)
    return {int(found[1]) for name in names if (found := _LAYER.search(name))}


_QUERIES = ("self_attn.q_proj.weight", "attn_q.weight")
_HEAD = 128


def attention_heads_of(tensors: Tensors) -> int:
    """How many attention heads a language model has; the library knows them of one size only."""
    queries = (
        info.shape[0]
        for name, info in tensors.items()
        if name.endswith(_QUERIES) and "visual." not in name
    )
    return max(queries, default=0) // _HEAD


def encodes_texts(tensors: Tensors) -> bool:
    """Whether a full checkpoint has the text encoders of its family, CLIP or T5."""
    return _ends(tensors, "token_embedding.weight") or _ends(tensors, "shared.weight")


def _ends(names: Iterable[str], suffix: str) -> bool:
    return any(name.endswith(suffix) for name in names)
