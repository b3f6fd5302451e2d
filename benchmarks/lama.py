"""`scripts/lama.rss` beside the same model as a PyTorch module: time and peak memory.

`python -m benchmarks lama`. The model has the published size and random weights; the image has the
size of a usual crop. The two take turns, every turn in a process of its own, which loads the
weights, fills the image, and fills it again. Times are processor time of one thread.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.bench import Bench
from benchmarks.encoders import Job, compared, measured
from benchmarks.table import Row

if TYPE_CHECKING:
    from torch import Tensor

MODULE = "nn.Module"
"""The side that LaMa is compared with."""

SIDE = 288
"""A box of 32 pixels and 128 pixels around it."""

_TOOLS = str(Path(__file__).resolve().parent.parent / ".ci" / "tools")


def figures(bench: Bench) -> Iterator[Row]:
    """Seconds and megabytes."""
    with tempfile.TemporaryDirectory() as name:
        weights = str(Path(name) / "lama.safetensors")
        _in_a_process("write", weights)
        yield from compared(
            bench, "LaMa", MODULE, lambda side: json.loads(_in_a_process(side, weights))
        )


def _in_a_process(*words: str) -> str:
    command = [sys.executable, "-m", "benchmarks.lama", *words]
    return subprocess.run(command, check=True, capture_output=True, text=True, timeout=300).stdout


def _write(weights: str) -> None:
    from safetensors.torch import save_file

    sys.path.insert(0, _TOOLS)
    from lama_generator import random_generator

    save_file(dict(random_generator(1).state_dict()), weights)


def _ours(weights: str) -> Job:
    import flint
    from flint.runtime.context import run_for_tensor

    lama, inputs = flint.LamaRustScript("cpu"), _image()
    return lambda: run_for_tensor(lambda: lama._run(weights), [weights], inputs, lama._session)


def _module(weights: str) -> Job:
    from safetensors.torch import load_file

    sys.path.insert(0, _TOOLS)
    from lama_generator import Generator

    ready: list[Generator] = []
    image, mask = _image()

    def job() -> object:
        if not ready:
            ready.append(Generator().eval().requires_grad_(False))
            ready[0].load_state_dict(load_file(weights))
        return ready[0](image, mask)

    return job


def _image() -> list[Tensor]:
    import torch

    mask = torch.zeros(1, 1, SIDE, SIDE)
    mask[..., 128:160, 128:160] = 1
    return [torch.rand(1, 3, SIDE, SIDE), mask]


_JOBS = {"ours": _ours, MODULE: _module}

if __name__ == "__main__":
    what, path = sys.argv[1:]
    if what == "write":
        _write(path)
    else:
        print(json.dumps(measured(_JOBS[what], path)))
