"""What goes into the library, and the pixels that come out of it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ContextSettings:
    """What a context is made of. Empty paths are not set; `weight_type` None keeps the files'."""

    model_path: bytes
    diffusion_model_path: bytes
    vae_path: bytes
    llm_path: bytes
    weight_type: int | None
    threads: int
    memory_map: bool
    flash_attention: bool
    diffusion_flash_attention: bool
    text_encoder_on_cpu: bool
    vae_on_cpu: bool
    weights_in_ram: bool
    vram_gib: float


@dataclass(frozen=True, slots=True)
class ImageSettings:
    """What an image is made from; `sample_method` and `scheduler` None are the model's own."""

    prompt: bytes
    negative_prompt: bytes
    width: int
    height: int
    steps: int
    seed: int
    cfg_scale: float
    sample_method: int | None
    scheduler: int | None


@dataclass(frozen=True, slots=True)
class Pixels:
    """An image: rows of interleaved 8-bit channels."""

    width: int
    height: int
    channels: int
    data: bytes
