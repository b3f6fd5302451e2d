"""RustScript in IPython and Jupyter: `%load_ext flint.ipython`, then cells begin with `%%rss`."""

from __future__ import annotations

import argparse
import shlex
from typing import Any, NoReturn

from IPython.core.error import UsageError

from flint.lang.errors import ScriptError
from flint.report import UserError
from flint.runtime.context import run
from flint.runtime.session import Session


def load_ipython_extension(shell: Any) -> None:
    """What `%load_ext` calls: `%%rss` is there from now on."""
    shell.register_magic_function(Cells().run, "cell", "rss")


class Cells:
    """Runs cells. Weights and the tokenizer stay loaded from one cell to the next."""

    def __init__(self) -> None:
        self.sessions: dict[str, Session] = {}

    def run(self, line: str, cell: str) -> object:
        """`%%rss [--device D] [ARG...]`: the text that the cell published, or else the value of its
        last expression statement; None where there is neither. What is wrong with a cell is an
        error without a traceback."""
        options, args = _options(line)
        try:
            return self._run(cell, options.device, args)
        except (ScriptError, UserError) as error:
            notes = getattr(error, "__notes__", [])
            raise UsageError("\n".join([str(error), *notes])) from None

    def _run(self, cell: str, device: str, args: list[str]) -> object:
        from flintc import compiler, execute
        from flintc.render import render_text

        options = execute.in_memory_options(record=True)
        compiled = compiler.compile_text(cell, "cell.rss", options)
        if not compiled.ok:
            raise UsageError("\n\n".join(map(render_text, compiled.problems.items)))
        session = self.sessions.setdefault(device, Session(device))
        values: list[object] = []
        output = run(execute.load(compiled).main(values.append), args, session=session)
        return output.text or (values[-1] if values else None)


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise UsageError(message)


def _options(line: str) -> tuple[argparse.Namespace, list[str]]:
    parser = _Parser("%%rss", add_help=False)
    parser.add_argument("--device", default="cpu")
    try:
        return parser.parse_known_args(shlex.split(line))
    except ValueError as error:  # a quote that is not closed
        raise UsageError(f"%%rss: {error}") from None
