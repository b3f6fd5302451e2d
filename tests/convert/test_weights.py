"""`flint convert` on models of transformers: what comes back is what went in."""

from __future__ import annotations

import json
import tracemalloc
from pathlib import Path
from typing import Any

import gguf
import numpy as np
import pytest
import torch
from safetensors.torch import load_file
from transformers import AutoModelForCausalLM, Lfm2ForCausalLM, LlamaConfig, LlamaForCausalLM

from flint.convert import source
from flint.convert.architectures import layout_of
from flint.convert.command import convert
from flint.convert.weights import write_weights
from tests.convert.gguf_models import Kind, matrices_as, write_lfm2, write_llama
from tests.torch.lfm2_model import tiny_model as tiny_lfm2

LLAMA3 = {
    "rope_type": "llama3",
    "rope_theta": 500_000.0,
    "factor": 32.0,
    "low_freq_factor": 1.0,
    "high_freq_factor": 4.0,
    "original_max_position_embeddings": 8192,
}


def llama(**changes: Any) -> LlamaForCausalLM:
    """Grouped heads that are wider than hidden / heads; norms that are not 1."""
    sizes = {
        "vocab_size": 300,
        "hidden_size": 64,
        "intermediate_size": 96,
        "num_hidden_layers": 2,
        "num_attention_heads": 4,
        "num_key_value_heads": 2,
        "head_dim": 32,
        "max_position_embeddings": 4096,
        "tie_word_embeddings": True,
        "rms_norm_eps": 1e-5,
        "initializer_range": 0.2,
    }
    torch.manual_seed(0)
    model = LlamaForCausalLM(LlamaConfig(**{**sizes, **changes})).eval()
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            if "norm" in name:
                parameter.uniform_(0.5, 1.5)
    return model


def converted(path: str, folder: Path) -> dict[str, torch.Tensor]:
    convert(path, str(folder))
    return load_file(folder / "model.safetensors")


def assert_same_logits(folder: Path, original: torch.nn.Module) -> None:
    """Transformers reads the folder and computes the same with it."""
    loaded = AutoModelForCausalLM.from_pretrained(folder, dtype="auto").eval()
    tokens = torch.arange(256, 290)[None]
    with torch.no_grad():
        assert torch.equal(loaded(tokens).logits, original(tokens).logits)


@pytest.mark.parametrize("tied", [True, False])
def test_llama(tied: bool, tmp_path: Path) -> None:
    model = llama(tie_word_embeddings=tied)
    found = converted(write_llama(tmp_path / "m.gguf", model), tmp_path / "out")
    held = model.state_dict()
    if tied:
        del held["lm_head.weight"]
    assert found.keys() == held.keys()
    for name, weight in held.items():
        assert torch.equal(found[name], weight), name
    assert_same_logits(tmp_path / "out", model)


def test_lfm2(tmp_path: Path) -> None:
    model: Lfm2ForCausalLM = tiny_lfm2()
    model.resize_token_embeddings(300)
    path = write_lfm2(tmp_path / "m.gguf", model)
    found = converted(path, tmp_path / "out")
    for name, weight in found.items():
        assert torch.equal(weight, model.state_dict()[name]), name
    assert len(found) == len(model.state_dict()) - 1  # the embedding is the head too
    assert_same_logits(tmp_path / "out", model)


@pytest.mark.parametrize(
    ("rope", "write"),
    [
        ({"rope_type": "default", "rope_theta": 1234.0}, lambda writer: None),
        (
            {"rope_type": "linear", "rope_theta": 10_000.0, "factor": 2.5},
            lambda writer: (
                writer.add_rope_scaling_type(gguf.RopeScalingType.LINEAR),
                writer.add_rope_scaling_factor(2.5),
            ),
        ),
    ],
)
def test_positions(rope: dict[str, Any], write: Any, tmp_path: Path) -> None:
    model = llama(rope_parameters=rope)
    convert(write_llama(tmp_path / "m.gguf", model, rope=write), str(tmp_path / "out"))
    assert_same_logits(tmp_path / "out", model)


def test_positions_of_llama3(tmp_path: Path) -> None:
    """The file holds what frequencies are divided by; transformers has them multiplied."""
    model = llama(rope_parameters=LLAMA3, max_position_embeddings=131_072)
    plain = 500_000.0 ** -(np.arange(0, 32, 2) / 32)
    divisors = (plain / model.model.rotary_emb.inv_freq.double().numpy()).astype(np.float32)
    path = write_llama(tmp_path / "m.gguf", model, more={"rope_freqs.weight": divisors})
    convert(path, str(tmp_path / "out"))
    assert_same_logits(tmp_path / "out", model)
    config = json.loads((tmp_path / "out" / "config.json").read_text())
    assert config["rope_scaling"] == {k: v for k, v in LLAMA3.items() if k != "rope_theta"}


@pytest.mark.parametrize(
    ("kind", "dtype"), [(Kind.BF16, torch.bfloat16), (Kind.F16, torch.float16)]
)
def test_halves_stay_halves(kind: Any, dtype: torch.dtype, tmp_path: Path) -> None:
    """Norms are float32 in the file, with values that the smaller type has too."""
    model = llama().to(dtype)
    found = converted(write_llama(tmp_path / "m.gguf", model, matrices_as(kind)), tmp_path / "out")
    for name, weight in found.items():
        assert weight.dtype == dtype
        assert torch.equal(weight, model.state_dict()[name]), name


def test_halves_with_exact_norms_become_float32(tmp_path: Path) -> None:
    model = llama()
    path = write_llama(tmp_path / "m.gguf", model, matrices_as(Kind.F16))
    found = converted(path, tmp_path / "out")
    assert {weight.dtype for weight in found.values()} == {torch.float32}
    assert torch.equal(found["model.norm.weight"], model.model.norm.weight)
    rounded = model.model.embed_tokens.weight.half().float()
    assert torch.equal(found["model.embed_tokens.weight"], rounded)


def test_quantised_by_hand(tmp_path: Path) -> None:
    """Q8_0: blocks of 32 whole numbers with one float16 factor, a 127th of the largest value."""
    model = llama()
    path = write_llama(tmp_path / "m.gguf", model, matrices_as(Kind.Q8_0))
    found = converted(path, tmp_path / "out")
    for name in ("mlp.down_proj", "self_attn.k_proj", "self_attn.v_proj"):
        full = f"model.layers.1.{name}.weight"
        blocks = model.state_dict()[full].numpy().reshape(-1, 32)
        factor = np.abs(blocks).max(1, keepdims=True) / np.float32(127)
        expected = np.round(blocks / factor) * factor.astype(np.float16).astype(np.float32)
        result = found[full].numpy().reshape(-1, 32)
        assert found[full].dtype == torch.float32
        np.testing.assert_allclose(result, expected, rtol=1e-6, atol=0)
    assert torch.equal(found["model.norm.weight"], model.model.norm.weight)


def test_configuration(tmp_path: Path) -> None:
    convert(write_llama(tmp_path / "m.gguf", llama()), str(tmp_path / "out"))
    config = json.loads((tmp_path / "out" / "config.json").read_text())
    assert config["rms_norm_eps"] == 1e-5  # not the 9.99999974e-06 of a float32
    assert config["eos_token_id"] == [257, 258]
    generation = json.loads((tmp_path / "out" / "generation_config.json").read_text())
    assert generation == {"bos_token_id": 256, "eos_token_id": [257, 258]}


def test_no_tensor_is_held_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a quantised embedding of 1 MB in float32, a few kB are in memory at a time."""
    model = llama(vocab_size=4096, num_hidden_layers=1)
    path = write_llama(tmp_path / "m.gguf", model, matrices_as(Kind.Q8_0))
    monkeypatch.setattr(source, "_VALUES_AT_ONCE", 2**12)
    weights = layout_of(source.GgufModel(path)).weights
    tracemalloc.start()
    try:
        write_weights(tmp_path / "w.safetensors", weights, "F32")
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert (tmp_path / "w.safetensors").stat().st_size > 2**20
    assert peak < 2**18
