"""The parent's side of a process that measures one engine."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager

from benchmarks.noise import THREADS

MODULES = {
    "ours": "benchmarks.engines.ours",
    "transformers": "benchmarks.engines.hugging_face",
    "llama.cpp": "benchmarks.engines.llama",
}


class EngineFailed(RuntimeError):
    """The engine could not do a job; the text is what it said."""


class Worker:
    """An engine that has loaded a model. `longest` is the most tokens it will have in context."""

    def __init__(self, engine: str, model: str, dtype: str, longest: int) -> None:
        self.engine = engine
        self._errors = tempfile.TemporaryFile("w+", errors="replace")  # noqa: SIM115 (see close)
        self._process = subprocess.Popen(
            [sys.executable, "-m", "benchmarks.engines", engine, model, dtype, str(longest)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            text=True,
            env=os.environ | {"OMP_NUM_THREADS": str(THREADS)},
        )

    def __enter__(self) -> Worker:
        try:
            self._answer()
        except EngineFailed:
            self.close()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End the process; its memory is free afterwards."""
        assert self._process.stdin
        assert self._process.stdout
        self._process.stdin.close()
        self._process.wait(timeout=60)
        self._process.stdout.close()
        self._errors.close()

    def ask(self, job: str, *numbers: int) -> float:
        """What the engine measures for a job (see `__main__.Engine`), or `peak` megabytes."""
        assert self._process.stdin
        self._process.stdin.write(" ".join([job, *map(str, numbers)]) + "\n")
        self._process.stdin.flush()
        return self._answer()

    def decode_speed(self, prompt: int, tokens: int) -> Callable[[], float]:
        """A function that measures tokens a second."""
        return lambda: tokens / self.ask("decode", prompt, tokens)

    def prefill_speed(self, tokens: int) -> Callable[[], float]:
        """A function that measures tokens a second."""
        return lambda: tokens / self.ask("prefill", tokens)

    def _answer(self) -> float:
        assert self._process.stdout
        line = self._process.stdout.readline()
        if not line:
            self._errors.seek(0)
            raise EngineFailed(f"{self.engine} ended: {self._errors.read()[-2000:]}")
        answer = json.loads(line)
        if "error" in answer:
            raise EngineFailed(f"{self.engine}: {answer['error']}")
        return float(answer["value"])


@contextmanager
def workers(engines: dict[str, str], dtype: str, longest: int) -> Iterator[dict[str, Worker]]:
    """One worker for each engine and the model that it reads."""
    with ExitStack() as stack:
        yield {
            engine: stack.enter_context(Worker(engine, model, dtype, longest))
            for engine, model in engines.items()
        }
