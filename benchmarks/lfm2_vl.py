"""LFM2.5-VL for `benchmarks.encoders`: a model, a picture, and what transformers does with them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

SYSTEM, QUESTION, ANSWER_LENGTH = "You are helpful.", "What is in the picture?", 32
_SIDE, _PATCH, _IMAGE_TOKENS = 512, 16, 256


def write(folder: Path, toys: Any) -> Path:
    """The proportions of LFM2.5-VL-450M at half its width and depth, and `picture.png`."""
    from PIL import Image

    text = toys.text_config(
        hidden_size=512,
        intermediate_size=2304,
        num_attention_heads=8,
        num_key_value_heads=4,
        layer_types=("conv", "conv", "full_attention") * 2 + ("conv", "full_attention"),
        initializer_range=0.02,
    )
    vision = toys.vision_config(
        hidden_size=384,
        intermediate_size=1536,
        num_hidden_layers=6,
        num_attention_heads=6,
        num_patches=256,
    )
    toys.write(folder, text, vision, projector_hidden_size=1280)
    fractal = Image.effect_mandelbrot((_SIDE, _SIDE), (-3, -2.5, 2, 2.5), 100)
    fractal.convert("RGB").save(folder / "picture.png")
    return folder


def arguments(folder: str) -> tuple[str, ...]:
    """Of `scripts/lfm2_5.rss`."""
    words = (SYSTEM, QUESTION, str(ANSWER_LENGTH))
    return (folder, f"{folder}/tokenizer.json", *words, "1", "1", f"{folder}/picture.png")


def their_job(folder: str, loaded: Callable[[], tuple[Any, Any]]) -> Callable[[], str]:
    """The same answer by the model and the tokenizer that `loaded` gives."""
    import torch
    from PIL import Image
    from transformers import Siglip2ImageProcessorPil

    processor = Siglip2ImageProcessorPil(patch_size=_PATCH, max_num_patches=(_SIDE // _PATCH) ** 2)
    image = f"<|image_start|>{'<image>' * _IMAGE_TOKENS}<|image_end|>"
    system = f"<|startoftext|><|im_start|>system\n{SYSTEM}<|im_end|>\n"
    prompt = f"{system}<|im_start|>user\n{image}{QUESTION}<|im_end|>\n<|im_start|>assistant\n"

    def job() -> str:
        model, tokenizer = loaded()
        ids = torch.tensor([tokenizer(prompt).input_ids])
        made = model.generate(
            input_ids=ids,
            attention_mask=torch.ones_like(ids),
            **processor(Image.open(f"{folder}/picture.png"), return_tensors="pt"),
            max_new_tokens=ANSWER_LENGTH,
            do_sample=False,
            eos_token_id=None,
            pad_token_id=0,
        )
        return str(tokenizer.decode(made[0, ids.shape[1] :], skip_special_tokens=True))

    return job
