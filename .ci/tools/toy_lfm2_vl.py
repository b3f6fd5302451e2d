"""Write a toy LFM2.5-VL checkpoint that tells colours: `python .ci/tools/toy_lfm2_vl.py FOLDER`.

`FOLDER/lfm2-vl` answers red, green or blue, `FOLDER/picture.png` is a picture to ask about. Tests
and benchmarks make models of random weights in other sizes.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import torch
from PIL import Image
from safetensors.torch import save_file
from tokenizers import Tokenizer, decoders, models, pre_tokenizers
from transformers import Lfm2VlConfig, Lfm2VlForConditionalGeneration

# the ids of published models: 1, 6 and 7, which ends a turn, and 396
SPECIAL = ("<|pad|>", "<|startoftext|>", "<|endoftext|>", "<|fim_pre|>", "<|fim_mid|>")
TURN = ("<|fim_suf|>", "<|im_start|>", "<|im_end|>")
TURN_END = 7
IMAGE_TOKEN, IMAGE_TOKEN_ID = "<image>", 396
IMAGE_ENDS = ("<|image_start|>", "<|image_end|>")
COLOURS = ("red", "green", "blue")
LAYERS = ("conv", "conv", "full_attention", "conv", "full_attention")


def tokenizer() -> Tokenizer:
    """Byte-level: one token a byte, between LFM2's special tokens; and the names of colours."""
    words = [*SPECIAL, *TURN, *sorted(pre_tokenizers.ByteLevel.alphabet())]
    count = IMAGE_TOKEN_ID - len(words) - len(COLOURS)
    reserved = [f"<|reserved_{at}|>" for at in range(count)]
    images = [IMAGE_TOKEN, *IMAGE_ENDS]
    numbered = enumerate([*words, *reserved, *COLOURS, *images])
    result = Tokenizer(models.BPE({word: at for at, word in numbered}, []))
    result.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    result.decoder = decoders.ByteLevel()
    result.add_special_tokens([*SPECIAL, *TURN, *reserved, *images])
    return result


def text_config(**sizes: Any) -> dict[str, Any]:
    """The language model's configuration: both kinds of layers, 4 query heads on 2 key heads."""
    layers = sizes.pop("layer_types", LAYERS)
    return {
        "vocab_size": tokenizer().get_vocab_size(),
        "hidden_size": 64,
        "intermediate_size": 96,
        "block_auto_adjust_ff_dim": False,
        "num_hidden_layers": len(layers),
        "num_attention_heads": 4,
        "num_key_value_heads": 2,
        "layer_types": list(layers),
        "conv_L_cache": 3,
        "rope_parameters": {"rope_theta": 1_000_000.0, "rope_type": "default"},
        "initializer_range": 0.2,
        **sizes,
    }


def vision_config(**sizes: Any) -> dict[str, Any]:
    """The vision model's configuration: heads of 16 columns, positions of 4 x 4 patches."""
    return {
        "model_type": "siglip2_vision_model",
        "hidden_size": 64,
        "intermediate_size": 96,
        "num_hidden_layers": 2,
        "num_attention_heads": 4,
        "num_patches": 16,
        "patch_size": 16,
        "hidden_act": "gelu_pytorch_tanh",
        "layer_norm_eps": 1e-6,
        **sizes,
    }


def write(
    folder: Path,
    text: dict[str, Any] | None = None,
    vision: dict[str, Any] | None = None,
    **settings: Any,
) -> Any:
    """Write `model.safetensors`, `config.json`, `tokenizer.json`; the model, in float32.

    Tensors are named as on the hub; `settings` are others of `Lfm2VlConfig`.
    """
    config = Lfm2VlConfig(
        text_config=text or text_config(),
        vision_config=vision or vision_config(),
        image_token_id=IMAGE_TOKEN_ID,
        **{"projector_hidden_size": 80, "projector_use_layernorm": False, **settings},
    )
    torch.manual_seed(0)
    model: Any = Lfm2VlForConditionalGeneration(config)
    randomise(model.eval())
    folder.mkdir(parents=True, exist_ok=True)
    save_file(named_as_on_the_hub(model.state_dict()), folder / "model.safetensors")
    config.save_pretrained(folder)
    tokenizer().save(str(folder / "tokenizer.json"))
    return model


def write_colours(folder: Path) -> None:
    """Write a model that says which of three colours a picture has most of.

    Columns 0 to 2 of all hidden states are the colours. The one attention layer takes the mean
    over all places; a word has a 1 in column 3 too, from which the end of the turn follows.
    """
    columns, patch_pixels = 16, 256
    heads = {"num_attention_heads": 1, "num_key_value_heads": 1}
    text = text_config(hidden_size=columns, layer_types=("full_attention",), **heads)
    vision = vision_config(hidden_size=columns, num_hidden_layers=0, num_attention_heads=1)
    model = write(folder, text, vision, projector_hidden_size=columns)
    held = {name: torch.zeros_like(weight) for name, weight in model.state_dict().items()}
    for name in held:
        if "norm" in name and name.endswith("weight"):
            held[name] += 1
    language, projector = "model.language_model.", "model.multi_modal_projector."
    colours = torch.diag((torch.arange(columns) < len(COLOURS)).float())
    held["model.vision_tower.embeddings.patch_embedding.weight"] = (
        torch.cat([colours[:, : len(COLOURS)]] * patch_pixels, dim=1) / patch_pixels
    )
    held[f"{projector}linear_1.weight"] = torch.cat([colours] * 4, dim=1) / 4
    held[f"{projector}linear_2.weight"] += colours
    for part in ("v_proj", "out_proj"):
        held[f"{language}layers.0.self_attn.{part}.weight"] += colours
    words = held[f"{language}embed_tokens.weight"]
    for column, colour in enumerate(COLOURS):
        words[tokenizer().token_to_id(colour), [column, len(COLOURS)]] = 1
    words[TURN_END, len(COLOURS)] = 100
    save_file(named_as_on_the_hub(held), folder / "model.safetensors")


def meadow(path: Path) -> None:
    """Write a picture that is dark at the top and green below."""
    green = Image.linear_gradient("L")
    red, blue = Image.new("L", green.size, 40), Image.new("L", green.size, 70)
    Image.merge("RGB", (red, green, blue)).save(path)


def randomise(model: Any) -> None:
    """Weights of 1 and biases of 0 would hide one that is left out."""
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            if "norm" in name and name.endswith("weight"):
                parameter.uniform_(0.5, 1.5)
            elif name.endswith("bias"):
                parameter.normal_(0, 0.2)


def named_as_on_the_hub(held: dict[str, torch.Tensor]) -> dict[str, torch.Tensor]:
    """Without the head, which is the embedding; older versions of transformers wrote it so."""
    tower = "model.vision_tower."
    return {
        name.replace(tower, f"{tower}vision_model."): weight.contiguous()
        for name, weight in held.items()
        if name != "lm_head.weight"
    }


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: python .ci/tools/toy_lfm2_vl.py FOLDER")
    write_colours(Path(sys.argv[1]) / "lfm2-vl")
    meadow(Path(sys.argv[1]) / "picture.png")
