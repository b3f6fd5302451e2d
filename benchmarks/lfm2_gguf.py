"""An LFM2 checkpoint as GGUF without a vocabulary, for llama.cpp's C interface.

Names and metadata are those of llama.cpp's architecture `lfm2`, which the package `gguf` lists.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import gguf
from safetensors import safe_open

KINDS = {
    "f32": (gguf.GGMLQuantizationType.F32, gguf.LlamaFileType.ALL_F32),
    "f16": (gguf.GGMLQuantizationType.F16, gguf.LlamaFileType.MOSTLY_F16),
    "q8_0": (gguf.GGMLQuantizationType.Q8_0, gguf.LlamaFileType.MOSTLY_Q8_0),
}
MOST_POSITIONS = 32768


def write(folder: Path, path: Path, kind: str) -> None:
    """Write the checkpoint in `folder` to `path`; norms and convolutions stay in float32."""
    config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    quantization, file_type = KINDS[kind]
    writer = gguf.GGUFWriter(path, "lfm2")
    _add_sizes(writer, config)
    writer.add_file_type(file_type)
    names = gguf.get_tensor_name_map(gguf.MODEL_ARCH.LFM2, config["num_hidden_layers"])
    with safe_open(folder / "model.safetensors", "np") as file:
        for published in file.keys():  # noqa: SIM118 (no mapping)
            name = names.get_name(published, try_suffixes=(".weight",))
            weight = file.get_tensor(published)
            if ".conv.conv." in published:
                weight = weight.squeeze(1)
            small = weight.ndim == 1 or ".conv.conv." in published
            stored = gguf.GGMLQuantizationType.F32 if small else quantization
            writer.add_tensor(name, gguf.quantize(weight, stored), raw_dtype=stored)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def _add_sizes(writer: Any, config: dict[str, Any]) -> None:
    attends = [kind == "full_attention" for kind in config["layer_types"]]
    writer.add_tokenizer_model("no_vocab")
    writer.add_vocab_size(config["vocab_size"])
    writer.add_block_count(config["num_hidden_layers"])
    writer.add_context_length(MOST_POSITIONS)
    writer.add_embedding_length(config["hidden_size"])
    writer.add_feed_forward_length(config["intermediate_size"])
    writer.add_head_count(config["num_attention_heads"])
    writer.add_head_count_kv([config["num_key_value_heads"] * attend for attend in attends])
    writer.add_rope_freq_base(config["rope_parameters"]["rope_theta"])
    writer.add_layer_norm_rms_eps(config["norm_eps"])
    writer.add_shortconv_l_cache(config["conv_L_cache"])
