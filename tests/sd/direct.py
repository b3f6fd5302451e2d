"""The library's own Python class makes an image: what `flint::sd` has to give, pixel for pixel.

Run as a script: DIFFUSION_MODEL VAE LLM OUTPUT SEED. Nothing of flint is used.
"""

from __future__ import annotations

import sys

from stable_diffusion_cpp import StableDiffusion

if __name__ == "__main__":
    diffusion, vae, llm, output, seed = sys.argv[1:]
    model = StableDiffusion(
        diffusion_model_path=diffusion,
        vae_path=vae,
        llm_path=llm,
        vae_decode_only=True,
        diffusion_flash_attn=True,
        verbose=False,
    )
    (image,) = model.generate_image(
        prompt="a cat", width=64, height=64, sample_steps=2, cfg_scale=1.0, seed=int(seed)
    )
    image.convert("RGB").save(output)  # its alpha channel is full everywhere
