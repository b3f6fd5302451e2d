"""Contexts of a diffusion model and their parameters (host-functions.md 3)."""

from __future__ import annotations

import os
import sys
from typing import ClassVar

from flint.runtime.c_values import INT32_MAX, c_text, int32
from flint.runtime.host import Refused, host
from flint.runtime.machine import usable_cpus
from flint.runtime.sd import native
from flint.runtime.sd.backend import Placement, placement
from flint.runtime.sd.guard import CheckedModel, ModelPaths, check_model
from flint.runtime.sd.handles import SdResource
from flint.runtime.sd.names import AUTO, SAMPLE_METHODS, SCHEDULERS, VAE_FORMATS
from flint.runtime.sd.names import weight_type as exact_weight_type
from flint.runtime.sd.progress import progress_bar
from flint.runtime.sd.settings import ContextSettings
from flint.runtime.sd.values import library_error
from flint.runtime.sd.weight_types import computes_with


class ContextParams(SdResource):
    """What a context will be made of, as the script said it; empty texts are automatic."""

    kind: ClassVar[str] = "context parameter"

    def __init__(self) -> None:
        super().__init__()
        self.paths = ModelPaths("", "", "", "")
        self.backend = self.weights_backend = self.max_vram = ""
        self.weight_type = AUTO
        self.vae_format = AUTO
        self.memory_map = self.flash_attention = self.diffusion_flash_attention = False


class Context(SdResource):
    """A loaded model, ready to make any number of images."""

    kind: ClassVar[str] = "context"

    def __init__(self, pointer: int, model: CheckedModel, on_gpu: bool) -> None:
        super().__init__()
        self.pointer = pointer
        self.model = model
        self.on_gpu = on_gpu

    def _release(self) -> None:
        native.free_context(self.pointer)


@host
def ctx_params_init() -> ContextParams:
    """Return parameters with everything automatic: no paths, types as in the files, no flags."""
    return ContextParams()


@host
def ctx_params_set_paths(
    params: ContextParams, model_path: str, diffusion_model_path: str, vae_path: str, llm_path: str
) -> bool:
    """Set the safetensors or GGUF files; an empty path is not set.

    `model_path` is a full checkpoint; the parts of one are the other three: the diffusion model,
    the VAE, and the language model that encodes prompts.
    """
    params.paths = ModelPaths(model_path, diffusion_model_path, vae_path, llm_path)
    return True


@host
def ctx_params_set_backend(
    params: ContextParams, backend: str, params_backend: str, max_vram: str
) -> bool:
    """Set where to compute, where to keep weights, and GiB of GPU memory for one computation.

    Empty and `auto` leave it to the library. `backend` is a device such as `cpu` or `cuda0`, or
    `te=cpu,vae=cpu` for the text encoder and the VAE alone. `new_sd_ctx` refuses what the
    installed build cannot do.
    """
    params.backend, params.weights_backend, params.max_vram = backend, params_backend, max_vram
    return True


@host
def ctx_params_set_wtype(params: ContextParams, wtype: str) -> bool:
    """Set the type that weights are converted to, such as `f16` or `q8_0`; `auto` keeps theirs."""
    params.weight_type = exact_weight_type(wtype)
    return True


@host
def ctx_params_set_vae_format(params: ContextParams, vae_format: int) -> bool:
    """Set the format of the VAE: -1 automatic, 0 FLUX.1, 1 Stable Diffusion 3, 2 FLUX.2.

    The installed library takes it from the model; `new_sd_ctx` refuses another one.
    """
    if vae_format > INT32_MAX:
        raise Refused("vae_format exceeds int32")
    if vae_format not in VAE_FORMATS:
        known = ", ".join(f"{number} {name}" for number, name in VAE_FORMATS.items())
        raise library_error(f"{vae_format} is not a VAE format; there are {known}")
    params.vae_format = VAE_FORMATS[vae_format]
    return True


@host
def ctx_params_set_flags(
    params: ContextParams, enable_mmap: bool, flash_attn: bool, diffusion_flash_attn: bool
) -> bool:
    """Set whether files are memory-mapped, and flash attention everywhere or in the diffusion."""
    params.memory_map = enable_mmap
    params.flash_attention, params.diffusion_flash_attention = flash_attn, diffusion_flash_attn
    return True


@host
def new_sd_ctx(params: ContextParams) -> Context:
    """Load a model. Consumes `params`, also when it fails.

    The files are checked first: each has to be of the kind that its path says, and their sizes
    have to fit each other.
    """
    params.close("consumed by new_sd_ctx")
    devices = native.devices()
    if not devices:
        raise library_error("reports no devices")
    if os.environ.get("FLINT_LOG"):
        lines = "".join(f"{device.name}\t{device.description}\n" for device in devices)
        sys.stderr.write(f"devices of stable-diffusion.cpp:\n{lines}")
    place = placement(params.backend, params.weights_backend, params.max_vram, devices)
    weight_type = _library_weight_type(params.weight_type)
    settings = _settings(params, place, weight_type)
    model = check_model(params.paths)
    _require_vae_format(params.vae_format, model)
    native.complaints()
    with progress_bar("loading") as listener:
        pointer = native.new_context(settings, listener)
    if pointer is None:
        raise library_error("context not created", native.complaints())
    context = Context(pointer, model, any(device.is_gpu for device in devices))
    if not native.makes_images(pointer):
        context.close()
        raise library_error(f"{model.family.title} makes videos, not images")
    return context


@host
def free_sd_ctx(context: Context) -> bool:
    """Free the context and its model."""
    context.close()
    return True


@host
def get_default_sample_method(context: Context) -> int:
    """Return the number of the sample method that `auto` means for this model."""
    return SAMPLE_METHODS.number(
        native.sample_method_name(native.default_sample_method(context.pointer))
    )


@host
def get_default_scheduler(context: Context, sample_method: int) -> int:
    """Return the number of the scheduler that `auto` means with this sample method."""
    method = library_sample_method(int32("sample method", sample_method))
    return SCHEDULERS.number(
        native.scheduler_name(native.default_scheduler(context.pointer, method))
    )


def library_sample_method(number: int) -> int | None:
    """The library's number for a script's; None for `auto`."""
    name = SAMPLE_METHODS.name(number)
    return None if name == AUTO else _known(native.sample_method(name), "sample method", name)


def library_scheduler(number: int) -> int | None:
    """The library's number for a script's; None for `auto`."""
    name = SCHEDULERS.name(number)
    return None if name == AUTO else _known(native.scheduler(name), "scheduler", name)


def _known(number: int | None, what: str, name: str) -> int:
    if number is None:
        raise library_error(f"the installed version has no {what} {name}")
    return number


def _library_weight_type(name: str) -> int | None:
    if name == AUTO:
        return None
    number = _known(native.weight_type(name), "weight type", name)
    if not computes_with(name):
        raise library_error(f"the weight type {name} is for storage, it is not computed with")
    return number


def _settings(params: ContextParams, place: Placement, weight_type: int | None) -> ContextSettings:
    paths = params.paths
    return ContextSettings(
        model_path=c_text("model_path", paths.model),
        diffusion_model_path=c_text("diffusion_model_path", paths.diffusion_model),
        vae_path=c_text("vae_path", paths.vae),
        llm_path=c_text("llm_path", paths.llm),
        weight_type=weight_type,
        threads=usable_cpus(),
        memory_map=params.memory_map,
        flash_attention=params.flash_attention,
        diffusion_flash_attention=params.diffusion_flash_attention,
        text_encoder_on_cpu=place.text_encoder_on_cpu,
        vae_on_cpu=place.vae_on_cpu,
        weights_in_ram=place.weights_in_ram,
        vram_gib=place.vram_gib,
    )


def _require_vae_format(wanted: str, model: CheckedModel) -> None:
    """The library takes the format from the model: another one cannot be had."""
    if wanted not in (AUTO, model.family.vae_format):
        title, own = model.family.title, model.family.vae_format or "its own"
        raise library_error(
            f"the VAE format {wanted} does not fit {title}, which has {own}; "
            "the installed version takes it from the model"
        )
