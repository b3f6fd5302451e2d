"""`scripts/llama_torch.rss` against transformers' LlamaForCausalLM, on small random models."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import torch

import flint
from flint.runtime import weights
from generated import llama_torch
from tests.torch import llama_model
from tests.torch.made_tokenizers import tiny_tokenizer
from tests.torch.support import in_run

SYSTEM, USER = "You are helpful.", "Was weiß man über Zürich?"
KINDS: dict[str, dict[str, Any]] = {
    "tied": {},
    "untied": {"tie_word_embeddings": False, "num_key_value_heads": 1},
    "wide heads": {"head_dim": 24, "num_key_value_heads": 4, "rms_norm_eps": 1e-6},
    "llama3": {"rope_parameters": llama_model.LLAMA3},
    "linear": {
        "rope_parameters": {"rope_type": "linear", "rope_theta": 1000.0, "factor": 2.5},
    },
}


class Small:
    """A folder with a model, and what transformers makes of it."""

    def __init__(self, folder: Path, **sizes: Any) -> None:
        self.folder = folder
        self.model = llama_model.save(folder, **sizes)

    def prompt(self, system: str = SYSTEM) -> list[int]:
        turns = [("system", system)] if system else []
        text = "".join(
            f"<|im_start|>{role}\n{content}<|im_end|>\n"
            for role, content in [*turns, ("user", USER)]
        )
        ids: list[int] = tiny_tokenizer().encode(f"{text}<|im_start|>assistant\n").ids
        return ids

    def expected(self, prompt: list[int], count: int) -> list[int]:
        """The tokens that transformers chooses greedily, to the end token at most."""
        made: Any = self.model.generate(
            torch.tensor([prompt]),
            attention_mask=torch.ones(1, len(prompt), dtype=torch.int64),
            max_new_tokens=count,
            do_sample=False,
        )
        chosen: list[int] = made[0, len(prompt) :].tolist()
        return chosen

    def logits(self, ids: list[int], first: int) -> torch.Tensor:
        """Our logits from position `first - 1` on: a prompt of `first` tokens, then single ones."""

        def steps() -> torch.Tensor:
            config = llama_torch.read_config(str(self.folder))
            weights.load(str(self.folder))
            frequencies = llama_torch.rope_frequencies(config)
            tokens = torch.tensor([ids])
            rows = [llama_torch.model(config, tokens[:, :first], 0, frequencies)]
            for at in range(first, len(ids)):
                rows.append(llama_torch.model(config, tokens[:, at : at + 1], at, frequencies))
            return torch.cat(rows)

        return in_run(steps)


@pytest.fixture(scope="module", params=KINDS)
def small(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Small:
    return Small(tmp_path_factory.mktemp("llama"), **KINDS[request.param])


@pytest.fixture(scope="module")
def tied(tmp_path_factory: pytest.TempPathFactory) -> Small:
    return Small(tmp_path_factory.mktemp("llama"))


def answer(small: Small, *arguments: str) -> flint.ScriptTextOutput:
    runner = flint.TorchScriptRunner("cpu")
    return runner.run_text(llama_torch, [str(small.folder), *arguments])


def text_of(tokens: list[int]) -> str:
    return str(tiny_tokenizer().decode(tokens, skip_special_tokens=True))


def test_greedy_tokens(small: Small) -> None:
    expected = small.expected(small.prompt(), 64)
    output = answer(small, SYSTEM, USER, "64")
    assert output.text == text_of(expected)
    assert output.generated_tokens == len(expected)
    assert output.decode_tokens == len(expected) - 1


@pytest.mark.parametrize("first", [1, 40])
def test_logits_at_every_position(small: Small, first: int) -> None:
    ids = small.prompt() + small.expected(small.prompt(), 40)
    with torch.no_grad():
        full = small.model(torch.tensor([ids])).logits[0, first - 1 :]
    steps = small.logits(ids, first)
    assert steps.shape == full.shape
    assert (steps - full).abs().max() < 1e-4


def test_the_end_token_ends(tmp_path: Path) -> None:
    """Another token is made the end token: the one that comes third."""
    small = Small(tmp_path)
    chosen = small.expected(small.prompt(), 64)
    third = chosen[2]
    assert third not in chosen[:2]
    llama_model.change_config(tmp_path, eos_token_id=third)
    (tmp_path / "generation_config.json").unlink()
    output = answer(small, SYSTEM, USER, "64")
    assert (output.text, output.generated_tokens) == (text_of(chosen[:3]), 3)


def test_no_system_turn_and_128_tokens_by_default(tied: Small) -> None:
    expected = tied.expected(tied.prompt(system=""), 128)
    assert answer(tied, "", USER).text == text_of(expected)


def test_old_configuration(tmp_path: Path) -> None:
    """Theta and scaling as files of transformers 4 have them, without what has a default."""
    small = Small(tmp_path, rope_parameters=llama_model.LLAMA3, num_key_value_heads=4)
    scaling = {name: at for name, at in llama_model.LLAMA3.items() if name != "rope_theta"}
    llama_model.change_config(
        tmp_path,
        rope_parameters=None,
        rope_theta=500,
        rope_scaling=scaling,
        num_key_value_heads=None,
        head_dim=None,
    )
    ids = small.prompt()
    with torch.no_grad():
        full = small.model(torch.tensor([ids])).logits[0, -1:]
    assert (small.logits(ids, len(ids)) - full).abs().max() < 1e-4


@pytest.mark.parametrize("kind", ["bf16", "half", "native"])
def test_other_kinds(kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stored = torch.bfloat16 if kind == "native" else torch.float32
    small = Small(tmp_path, dtype=stored)
    monkeypatch.setenv("KOHARU_TORCH_WEIGHT_KIND", kind)
    ids = small.prompt()
    result = small.logits(ids, len(ids) - 1)
    assert result.dtype == (torch.float16 if kind == "half" else torch.bfloat16)
    with torch.no_grad():
        exact = small.model(torch.tensor([ids])).logits[0, -2:]
    assert torch.cosine_similarity(result.float(), exact).min() > 0.99


@pytest.mark.parametrize("count", ["0", "-1"])
def test_nothing_to_generate(tied: Small, count: str) -> None:
    output = answer(tied, SYSTEM, USER, count)
    assert (output.text, output.generated_tokens, output.decode_tokens) == ("", 0, 0)


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"model_type": "qwen2"}, "config.json is of a model of another type than llama"),
        ({"attention_bias": True}, "config.json asks for biases"),
        ({"mlp_bias": True}, "config.json asks for biases"),
        ({"rope_parameters": {"rope_type": "yarn"}}, "no positions of rope_type yarn"),
        ({"num_attention_heads": 5, "head_dim": 16}, "flint::tensor::view4: "),
        ({"num_hidden_layers": 4}, "no weight named 'model.layers.3."),
        ({"tie_word_embeddings": False}, "no weight named 'lm_head.weight'"),
        ({"hidden_size": None, "head_dim": None}, "config.json has no hidden_size"),
        ({"num_hidden_layers": 0}, "config.json has a number of layers or heads below 1"),
        ({"num_attention_heads": 0}, "config.json has a number of layers or heads below 1"),
        ({"num_key_value_heads": -1}, "config.json has a number of layers or heads below 1"),
        ({"head_dim": 10**15}, "config.json has heads of a size that is not even"),
        ({"head_dim": 15}, "config.json has heads of a size that is not even"),
        ({"head_dim": -16}, "config.json has heads of a size that is not even"),
        ({"head_dim": None, "hidden_size": 2**62}, "config.json has heads of a size"),
        ({"rms_norm_eps": None}, "config.json has no rms_norm_eps"),
    ],
)
def test_a_configuration_that_does_not_fit(
    changes: dict[str, Any], reason: str, tmp_path: Path
) -> None:
    small = Small(tmp_path)
    llama_model.change_config(tmp_path, **changes)
    with pytest.raises(flint.HostError, match=re.escape(reason)):
        answer(small, SYSTEM, USER, "4")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "json_decode failed: "),
        ("[]", "config.json has no model_type"),
        ('{"model_type": "llama", "hidden_size": "many"', "json_decode failed: "),
    ],
)
def test_a_configuration_that_is_none(text: str, reason: str, tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text(text)
    with pytest.raises(flint.HostError, match=re.escape(reason)):
        flint.TorchScriptRunner("cpu").run_text(llama_torch, [str(tmp_path), "", USER])


def test_a_size_that_is_none(tmp_path: Path) -> None:
    small = Small(tmp_path)
    llama_model.change_config(tmp_path, num_hidden_layers="three")
    with pytest.raises(flint.ScriptError, match="type mismatch: expected int"):
        answer(small, SYSTEM, USER, "4")


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("config.json", "io_open failed: No such file"),
        ("model.safetensors", "no safetensors file in "),
        ("tokenizer.json", "flint::tokenizer::load: cannot read "),
        ("chat_template.jinja", "no chat template in "),
    ],
)
def test_a_file_that_is_missing(name: str, reason: str, tmp_path: Path) -> None:
    small = Small(tmp_path)
    (tmp_path / name).unlink()
    with pytest.raises(flint.HostError, match=re.escape(reason)):
        answer(small, SYSTEM, USER, "4")


def test_a_second_prompt_starts_anew(tied: Small) -> None:
    tokens = torch.tensor([tied.prompt()])

    def twice() -> tuple[torch.Tensor, torch.Tensor]:
        config = llama_torch.read_config(str(tied.folder))
        weights.load(str(tied.folder))
        frequencies = llama_torch.rope_frequencies(config)
        first = llama_torch.model(config, tokens, 0, frequencies)
        return first, llama_torch.model(config, tokens, 0, frequencies)

    first, second = in_run(twice)
    assert torch.equal(first, second)
