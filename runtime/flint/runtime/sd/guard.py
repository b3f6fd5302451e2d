"""The checks of model files before the library loads them: what it would end the process on.

Which file belongs to which path, types of numbers, and sizes that have to fit each other.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass

from flint.runtime.gguf_file import DamagedFile
from flint.runtime.machine import memory_limit
from flint.runtime.sd.family import (
    FLUX2_DEV,
    KLEIN,
    Family,
    Kind,
    Tensors,
    attention_heads_of,
    diffusion_part,
    embedding_of,
    encodes_texts,
    family_of,
    has_align_your_steps,
    kind_of,
    layers_of,
)
from flint.runtime.sd.flux2 import Misfit, require_flux2
from flint.runtime.sd.tensor_file import TensorFile, TensorInfo, read_tensors
from flint.runtime.sd.values import library_error
from flint.runtime.sd.weight_types import computes_with

_MOST_LAYERS = 64
_GROUPS = 32  # group norms of the VAE
_VAE_DEFAULT_WIDTH = 128
_WEIGHTS = (".weight", ".bias", ".scale")
_SHARD = re.compile(r"-\d+-of-\d+\.\w+$")
_PARAMETER = {
    Kind.CHECKPOINT: "model_path",
    Kind.DIFFUSION: "diffusion_model_path",
    Kind.VAE: "vae_path",
    Kind.LLM: "llm_path",
}


@dataclass(frozen=True, slots=True)
class ModelPaths:
    """The paths of a context; empty ones are not set."""

    model: str
    diffusion_model: str
    vae: str
    llm: str


@dataclass(frozen=True, slots=True)
class CheckedModel:
    """A model that may be loaded; `nbytes` is the size of its tensors in the files.

    `text_heads` are the attention heads of a language model that encodes prompts, else 0.
    """

    family: Family
    text_heads: int
    vae_width: int
    nbytes: int
    has_align_your_steps: bool


def check_model(paths: ModelPaths) -> CheckedModel:
    """What the files hold together; refused unless the library can load and run it."""
    files = _files(paths)
    whole = files.get(Kind.CHECKPOINT)
    source = files.get(Kind.DIFFUSION) or whole
    if source is None:
        raise library_error("no model: neither model_path nor diffusion_model_path is set")
    for file in files.values():
        _require_numbers(file)
    _require_memory(files)
    family = family_of(source.tensors)
    assert family is not None  # that is how its kind was told
    if not family.runs:
        raise library_error(f"{source.path}: {family.title} is not run by flint::sd")
    if whole is None and Kind.VAE not in files:
        raise library_error(f"{family.title} needs a VAE: vae_path is not set")
    _check_diffusion(source, family)
    text = files.get(Kind.LLM) or whole
    _check_text_encoder(source, family, text)
    heads = attention_heads_of(text.tensors) if text and family.context else 0
    vae = files.get(Kind.VAE) or whole
    nbytes = sum(_bytes(file) for file in files.values())
    steps = has_align_your_steps(family, source.tensors)
    return CheckedModel(family, heads, _vae_width(vae, family), nbytes, steps)


def _files(paths: ModelPaths) -> dict[Kind, TensorFile]:
    """The files that are set, each of the kind that belongs to its path."""
    wanted = {
        Kind.CHECKPOINT: paths.model,
        Kind.DIFFUSION: paths.diffusion_model,
        Kind.VAE: paths.vae,
        Kind.LLM: paths.llm,
    }
    return {kind: _file(kind, path) for kind, path in wanted.items() if path}


def _file(wanted: Kind, path: str) -> TensorFile:
    label = _PARAMETER[wanted]
    try:
        file = read_tensors(path)
    except DamagedFile as error:
        raise library_error(f"{label} {error}") from None
    if _SHARD.search(path):
        advice = "join them, or take a GGUF file"
        raise library_error(f"{label} {path}: it is one of a model's several files; {advice}")
    kind = kind_of(file.tensors)
    if kind is not wanted:
        raise library_error(f"{label} {path}: it holds {_described(kind, file)}{_advice(kind)}")
    return file


def _described(kind: Kind, file: TensorFile) -> str:
    family = family_of(file.tensors)
    return f"{kind.value} ({family.title})" if family else kind.value


def _advice(kind: Kind) -> str:
    if kind is Kind.DIFFUSION:
        return " without text encoder and VAE; give it as diffusion_model_path"
    parameter = _PARAMETER.get(kind)
    return f"; give it as {parameter}" if parameter else ""


# ---- sizes and types ----------------------------------------------------------------------------


def _require_numbers(file: TensorFile) -> None:
    """Weights of integers, and types that the library cannot compute with, end the process."""
    for name, info in file.tensors.items():
        if name.endswith(_WEIGHTS) and not computes_with(info.dtype):
            problem = f"the tensor {name} has the type {info.dtype}, which is not computed with"
            raise library_error(f"{file.path}: {problem}")


def _bytes(file: TensorFile) -> int:
    return sum(info.nbytes for info in file.tensors.values())


def _require_memory(files: dict[Kind, TensorFile]) -> None:
    limit = memory_limit()
    size = sum(_bytes(file) for file in files.values())
    if limit is not None and size > limit:
        raise library_error(
            f"the weights are {size / 2**30:.1f} GiB, this process can have {limit / 2**30:.1f}"
        )


def _check_diffusion(file: TensorFile, family: Family) -> None:
    if family.title not in (KLEIN.title, FLUX2_DEV.title):
        return
    try:
        require_flux2(diffusion_part(file.tensors))
    except Misfit as misfit:
        raise library_error(f"{file.path}: no {family.title} transformer, {misfit}") from None


def _check_text_encoder(source: TensorFile, family: Family, file: TensorFile | None) -> None:
    if not family.context:
        if not encodes_texts(source.tensors):
            raise library_error(
                f"{source.path}: {family.title} encodes prompts with CLIP or T5, which only a full "
                "checkpoint can hold here; give one as model_path"
            )
        return
    context = diffusion_part(source.tensors).get(family.context)
    if context is None:
        raise library_error(f"{source.path}: it lacks the tensor {family.context}")
    embedding = None if file is None else embedding_of(file.tensors)
    if file is None or embedding is None:
        raise library_error(
            f"{family.title} needs a language model as text encoder: llm_path is not set"
        )
    layers = layers_of(file.tensors)
    if layers != set(range(len(layers))) or not 0 < len(layers) <= _MOST_LAYERS:
        raise library_error(f"{file.path}: its layers are not numbered from 0 to below 64")
    vocabulary, width = embedding.shape
    if vocabulary < family.vocabulary:
        raise library_error(
            f"{file.path}: its vocabulary of {vocabulary} lacks tokens that the tokenizer of "
            f"{family.title} makes; it takes {family.vocabulary}"
        )
    _require_width(file, family, context, width, len(layers))


def _require_width(
    file: TensorFile, family: Family, context: TensorInfo, width: int, layers: int
) -> None:
    parts = sum(tap <= layers for tap in family.taps) or 1
    if parts * width != context.shape[-1]:
        raise library_error(
            f"{os.path.basename(file.path)} is no text encoder for this {family.title}: it gives "
            f"{parts} x {width} numbers for a token, the diffusion model takes {context.shape[-1]}"
        )


def _vae_width(file: TensorFile | None, family: Family) -> int:
    """The width of the decoder where it is widest in pixels: a quarter of that at its start."""
    start = None if file is None else _decoder_start(file.tensors)
    if file is None or start is None:
        return _VAE_DEFAULT_WIDTH
    if len(start.shape) != 4 or start.shape[0] % (4 * _GROUPS):
        raise library_error(
            f"{file.path}: its decoder begins with {list(start.shape)}, "
            f"which is not a multiple of {4 * _GROUPS} channels"
        )
    if family.latent_channels not in (None, start.shape[1]):
        raise library_error(
            f"{file.path}: its decoder takes {start.shape[1]} latent channels, {family.title} has "
            f"{family.latent_channels}"
        )
    return start.shape[0] // 4


def _decoder_start(tensors: Tensors) -> TensorInfo | None:
    for name, info in tensors.items():
        if name.endswith("decoder.conv_in.weight"):
            return info
    return None
