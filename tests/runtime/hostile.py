"""What programs that misuse host functions share: their registry, places, ways to run them."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from flint.runtime import llama
from flint.runtime.launch import run_main

Main = Callable[[], object]


@dataclass(frozen=True)
class Case:
    """A program, the host function that must refuse, which error it is, and words of it."""

    main: Main
    function: str
    error: str
    says: str


class Cases(dict[str, Case]):
    """Programs by their names."""

    def refused(self, function: str, error: str, says: str) -> Callable[[Main], Main]:
        """Register a program that `flint::<function>` must refuse with these words.

        `error` is the key of the error in tests/torch/host_functions.toml.
        """

        def register(main: Main) -> Main:
            self[main.__name__] = Case(main, function, error, says)
            return main

        return register


@dataclass
class Places:
    """The model that the programs use, and a folder where they may write."""

    model: Path = Path()
    scratch: Path = Path()


CASES = Cases()
refused = CASES.refused
places = Places()


def scratch(name: str, data: bytes) -> str:
    path = places.scratch / name
    path.write_bytes(data)
    return str(path)


def load(path: str, kind: str = "cpu") -> tuple[Any, Any]:
    backend = llama.backend_init(kind)
    return backend, llama.model_load(backend, llama.model_params_init(backend), path)


def context_of(n_ctx: int = 256, n_batch: int = 64, n_ubatch: int = 32) -> tuple[Any, Any, Any]:
    backend, model = load(str(places.model))
    params = llama.context_params_init(backend)
    llama.context_params_set_sizes(params, n_ctx, n_batch, n_ubatch)
    return backend, model, llama.context_new(model, backend, params)


def batch_of(count: int, *, logits: bool = False, token: int = 30) -> Any:
    batch = llama.batch_init(count, 1)
    for position in range(count):
        llama.batch_add(batch, token, position, 0, logits)
    return batch


def greedy() -> Any:
    sampler = llama.sampler_chain_init(True)
    llama.sampler_add_greedy(sampler)
    llama.sampler_chain_build(sampler)
    return sampler


def outcome(case: Case) -> dict[str, object]:
    """Exit status (negative: a signal) and output of the program, run in a forked process."""
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        child = os.fork()
        if child == 0:
            sys.argv[1:] = []
            os.dup2(out.fileno(), 1)
            os.dup2(err.fileno(), 2)
            os._exit(run_main(case.main))
        _, status = os.waitpid(child, 0)
        out.seek(0)
        err.seek(0)
        return {
            "code": os.waitstatus_to_exitcode(status),
            "stdout": out.read().decode(),
            "stderr": err.read().decode(),
        }
