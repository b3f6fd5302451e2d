"""A tiny LFM2 model with random weights, and a tokenizer for it: transformers is the reference."""

from __future__ import annotations

from pathlib import Path

import torch
from safetensors.torch import save_file
from transformers import Lfm2Config, Lfm2ForCausalLM

from tests.torch.made_tokenizers import tiny_tokenizer

LAYERS = ("conv", "conv", "full_attention", "conv", "full_attention")


def tiny_model(seed: int = 0) -> Lfm2ForCausalLM:
    """Two kinds of layers, 4 query heads on 2 key heads; float32."""
    config = Lfm2Config(
        vocab_size=tiny_tokenizer().get_vocab_size(),
        hidden_size=64,
        intermediate_size=96,
        block_auto_adjust_ff_dim=False,
        num_hidden_layers=len(LAYERS),
        num_attention_heads=4,
        num_key_value_heads=2,
        layer_types=list(LAYERS),
        conv_L_cache=3,
        rope_parameters={"rope_theta": 1_000_000.0, "rope_type": "default"},
        initializer_range=0.2,
    )
    torch.manual_seed(seed)
    return Lfm2ForCausalLM(config).eval()


def save(folder: Path, seed: int = 0, dtype: torch.dtype = torch.float32) -> Lfm2ForCausalLM:
    """Write `model.safetensors` and `tokenizer.json`; the model."""
    model = tiny_model(seed)
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            # weights of 1 and 0 would hide a norm that is left out
            if "norm" in name:
                parameter.uniform_(0.5, 1.5)
    folder.mkdir(exist_ok=True)
    # tied weights are stored once, as published checkpoints do
    held = {
        name: weight.to(dtype).contiguous()
        for name, weight in model.state_dict().items()
        if name != "lm_head.weight"
    }
    save_file(held, folder / "model.safetensors")
    tiny_tokenizer().save(str(folder / "tokenizer.json"))
    return model
