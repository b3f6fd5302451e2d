"""What smaller weights cost: the perplexity of SmolLM2, real weights, over ARCHITECTURE.md.

`generated/llama_torch.py` reads the text token by token, as it decodes, in every kind of weights.
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from unittest import mock

import torch

from benchmarks import models
from benchmarks.bench import Bench
from benchmarks.table import Figure, Row
from flint.runtime import context, tokenizer, weights
from flint.runtime.session import Session

TEXT = Path(__file__).resolve().parent.parent / "ARCHITECTURE.md"
TOKENS, QUICK_TOKENS = 512, 64
KINDS = {"bf16": None, "half": None, "int8": 1.01}
"""The kinds of weights beside float32, with the largest ratio of perplexities that is allowed."""


def figures(bench: Bench) -> Iterator[Row]:
    """Perplexities; neither time nor other programs change them."""
    tokens = QUICK_TOKENS if bench.quick else TOKENS
    exact = perplexity("float", tokens)
    for kind, goal in KINDS.items():
        title = f"perplexity, SmolLM2 {kind}"
        yield Figure(title, perplexity(kind, tokens), exact, "float32", "", goal=goal, timed=False)


def perplexity(kind: str, tokens: int) -> float:
    """The exponential of the mean cross entropy of all tokens but the first."""
    losses: list[float] = []
    with mock.patch.dict(os.environ, {"KOHARU_TORCH_WEIGHT_KIND": kind}):
        context.run(lambda: losses.extend(_losses(tokens)), session=Session("cpu"))
    return math.exp(sum(losses) / len(losses))


def _losses(tokens: int) -> Iterator[float]:
    """The negative log probability of every token after those before it."""
    from generated import llama_torch

    folder = models.smollm2_folder()
    config = llama_torch.read_config(folder)
    weights.load(folder)
    tokenizer.load(f"{folder}/tokenizer.json")
    text = tokenizer.encode(TEXT.read_text("utf-8"), False)[0, :tokens]
    frequencies = llama_torch.rope_frequencies(config)
    for position, (token, following) in enumerate(pairwise(text)):
        logits = llama_torch.model(config, token.view(1, 1), position, frequencies)
        yield -torch.log_softmax(logits.float(), -1)[0, int(following)].item()
