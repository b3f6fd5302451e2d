"""Decode speed of LFM2 in float32 as the context grows: ours, transformers, llama.cpp; two threads.

Every measurement starts with a prompt as long as the context, which is not timed.
"""

from __future__ import annotations

from collections.abc import Iterator

from benchmarks import models
from benchmarks.bench import Bench
from benchmarks.engines.worker import workers
from benchmarks.lfm2 import KINDS
from benchmarks.table import Curve, Figure, Row

TOKENS, ROUNDS = 32, 3
NEAR, FAR = 128, 4096
LENGTHS = (128, 512, 1024, 2048, 4096, 8192)
CURVE_TOKENS = 16


def figures(bench: Bench) -> Iterator[Row]:
    """Ours far in a context beside ours at its start."""
    with workers({"ours": models.lfm2_folder()}, "f32", FAR + TOKENS + 1) as running:
        sides = {
            str(length): running["ours"].decode_speed(length, TOKENS) for length in (NEAR, FAR)
        }
        sides[str(NEAR)]()  # a long prompt is not needed to warm up
        speeds = bench.race(sides, ROUNDS, warm_up=False)
    yield Figure.of_samples(
        f"decode f32 at context {FAR}",
        speeds[str(FAR)],
        speeds[str(NEAR)],
        f"context {NEAR}",
        "tok/s",
        higher_is_better=True,
        goal=0.8,
    )


def curve(bench: Bench) -> Iterator[Row]:
    """Everyone at every length; a long prompt takes half a minute, so there is one round."""
    with workers(KINDS["f32"].engines, "f32", max(LENGTHS) + CURVE_TOKENS + 1) as running:
        series: dict[str, list[tuple[int, float]]] = {engine: [] for engine in running}
        bench.watch.begin()
        for length in LENGTHS:
            for engine, worker in running.items():
                series[engine].append((length, worker.decode_speed(length, CURVE_TOKENS)()))
            bench.watch.look()
    yield Curve("context", "decode f32, tok/s at context", series)
