"""Our LFM2 program beside transformers and llama.cpp, in the sizes of LFM2-350M: decode, prefill.

Everyone reads the same random weights and uses two threads, in a process of its own; the processes
take turns. Times are wall time.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from statistics import median

from benchmarks import models
from benchmarks.bench import Bench
from benchmarks.engines.worker import EngineFailed, workers
from benchmarks.table import Figure, Row

PROMPT, TOKENS, ROUNDS = 128, 64, 7
QUICK_TOKENS, QUICK_ROUNDS = 24, 3
PREFILLS, PREFILL_ROUNDS = (128, 1024), 5
PREFILL_GOALS: dict[str, float | None] = {"transformers": 1.0}
NOT_OFFERED = "KOHARU_TORCH_WEIGHT_KIND allows"


@dataclass(frozen=True, slots=True)
class Kind:
    """A dtype of weights: its size in bytes, the GGUF file beside it, the goals of decoding."""

    bytes: int
    gguf: str | None
    goals: dict[str, float | None]

    @property
    def engines(self) -> dict[str, str]:
        """The engines that have it, and what they read."""
        found = {"ours": models.lfm2_folder()}
        if "transformers" in self.goals:
            found["transformers"] = models.lfm2_folder()
        if self.gguf is not None:
            found["llama.cpp"] = models.lfm2_gguf(self.gguf)
        return found


KINDS = {
    "f32": Kind(4, "f32", {"transformers": 2.2, "llama.cpp": 0.85}),
    "f16": Kind(2, "f16", {"transformers": None, "llama.cpp": 0.85}),
    "bf16": Kind(2, None, {"transformers": 1.5}),
    "int8": Kind(1, "q8_0", {"llama.cpp": 0.8}),
}


def decode(bench: Bench, dtype: str) -> Iterator[Row]:
    """Tokens a second, and what share of the memory's speed that is."""
    kind = KINDS[dtype]
    tokens, rounds = (QUICK_TOKENS, QUICK_ROUNDS) if bench.quick else (TOKENS, ROUNDS)
    try:
        with workers(kind.engines, dtype, PROMPT + tokens + 1) as running:
            sides = {name: each.decode_speed(PROMPT, tokens) for name, each in running.items()}
            speeds = bench.race(sides, rounds)
    except EngineFailed as failure:
        yield note(f"decode {dtype}", failure)
    else:
        yield from _compared(f"decode {dtype}", speeds, kind, kind.goals)
        yield _memory_read(dtype, speeds["ours"], bench.watch.bandwidth)


def prefill(bench: Bench, dtype: str) -> Iterator[Row]:
    """Tokens a second of prompts, up to the choice of the first token of the answer."""
    kind = KINDS[dtype]
    try:
        with workers(kind.engines, dtype, max(PREFILLS) + 1) as running:
            for length in PREFILLS:
                sides = {name: each.prefill_speed(length) for name, each in running.items()}
                speeds = bench.race(sides, PREFILL_ROUNDS)
                yield from _compared(f"prefill {length} {dtype}", speeds, kind, PREFILL_GOALS)
    except EngineFailed as failure:
        yield note(f"prefill {dtype}", failure)


def _compared(
    name: str, speeds: dict[str, list[float]], kind: Kind, goals: dict[str, float | None]
) -> Iterator[Row]:
    for other in speeds:
        if other != "ours":
            label = f"{other} {kind.gguf}" if other == "llama.cpp" else other
            yield Figure.of_samples(
                name,
                speeds["ours"],
                speeds[other],
                label,
                "tok/s",
                higher_is_better=True,
                goal=goals.get(other),
            )


def _memory_read(dtype: str, speeds: list[float], bandwidth: float) -> Figure:
    """Every weight is read once a token; the head is the embedding."""
    gigabytes = models.PARAMETERS * KINDS[dtype].bytes / 1e9
    return Figure(
        f"decode {dtype}, weights read",
        gigabytes * median(speeds),
        bandwidth,
        "memory",
        "GB/s",
        higher_is_better=True,
    )


def note(name: str, failure: EngineFailed) -> str:
    """Only a kind of weights that this runtime lacks may be left out."""
    if NOT_OFFERED not in str(failure):
        raise failure
    return f"{name}: not measured, the runtime has no such weights"
