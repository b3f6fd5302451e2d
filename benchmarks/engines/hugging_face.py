"""transformers: its model and its cache, in a loop with less around it than `generate` has."""

from __future__ import annotations

import time
from typing import Any

import torch
from torch import Tensor
from transformers import DynamicCache, Lfm2ForCausalLM

from benchmarks.models import WORD_ID

DTYPES = {"f32": torch.float32, "f16": torch.float16, "bf16": torch.bfloat16}


class Model:
    """Greedy choice, batch 1."""

    def __init__(self, folder: str, dtype: torch.dtype) -> None:
        self._model: Any = Lfm2ForCausalLM.from_pretrained(folder, dtype=dtype)

    def decode(self, prompt: int, tokens: int) -> float:
        with torch.inference_mode():
            cache = self._empty_cache()
            token = self._step(self._prompt(prompt), cache)
            started = time.perf_counter()
            for _ in range(tokens):
                token = self._step(token, cache)
            return time.perf_counter() - started

    def prefill(self, tokens: int) -> float:
        with torch.inference_mode():
            started = time.perf_counter()
            self._step(self._prompt(tokens), self._empty_cache())
            return time.perf_counter() - started

    def answer(self, prompt: int, tokens: int) -> list[int]:
        """The tokens themselves, for tests."""
        with torch.inference_mode():
            cache = self._empty_cache()
            token = self._step(self._prompt(prompt), cache)
            chosen = [int(token)]
            while len(chosen) < tokens:
                token = self._step(token, cache)
                chosen.append(int(token))
            return chosen

    def _prompt(self, tokens: int) -> Tensor:
        return torch.full((1, tokens), WORD_ID)

    def _empty_cache(self) -> Any:
        return DynamicCache(config=self._model.config)

    def _step(self, tokens: Tensor, cache: Any) -> Tensor:
        logits: Tensor = self._model(input_ids=tokens, cache=cache, logits_to_keep=1).logits
        return logits[:, -1].argmax(-1, keepdim=True)


def load(folder: str, dtype: str, longest: int) -> Model:
    """`longest` does not matter: its cache grows."""
    return Model(folder, DTYPES[dtype])
