"""From a cold process to the first token, and the most memory that a run takes.

Ours is `python -m generated.lfm2`, the other a minimal transformers script, on the same float32
file, in turn; the file itself stays in the page cache. The clock stops at the first output.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator

from benchmarks import models
from benchmarks.bench import Bench
from benchmarks.engines.ours import arguments
from benchmarks.engines.worker import EngineFailed, Worker
from benchmarks.lfm2 import KINDS, note
from benchmarks.noise import THREADS
from benchmarks.table import Figure, Row

PROMPT, TOKENS, ROUNDS = 16, 64, 5
MEMORY_FACTOR, MEMORY_MEGABYTES = 1.05, 400


def figures(bench: Bench) -> Iterator[Row]:
    """Seconds to the first token; megabytes beside the limit for the weights' size."""
    yield first_token(bench)
    for dtype in KINDS:
        try:
            yield _peak_memory(dtype)
        except EngineFailed as failure:
            yield note(f"peak memory {dtype}", failure)


def first_token(bench: Bench) -> Figure:
    """A short prompt, so that most of the time is the start."""
    folder = models.lfm2_folder()
    text = " ".join([models.WORD] * PROMPT)
    program = ["-m", "generated.lfm2", *arguments(folder, PROMPT, 1)]
    peer = ["-m", "benchmarks.first_token_peer", folder, text]
    seconds = bench.race(
        {"ours": lambda: _until_output(program), "transformers": lambda: _until_output(peer)},
        ROUNDS,
    )
    return Figure.of_samples(
        "cold start to first token",
        seconds["ours"],
        seconds["transformers"],
        "transformers",
        "s",
        goal=0.7,
    )


def _until_output(arguments: list[str]) -> float:
    started = time.perf_counter()
    with subprocess.Popen(
        [sys.executable, *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=os.environ | {"OMP_NUM_THREADS": str(THREADS)},
    ) as process:
        assert process.stdout
        first = process.stdout.read(1)
        seconds = time.perf_counter() - started
        process.stdout.read()
    if process.returncode or not first:
        raise RuntimeError(f"{' '.join(arguments[:2])} ended with {process.returncode}")
    return seconds


def _peak_memory(dtype: str) -> Figure:
    """A fresh process that answers one prompt; resident memory, pages of mapped files included."""
    weights = models.PARAMETERS * KINDS[dtype].bytes / 2**20
    with Worker("ours", models.lfm2_folder(), dtype, 0) as worker:
        worker.ask("decode", 128, TOKENS)
        peak = worker.ask("peak")
    limit = MEMORY_FACTOR * weights + MEMORY_MEGABYTES
    return Figure(f"peak memory {dtype}", peak, limit, "limit", "MB", goal=1.0, timed=False)
