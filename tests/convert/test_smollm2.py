"""SmolLM2-135M-Instruct, real weights: converted, and run by `scripts/llama_torch.rss`.

The judges are transformers, which reads the converted folder, and llama.cpp, which computes in
float32 with its own values of the quantised weights.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from safetensors import safe_open
from transformers import AutoModelForCausalLM, AutoTokenizer

import flint
from flint.convert.command import convert
from flint.convert.source import GgufModel
from generated import llama_torch
from tests.runtime import bare_llama

SYSTEM = "You are a helpful assistant."
PROMPTS = (
    "What is the capital of France? Then explain in three sentences why rivers matter to cities.",
    "Write a short story about a robot that learns to paint.",
    "Explain how photosynthesis works, step by step.",
)

pytestmark = pytest.mark.slow


@dataclass(frozen=True)
class Model:
    """The converted folder, and the GGUF file that llama.cpp made of the same model."""

    folder: str
    gguf: str

    def ours(self, prompt: str, count: int) -> flint.ScriptTextOutput:
        runner = flint.TorchScriptRunner("cpu")
        return runner.run_text(llama_torch, [self.folder, SYSTEM, prompt, str(count)])

    def llama_cpp(self, prompt: str, count: int) -> tuple[list[int], list[int]]:
        """The ids of the prompt, and those generated."""
        found = bare_llama.greedy(self.gguf, SYSTEM, prompt, count, 512, exact=True)
        return found["ids"], found["generated"]

    def transformers(self, prompt: str, count: int) -> tuple[list[int], list[int]]:
        """The same."""
        messages = [
            {"role": "system", "content": SYSTEM},
            {"role": "user", "content": prompt},
        ]
        ids = self.tokenizer().apply_chat_template(
            messages, add_generation_prompt=True, return_tensors="pt", return_dict=True
        )
        model: Any = AutoModelForCausalLM.from_pretrained(self.folder, dtype=torch.float32)
        with torch.no_grad():
            made = model.eval().generate(**ids, max_new_tokens=count, do_sample=False)
        length = ids["input_ids"].shape[1]
        return made[0, :length].tolist(), made[0, length:].tolist()

    def tokenizer(self) -> Any:
        return AutoTokenizer.from_pretrained(self.folder)


@pytest.fixture(scope="module")
def model(smollm2: Path, tmp_path_factory: pytest.TempPathFactory) -> Any:
    folder = tmp_path_factory.mktemp("smollm2")
    convert(str(smollm2), str(folder / "model"))
    bare_llama.write_float32(str(smollm2), str(folder / "float32.gguf"))
    yield Model(str(folder / "model"), str(folder / "float32.gguf"))
    # pytest keeps the folders of some runs, and these files are large
    (folder / "float32.gguf").unlink()
    (folder / "model" / "model.safetensors").unlink()


def test_first_tokens(model: Model) -> None:
    output = model.ours(PROMPTS[0], 10)
    _, tokens = model.llama_cpp(PROMPTS[0], 10)
    assert output.generated_tokens == len(tokens) == 10
    assert output.text == model.tokenizer().decode(tokens, skip_special_tokens=True)


def test_values_are_those_of_llama_cpp(model: Model) -> None:
    theirs = GgufModel(model.gguf).tensors
    with safe_open(f"{model.folder}/model.safetensors", "pt") as ours:
        for name, source in (
            ("model.embed_tokens.weight", "token_embd.weight"),
            ("model.layers.7.mlp.down_proj.weight", "blk.7.ffn_down.weight"),
            ("model.layers.29.self_attn.v_proj.weight", "blk.29.attn_v.weight"),
            ("model.norm.weight", "output_norm.weight"),
        ):
            tensor = theirs[source]
            assert tensor.type == "F32"
            expected = torch.from_numpy(np.concatenate(list(tensor.values())))
            assert torch.equal(ours.get_tensor(name), expected.view(tensor.shape)), name


@pytest.mark.long
@pytest.mark.parametrize("prompt", PROMPTS)
def test_128_tokens(prompt: str, model: Model) -> None:
    output = model.ours(prompt, 128)
    ids, tokens = model.transformers(prompt, 128)
    assert model.llama_cpp(prompt, 128) == (ids, tokens)
    assert output.text == model.tokenizer().decode(tokens, skip_special_tokens=True)
    assert output.generated_tokens == 128
