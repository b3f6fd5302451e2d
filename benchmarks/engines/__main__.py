"""A process that measures one engine: reads jobs from stdin, a line each, answers in JSON."""

from __future__ import annotations

import json
import os
import sys
from importlib import import_module
from typing import Any, Protocol, TextIO

from benchmarks.encoders import peak_megabytes
from benchmarks.engines.worker import MODULES


class Engine(Protocol):
    """What every engine measures, all in seconds of wall time."""

    def decode(self, prompt: int, tokens: int) -> float:
        """For so many tokens one by one after a prompt of so many."""

    def prefill(self, tokens: int) -> float:
        """From a prompt of so many tokens to the choice of the next one."""


def main(arguments: list[str]) -> None:
    """Load the engine, then answer until stdin ends."""
    engine, model, dtype, longest = arguments
    answers = _stdout_for_us_alone()
    try:
        loaded: Any = import_module(MODULES[engine]).load(model, dtype, int(longest))
    except Exception as error:
        _answer(answers, error=f"{type(error).__name__}: {error}")
        return
    _answer(answers, value=0)
    for line in sys.stdin:
        name, *numbers = line.split()
        try:
            value = peak_megabytes() if name == "peak" else _job(loaded, name, numbers)
            _answer(answers, value=value)
        except Exception as error:
            _answer(answers, error=f"{type(error).__name__}: {error}")


def _job(engine: Engine, name: str, numbers: list[str]) -> float:
    value: float = getattr(engine, name)(*map(int, numbers))
    return value


def _stdout_for_us_alone() -> TextIO:
    """Whatever libraries print goes to stderr."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    return answers


def _answer(answers: TextIO, **fields: object) -> None:
    answers.write(json.dumps(fields) + "\n")
    answers.flush()


if __name__ == "__main__":
    main(sys.argv[1:])
