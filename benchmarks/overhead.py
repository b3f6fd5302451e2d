"""What our runtime costs in a decode step of LFM2: the program against its torch calls alone.

Random weights in the sizes of LFM2-350M, float32. The program runs as it is; before each of its
steps the same step is computed directly, from the same weights, so that both see the same machine.
Time is that of the thread that calls torch, which other processes do not lengthen.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from unittest import mock

import torch
from torch import Tensor

import flint
from benchmarks.bench import Bench
from benchmarks.lfm2_direct import DirectDecoder
from benchmarks.models import write_lfm2
from benchmarks.table import Figure, Row
from flint.runtime.context import current
from generated import lfm2
from generated.layers import lfm2 as decoder

STEPS = 48
WARM_UP = 4
GOAL = 1.05
# as deep as the model, but with so little to compute that the cost of calls stands out
NARROW: dict[str, Any] = {
    "vocabulary": 256,
    "hidden": 64,
    "feed_forward": 128,
    "heads": 2,
    "key_heads": 1,
}


def figures(bench: Bench) -> Iterator[Row]:
    """Milliseconds a step; of a narrow model they are all calls and next to no arithmetic."""
    bench.watch.begin()
    ours, direct = _interleaved({}, STEPS)
    yield Figure.of_samples("decode step, LFM2-350M", ours, direct, "torch calls", "ms", goal=GOAL)
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        ours, direct = _interleaved(NARROW, STEPS)
    finally:
        torch.set_num_threads(threads)
    yield Figure.of_samples("decode step, 64 wide, 1 thread", ours, direct, "torch calls", "ms")


def _interleaved(sizes: dict[str, Any], steps: int) -> tuple[list[float], list[float]]:
    """Milliseconds of every step of the program, and of the same steps called directly."""
    with tempfile.TemporaryDirectory() as name:
        write_lfm2(Path(name), **sizes)
        return Race(Path(name), steps).run()


class Race:
    """A run of the program, between whose steps the direct ones are made and both are timed."""

    def __init__(self, folder: Path, steps: int) -> None:
        self.words = [str(folder), str(folder / "tokenizer.json"), "be brief", "hi " * 24]
        self.steps = steps
        self.ours: list[float] = []
        self.directs: list[float] = []
        self.decoder: DirectDecoder | None = None
        self.started = 0.0
        self.logits = torch.empty(0)

    def run(self) -> tuple[list[float], list[float]]:
        """The times after some steps to warm up."""
        words = [*self.words, str(self.steps + WARM_UP + 2), "1"]
        with mock.patch.object(decoder, "model", self._between_steps(decoder.model)):
            flint.TorchScriptRunner("cpu").run_text(lfm2, words)
        return self.ours[WARM_UP:], self.directs[WARM_UP:-1]  # the last of ours has no end

    def _between_steps(self, model: Any) -> Any:
        def stepped(tokens: Tensor, prefix: str, position: int, incremental: bool) -> Tensor:
            if self.decoder is not None:
                self.ours.append(1000 * (time.thread_time() - self.started))
            if incremental:
                self._direct_step(tokens, position)
            self.started = time.thread_time()
            self.logits = model(tokens, prefix, position, incremental)
            return self.logits

        return stepped

    def _direct_step(self, tokens: Tensor, position: int) -> None:
        """The decoder takes over the program's state once; then it goes its own way."""
        if self.decoder is None:
            self.decoder = DirectDecoder(current())
        else:
            assert torch.allclose(self.decoder.logits, self.logits, rtol=1e-3, atol=1e-4)
        start = time.thread_time()
        self.decoder.step(tokens, position)
        self.directs.append(1000 * (time.thread_time() - start))
