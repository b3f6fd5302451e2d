"""Runners execute programs for other Python code (cli-and-embedding.md 4)."""

from __future__ import annotations

from collections.abc import Sequence
from threading import RLock
from types import ModuleType

from flint.output import ScriptTextOutput
from flint.program import Program, as_program
from flint.runtime.context import run


class ScriptRunner:
    """Runs programs without torch; one at a time, further threads wait."""

    def __init__(self) -> None:
        self._lock = RLock()

    def run_text(self, program: Program | ModuleType, args: Sequence[str] = ()) -> ScriptTextOutput:
        """Run a program (or an imported generated module) with these script arguments.

        Every run starts with fresh state. `ScriptError` if the program fails; its text is
        `host error: …` for a host function's refusal.
        """
        main = as_program(program).load
        with self._lock:
            return run(lambda: main()(), args)
