"""`scripts/flux_klein_encode_prompt.rss` against the hidden states of transformers' Qwen3."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file, save_file
from transformers import LlamaConfig, LlamaForCausalLM

import flint
import toy_encoders
from generated import flux_klein_encode_prompt as script

TOKENIZER = toy_encoders.qwen3_tokenizer()
PROMPT = "eine Katze, 水彩画 🐈"
LENGTH, PAD = 80, 0
KINDS: dict[str, dict[str, Any]] = {
    "small": {},
    "as many layers as needed": {"num_hidden_layers": 27},
    "28 layers": {"num_hidden_layers": 28},
    "no groups": {"num_attention_heads": 3, "num_key_value_heads": 3, "head_dim": 8},
    "one key head": {"num_key_value_heads": 1, "head_dim": 32},
}


def ids_of(prompt: str, length: int = LENGTH) -> list[int]:
    """The tokens of Qwen3's chat format, cut."""
    text = (
        "<|im_start|>user\n" + prompt + "<|im_end|>\n"
        "<|im_start|>assistant\n<think>\n\n</think>\n\n"
    )
    ids: list[int] = TOKENIZER.encode(text).ids
    return ids[:length]


def states(model: Any, ids: list[int], length: int = LENGTH) -> Any:
    """All hidden states of transformers, the embeddings first: `[1, length, hidden]` each."""
    padding = length - len(ids)
    mask = torch.tensor([[1] * len(ids) + [0] * padding])
    with torch.no_grad():
        tokens = torch.tensor([[*ids, *[PAD] * padding]])
        return model(tokens, attention_mask=mask, output_hidden_states=True).hidden_states


def expected(model: Any, *, length: int = LENGTH, prompt: str = PROMPT) -> torch.Tensor:
    chosen = states(model, ids_of(prompt, length), length)
    return torch.cat([chosen[9], chosen[18], chosen[27]], dim=-1)


def run(folder: Path, *arguments: object, prompt: str = PROMPT, weights: Path | None = None) -> str:
    """What the script prints; it writes `embeds.safetensors` into the folder."""
    args = [weights or folder, folder / "tokenizer.json", prompt, folder / "embeds.safetensors"]
    runner = flint.TorchScriptRunner("cpu")
    return runner.run_text(script, [str(each) for each in (*args, *arguments)]).text


def embeds(folder: Path) -> torch.Tensor:
    tensors = load_file(folder / "embeds.safetensors")
    assert list(tensors) == ["prompt_embeds"]
    return tensors["prompt_embeds"]


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Any]:
    folder = tmp_path_factory.mktemp("qwen3")
    return folder, toy_encoders.qwen3(folder)


@pytest.mark.parametrize("kind", KINDS)
def test_embeds(kind: str, tmp_path: Path) -> None:
    model = toy_encoders.qwen3(tmp_path, **KINDS[kind])
    if kind == "as many layers as needed":
        # transformers applies the final norm to the last state that it returns
        model.model.norm = torch.nn.Identity()
    head_size = model.config.head_dim
    layers = max(model.config.num_hidden_layers, 28)
    text = run(tmp_path, LENGTH, PAD, layers, head_size)
    wanted = expected(model)
    assert text == f"{tmp_path / 'embeds.safetensors'}\n{list(wanted.shape)}"
    assert embeds(tmp_path).dtype == torch.float32
    # of padding as well
    assert (embeds(tmp_path) - wanted).abs().max() < 1e-4


@pytest.mark.parametrize("length", [1, 5, 40, 200])
def test_cut_and_padded(plain: tuple[Path, Any], length: int) -> None:
    run(plain[0], length, PAD, 36, 16)
    wanted = expected(plain[1], length=length)
    assert embeds(plain[0]).shape == (1, length, 3 * 48)
    assert (embeds(plain[0]) - wanted).abs().max() < 1e-4


def test_special_tokens_in_a_prompt(plain: tuple[Path, Any]) -> None:
    prompt = "<|im_end|>\nSay <think>"
    run(plain[0], LENGTH, PAD, 36, 16, prompt=prompt)
    assert (embeds(plain[0]) - expected(plain[1], prompt=prompt)).abs().max() < 1e-4


@pytest.mark.parametrize("layers", [0, 9, 10, 20, 27])
def test_fewer_layers(plain: tuple[Path, Any], layers: int) -> None:
    """The embeddings stand for the states that are not computed."""
    run(plain[0], LENGTH, PAD, layers, 16)
    all_states = states(plain[1], ids_of(PROMPT))
    parts = [all_states[at if at < layers else 0] for at in (9, 18, 27)]
    assert (embeds(plain[0]) - torch.cat(parts, dim=-1)).abs().max() < 1e-4


def test_theta(tmp_path: Path) -> None:
    model = toy_encoders.qwen3(
        tmp_path, rope_parameters={"rope_theta": 500.0, "rope_type": "default"}
    )
    run(tmp_path, LENGTH, PAD, 36, 16, "500.0")
    assert (embeds(tmp_path) - expected(model)).abs().max() < 1e-4


def test_defaults(tmp_path: Path) -> None:
    """Sizes that are Qwen3-4B's: heads of 128, the padding token, 512 positions."""
    model = toy_encoders.qwen3(
        tmp_path, vocab_size=151644, hidden_size=8, intermediate_size=8, head_dim=128
    )
    assert run(tmp_path).endswith("\n[1, 512, 24]")
    ids = ids_of(PROMPT, 512)
    padded = torch.tensor([[*ids, *[151643] * (512 - len(ids))]])
    with torch.no_grad():
        mask = (torch.arange(512) < len(ids)).long()[None]
        wanted = model(padded, attention_mask=mask, output_hidden_states=True).hidden_states
    wanted = torch.cat([wanted[9], wanted[18], wanted[27]], dim=-1)
    assert (embeds(tmp_path) - wanted).abs().max() < 1e-4


def test_layers_that_are_not_needed(plain: tuple[Path, Any], tmp_path: Path) -> None:
    """In several files, without a head, the last layers and the "model." of their names."""
    held = load_file(plain[0] / "model.safetensors")
    unneeded = ("model.layers.27.", "model.layers.28.", "model.norm.", "lm_head.")
    needed = {
        name.removeprefix("model."): weight
        for name, weight in held.items()
        if not name.startswith(unneeded)
    }
    shards = tmp_path / "shards"
    shards.mkdir()
    for part in range(3):
        chosen = dict(list(needed.items())[part::3])
        save_file(chosen, shards / f"model-{part}.safetensors")
    (tmp_path / "tokenizer.json").write_text((plain[0] / "tokenizer.json").read_text())
    run(tmp_path, LENGTH, PAD, 36, 16, weights=shards)
    assert (embeds(tmp_path) - expected(plain[1])).abs().max() < 1e-4


def test_without_norms_of_heads(tmp_path: Path) -> None:
    """A checkpoint that has none, as Llama's: the same model otherwise."""
    config = LlamaConfig(
        vocab_size=TOKENIZER.get_vocab_size(),
        hidden_size=48,
        intermediate_size=96,
        num_hidden_layers=28,
        num_attention_heads=4,
        num_key_value_heads=2,
        head_dim=16,
        rms_norm_eps=1e-6,
        rope_parameters={"rope_theta": 1_000_000.0, "rope_type": "default"},
        initializer_range=0.1,
    )
    torch.manual_seed(0)
    model = LlamaForCausalLM(config).eval()
    model.save_pretrained(tmp_path)
    TOKENIZER.save(str(tmp_path / "tokenizer.json"))
    run(tmp_path, LENGTH, PAD, 28, 16)
    assert (embeds(tmp_path) - expected(model)).abs().max() < 1e-4


@pytest.mark.parametrize("kind", ["bf16", "half", "native"])
def test_other_kinds(kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    model = toy_encoders.qwen3(tmp_path, dtype=torch.bfloat16, initializer_range=0.05)
    monkeypatch.setenv("KOHARU_TORCH_WEIGHT_KIND", kind)
    run(tmp_path, LENGTH, PAD, 36, 16)
    assert embeds(tmp_path).dtype == torch.float32
    assert torch.cosine_similarity(embeds(tmp_path), expected(model), dim=-1).min() > 0.99


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        ((0,), "MAX_LENGTH has to be 1 or more, not 0"),
        ((8, 151643), "PAD_TOKEN 151643 is none of the model's 261 tokens"),
        ((8, -1), "PAD_TOKEN -1 is none of the model's 261 tokens"),
        ((8, 0, -1, 16), "LAYERS has to be 0 or more, not -1"),
        ((8, 0, 36), "the model's HEAD_SIZE is 16, not 128"),
        ((8, 0, 36, 15), "HEAD_SIZE has to be even and 2 or more, not 15"),
        ((8, 0, 36, 16, "0"), "ROPE_THETA has to be above 0, not 0"),
        ((8, 0, 36, 16, "nan"), "ROPE_THETA has to be above 0, not NaN"),
        ((8, 0, 36, 16, "much"), "script argument 8 cannot be read as float"),
    ],
)
def test_arguments_that_do_not_fit(
    plain: tuple[Path, Any], arguments: tuple[object, ...], reason: str
) -> None:
    (plain[0] / "embeds.safetensors").unlink(missing_ok=True)
    with pytest.raises(flint.HostError, match=re.escape(reason)):
        run(plain[0], *arguments)
    assert not (plain[0] / "embeds.safetensors").exists()


def test_too_few_layers(tmp_path: Path) -> None:
    toy_encoders.qwen3(tmp_path, num_hidden_layers=12)
    with pytest.raises(flint.HostError, match=re.escape("no weight named 'model.layers.12.")):
        run(tmp_path, LENGTH, PAD, 36, 16)


def test_an_output_that_cannot_be_written(plain: tuple[Path, Any], tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    paths = [plain[0], plain[0] / "tokenizer.json", PROMPT, tmp_path / "file" / "embeds"]
    with pytest.raises(flint.HostError, match="cannot create "):
        flint.TorchScriptRunner("cpu").run_text(
            script, [*map(str, paths), str(LENGTH), str(PAD), "0", "16"]
        )


PEAKS = """
import os, re, sys
import flint
from flint.runtime import nn, tensor
from generated import flux_klein_encode_prompt as script

def peak():
    return 1024 * int(re.search(r"VmHWM:\\s*(\\d+)", open("/proc/self/status").read())[1])

for kind in ("bf16", "float"):
    os.environ["KOHARU_TORCH_WEIGHT_KIND"] = kind
    open("/proc/self/clear_refs", "w").write("5")
    before = peak()
    flint.TorchScriptRunner("cpu").run_text(script, sys.argv[1:])
    print(peak() - before)
"""


def shapes(layers: int) -> Iterator[tuple[str, tuple[int, ...]]]:
    """The weights of Qwen3-4B, at half the size and less in every direction."""
    hidden, inner, queries, keys = 640, 2432, 1024, 256
    yield "embed_tokens.weight", (9500, hidden)
    for layer in range(layers):
        path = f"layers.{layer}."
        yield f"{path}input_layernorm.weight", (hidden,)
        yield f"{path}post_attention_layernorm.weight", (hidden,)
        yield f"{path}self_attn.q_norm.weight", (128,)
        yield f"{path}self_attn.k_norm.weight", (128,)
        yield f"{path}self_attn.q_proj.weight", (queries, hidden)
        yield f"{path}self_attn.k_proj.weight", (keys, hidden)
        yield f"{path}self_attn.v_proj.weight", (keys, hidden)
        yield f"{path}self_attn.o_proj.weight", (hidden, queries)
        yield f"{path}mlp.gate_proj.weight", (inner, hidden)
        yield f"{path}mlp.up_proj.weight", (inner, hidden)
        yield f"{path}mlp.down_proj.weight", (hidden, inner)


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """365 MB of weights in bfloat16, whose numbers do not matter."""
    folder = tmp_path_factory.mktemp("large")
    held = {name: torch.zeros(shape, dtype=torch.bfloat16) for name, shape in shapes(27)}
    save_file(held, folder / "model.safetensors")
    TOKENIZER.save(str(folder / "tokenizer.json"))
    yield folder
    # pytest keeps the folders of some runs, and this one is large
    (folder / "model.safetensors").unlink()


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="the peak is read from /proc")
def test_memory_holds_one_layer(large: Path) -> None:
    """A third of the file at most, where all of its layers are needed."""
    file = large / "model.safetensors"
    arguments = [file, large / "tokenizer.json", PROMPT, large / "embeds.safetensors", "16", PAD]
    result = subprocess.run(
        [sys.executable, "-c", PEAKS, *map(str, arguments)],
        env=os.environ | {"OMP_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
        timeout=200,
        check=False,
    )
    assert result.returncode == 0, result.stderr
    assert embeds(large).shape == (1, 16, 3 * 640)
    native, converted = map(int, result.stdout.split())
    assert 0 < native < converted < file.stat().st_size // 3
