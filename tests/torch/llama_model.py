"""A small Llama model with random weights and a tokenizer for it: transformers is the reference."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import torch
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

from tests.torch.made_tokenizers import tiny_tokenizer

TEMPLATE = (
    "{% for message in messages %}<|im_start|>{{ message.role }}\n{{ message.content }}<|im_end|>\n"
    "{% endfor %}{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)
END = 7
LLAMA3 = {
    "rope_type": "llama3",
    "rope_theta": 500.0,
    "factor": 8.0,
    "low_freq_factor": 1.0,
    "high_freq_factor": 4.0,
    "original_max_position_embeddings": 64,
}


def save(folder: Path, dtype: torch.dtype = torch.float32, **sizes: Any) -> LlamaForCausalLM:
    """Write a whole model folder as transformers writes it; the model, in float32."""
    settings: dict[str, Any] = {
        "vocab_size": tiny_tokenizer().get_vocab_size(),
        "hidden_size": 64,
        "intermediate_size": 96,
        "num_hidden_layers": 3,
        "num_attention_heads": 4,
        "num_key_value_heads": 2,
        "tie_word_embeddings": True,
        "rms_norm_eps": 1e-5,
        "initializer_range": 0.2,
        "bos_token_id": 1,
        "eos_token_id": END,
        "pad_token_id": 0,
        **sizes,
    }
    torch.manual_seed(0)
    model = LlamaForCausalLM(LlamaConfig(**settings)).eval()
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            # weights of 1 would hide a norm that is left out
            if "norm" in name:
                parameter.uniform_(0.5, 1.5)
    model.to(dtype).save_pretrained(folder)
    tokenizer = PreTrainedTokenizerFast(
        tokenizer_object=tiny_tokenizer(), eos_token="<|im_end|>", chat_template=TEMPLATE
    )
    tokenizer.save_pretrained(folder)
    return model.float()


def change_config(folder: Path, **changes: Any) -> None:
    """Change entries of `config.json`; None removes one."""
    path = folder / "config.json"
    config = json.loads(path.read_text()) | changes
    path.write_text(json.dumps({name: at for name, at in config.items() if at is not None}))
