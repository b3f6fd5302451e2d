"""Torch's hot paths eager, as TorchScript, and by `torch.compile` if there is a C++ compiler.

Microseconds of processor time of one thread, for the head sizes of LFM2-350M in float32. Traced
times have the look-up of the trace in them, as programs do.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import torch
from torch import Tensor

from benchmarks.bench import Bench
from benchmarks.table import Figure, Row
from flint.runtime.nn import attention
from flint.runtime.nn.traced import Traced

HEADS, KEY_HEADS, HEAD_SIZE = 16, 8, 64
LENGTHS = (1, 64, 512)
_ROUND_SECONDS = 0.05
_ROUNDS = 7


def paths() -> Iterator[tuple[str, Callable[..., Any], tuple[Tensor, ...]]]:
    """Name, function and arguments of every path at every length."""
    for length in LENGTHS:
        query, key = (torch.randn(1, heads, length, HEAD_SIZE) for heads in (HEADS, KEY_HEADS))
        table = torch.randn(1, 1, length, HEAD_SIZE)
        mask = torch.zeros(1, 1, length, length)
        equal = (query, query, query)
        # one new position against `length` earlier ones, the heads of a group as rows
        decode = (torch.randn(1, KEY_HEADS, HEADS // KEY_HEADS, HEAD_SIZE), key, key)
        yield f"rope {length}", attention._rotated, (query, table, table)
        yield f"rope pair {length}", attention._rotated_pair, (query, key, table, table)
        yield f"attention, decode {length}", attention._attend, decode
        yield f"attention, causal {length}", attention._attend_causal, equal
        yield f"attention, masked {length}", attention._attend_masked, (*equal, mask)


def microseconds(function: Callable[..., Any], arguments: tuple[Tensor, ...]) -> float:
    """Of processor time, per call."""
    calls, start = 0, time.process_time()
    while (passed := time.process_time() - start) < _ROUND_SECONDS:
        for _ in range(10):
            function(*arguments)
        calls += 10
    return 1e6 * passed / calls


def figures(bench: Bench) -> Iterator[Row]:
    """Every path traced, beside itself and beside its compiled form if that can be made."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        with torch.no_grad():
            yield from _compared(bench)
    finally:
        torch.set_num_threads(threads)


def _compared(bench: Bench) -> Iterator[Row]:
    missing = _why_not_compiled()
    for name, function, arguments in paths():
        ways: dict[str, Callable[..., Any]] = {"traced": Traced(function), "eager": function}
        if missing is None:
            ways["torch.compile"] = torch.compile(function)
        times = bench.race(
            {way: partial(microseconds, call, arguments) for way, call in ways.items()}, _ROUNDS
        )
        for other in list(times)[1:]:
            yield Figure.of_samples(f"{name}, traced", times["traced"], times[other], other, "us")
    if missing is not None:
        yield f"torch.compile was not measured: {missing}"


def _why_not_compiled() -> str | None:
    """What keeps `torch.compile` from working here, if anything does."""
    try:
        torch.compile(torch.neg)(torch.ones(2))
    except Exception as error:  # of many libraries, mostly that there is no C++ compiler
        text = str(error).strip().splitlines() or [type(error).__name__]
        return text[0]
    return None
