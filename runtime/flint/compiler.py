"""From RustScript text to a program, by way of the compiler, which is loaded only when needed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from flint.program import Program
from flint.report import UserError

if TYPE_CHECKING:
    from flintc.driver import Compiled


class CompileError(UserError):
    """A script does not compile; `diagnostics` is the compiler's text with places and carets."""

    def __init__(self, path: str, first: str, diagnostics: str) -> None:
        super().__init__(f"{path} does not compile: {first}")
        self.diagnostics = diagnostics


@dataclass(frozen=True, slots=True)
class CompiledScript:
    """A compiled script: the program to run, and the Python text of its root module."""

    program: Program
    python: str


def compile_source(
    text: str, path: str = "script.rss", *, host: str | Sequence[str] = ()
) -> CompiledScript:
    """Compile RustScript text; `path` names it in diagnostics and is where modules are looked up.

    `host` names Python modules whose annotated functions the script may call, such as
    `mypackage.ops`. `CompileError` if there are errors; `UserError` for a path with NUL.
    """
    from flintc import compiler, execute

    if not isinstance(text, str):
        raise TypeError(f"the source is {type(text).__name__}, not str")
    if "\0" in path:
        raise UserError(f"cannot read {path!r}: no path contains a NUL character")
    compiled = compiler.compile_text(text, path, execute.in_memory_options(), host=host)
    return _ready(compiled, path)


def compile_script_file(path: str | Path, *, host: str | Sequence[str] = ()) -> CompiledScript:
    """Compile a script file; `UserError` if it cannot be read, `CompileError` as above."""
    try:
        text = Path(path).read_bytes().decode("utf-8")
    except (OSError, ValueError) as error:  # ValueError: no UTF-8, or a path that cannot exist
        raise UserError(f"cannot read {path}") from error
    return compile_source(text, str(path), host=host)


def _ready(compiled: Compiled, path: str) -> CompiledScript:
    from flintc import execute
    from flintc.render import render_text

    if not compiled.ok:
        problems = compiled.problems.items
        diagnostics = "\n\n".join(render_text(problem) for problem in problems)
        raise CompileError(path, problems[0].title, diagnostics)
    program = Program(Path(path).stem, execute.load(compiled).main)
    return CompiledScript(program, compiled.modules[-1].text)
