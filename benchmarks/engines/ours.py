"""`generated/lfm2.py` as it is, by its own timers."""

from __future__ import annotations

import os

import flint
from benchmarks.models import PROMPT_MARKUP, WORD

KINDS = {"f32": "float", "f16": "half", "bf16": "bf16", "int8": "int8"}


class Program:
    """Runs the program; its weights stay loaded from run to run."""

    def __init__(self, folder: str) -> None:
        self._folder = folder
        self._runner = flint.TorchScriptRunner("cpu")

    def decode(self, prompt: int, tokens: int) -> float:
        """The first token after the prompt belongs to the prefill."""
        output = self._run(prompt, tokens + 1)
        assert output.decode_tokens == tokens
        assert output.decode_elapsed
        return output.decode_elapsed

    def prefill(self, tokens: int) -> float:
        output = self._run(tokens, 1)
        assert output.elapsed
        return output.elapsed

    def _run(self, prompt: int, tokens: int) -> flint.ScriptTextOutput:
        from generated import lfm2

        return self._runner.run_text(lfm2, arguments(self._folder, prompt, tokens))


def arguments(folder: str, prompt: int, tokens: int) -> list[str]:
    """Of `scripts/lfm2.rss`, for a prompt of so many tokens (5 or more)."""
    user = " ".join([WORD] * (prompt - PROMPT_MARKUP))
    return [folder, f"{folder}/tokenizer.json", "s", user, str(tokens), "1"]


def load(folder: str, dtype: str, longest: int) -> Program:
    """`longest` does not matter: our caches grow."""
    os.environ["KOHARU_TORCH_WEIGHT_KIND"] = KINDS[dtype]
    return Program(folder)
