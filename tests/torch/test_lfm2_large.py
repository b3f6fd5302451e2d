"""`scripts/lfm2.rss` on random weights in the sizes of LFM2-350M, against transformers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file
from transformers import Lfm2Config, Lfm2ForCausalLM

import make_lfm2_random
from flint.runtime import tensor, weights
from generated.layers import lfm2 as decoder
from tests.torch.support import in_run

STEPS = 64


def ours(folder: Path, prompt: list[int]) -> tuple[list[int], list[torch.Tensor]]:
    """Greedy tokens, and the logits that each was chosen by."""

    def generate() -> tuple[list[int], list[torch.Tensor]]:
        weights.load(str(folder))
        tokens: list[int] = []
        rows = [decoder.model(torch.tensor([prompt]), "model.", 0, False)]
        for at in range(STEPS):
            tokens.append(tensor.argmax_int(rows[-1], -1))
            position = len(prompt) + at
            rows.append(decoder.model(torch.tensor([tokens[-1:]]), "model.", position, True))
        return tokens, rows[:STEPS]

    return in_run(generate)


def theirs(folder: Path, shape: make_lfm2_random.Shape, prompt: list[int]) -> Any:
    """The same from transformers."""
    model = Lfm2ForCausalLM(Lfm2Config(**shape.config())).eval()
    held = load_file(folder / "model.safetensors")
    model.load_state_dict(held | {"lm_head.weight": held["model.embed_tokens.weight"]})
    return model.generate(
        torch.tensor([prompt]),
        attention_mask=torch.ones(1, len(prompt), dtype=torch.int64),
        max_new_tokens=STEPS,
        do_sample=False,
        eos_token_id=None,
        pad_token_id=0,
        output_logits=True,
        return_dict_in_generate=True,
    )


def compare(folder: Path, shape: make_lfm2_random.Shape) -> None:
    make_lfm2_random.write(folder, shape)
    prompt = torch.randint(shape.vocabulary, (40,)).tolist()
    tokens, rows = ours(folder, prompt)
    expected = theirs(folder, shape, prompt)
    # pytest keeps the folders of some runs, and this one is large
    (folder / "model.safetensors").unlink()
    assert tokens == expected.sequences[0, len(prompt) :].tolist()
    for row, wanted in zip(rows, expected.logits, strict=True):
        assert (row - wanted).abs().max() < 1e-4


def test_small(tmp_path: Path) -> None:
    """More heads to a group, wide heads, layers in another order than the other tests have."""
    compare(
        tmp_path,
        make_lfm2_random.Shape(
            vocabulary=500,
            hidden=128,
            feed_forward=64,
            layers=4,
            attention_layers=(0, 3),
            heads=4,
            key_heads=1,
        ),
    )


@pytest.mark.slow
@pytest.mark.long
def test_350m(tmp_path: Path) -> None:
    compare(tmp_path, make_lfm2_random.Shape())
