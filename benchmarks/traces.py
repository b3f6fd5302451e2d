"""`python -m benchmarks.traces [--compile]`: torch's hot paths, eager and as TorchScript.

Microseconds of processor time of one thread, for the head sizes of LFM2-350M in float32;
`--compile` adds `torch.compile`, which needs a C++ compiler.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from typing import Any

import torch
from torch import Tensor

from flint.runtime.nn import attention
from flint.runtime.nn.traced import freeze

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
    """The quickest of some rounds, per call; the first calls only warm up."""
    for _ in range(3):
        function(*arguments)
    return 1e6 * min(_round(function, arguments) for _ in range(_ROUNDS))


def _round(function: Callable[..., Any], arguments: tuple[Tensor, ...]) -> float:
    calls, start = 0, time.process_time()
    while (passed := time.process_time() - start) < _ROUND_SECONDS:
        for _ in range(10):
            function(*arguments)
        calls += 10
    return passed / calls


def main(compiled: bool) -> None:
    """Print the table."""
    torch.set_num_threads(1)
    print(f"{'path, positions':<26}{'eager':>10}{'traced':>10}" + "   compiled" * compiled)
    with torch.no_grad():
        for name, function, arguments in paths():
            ways = [function, freeze(function, arguments)]
            ways += [torch.compile(function)] * compiled
            times = [f"{microseconds(way, arguments):>10.1f}" for way in ways]
            print(f"{name:<26}{''.join(times)}", flush=True)


if __name__ == "__main__":
    main("--compile" in sys.argv[1:])
