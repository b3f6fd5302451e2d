"""Runners execute programs for other Python code (cli-and-embedding.md 4)."""

from __future__ import annotations

from collections.abc import Sequence
from threading import RLock
from types import ModuleType
from typing import TYPE_CHECKING

from flint.devices import require_device
from flint.output import ScriptTextOutput
from flint.program import Program, as_program
from flint.runtime.context import OnText, run
from flint.runtime.session import Session

if TYPE_CHECKING:
    import torch


class _Runner:
    """One program at a time in one session; further threads wait."""

    def __init__(self, session: Session) -> None:
        self._lock = RLock()
        self._session = session

    def run_text(
        self,
        program: Program | ModuleType,
        args: Sequence[str] = (),
        *,
        on_text: OnText | None = None,
    ) -> ScriptTextOutput:
        """Run a program (or an imported generated module) with these script arguments.

        Every run starts with fresh state. `ScriptError` if the program fails; its text is
        `host error: …` for a host function's refusal. `on_text` is called with each piece of text
        as the program generates it, in whole characters.
        """
        main = as_program(program).load
        with self._lock:
            return run(lambda: main()(), args, session=self._session, on_text=on_text)


class ScriptRunner(_Runner):
    """Runs programs without torch; one at a time, further threads wait.

    A program that does use torch has it loaded then, and computes on the CPU.
    """

    def __init__(self) -> None:
        super().__init__(Session("cpu"))


class TorchScriptRunner(_Runner):
    """Runs programs with torch on one device, without gradients; one at a time, further threads
    wait.

    `device` is `cpu`, `cuda`, `cuda:N`, `mps`, `vulkan` or one of torch's devices; None takes the
    first CUDA device, or the CPU where there is none. `UserError` if the machine lacks it. Loaded
    weights and the tokenizer stay from one run to the next; all else is fresh in every run.
    """

    def __init__(self, device: str | torch.device | None = None) -> None:
        super().__init__(Session(device))
        require_device(self._session.device)
