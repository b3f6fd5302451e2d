"""The four ways of running a program, each with what can be seen of it."""

from __future__ import annotations

import importlib
import io
import json
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from unittest import mock

from flint import CompileError, ScriptError, ScriptRunner
from flint.compiler import compile_script_file
from flint.runtime.program import run_main
from flintc.cli import building, running


@dataclass(frozen=True)
class Outcome:
    """`error` is the text alone, without its place."""

    stdout: str
    error: str | None
    code: int


@dataclass(frozen=True)
class _Captured:
    stdout: str
    stderr: str
    code: int


def by_run(path: Path) -> Outcome:
    """`flintc run FILE`."""
    return _of_command(_captured(lambda: running.run(str(path), (), None)))


def by_exec(path: Path) -> Outcome:
    """`flintc exec --json FILE`."""
    done = _captured(lambda: running.execute(str(path)))
    assert done.stderr == ""
    result = json.loads(done.stdout)
    error = result["error"]
    return Outcome(result["stdout"], error and error["message"], done.code)


def by_module(path: Path, folder: Path) -> Outcome:
    """`flintc build FILE`, then `python -m generated.NAME`; `folder` gets the package."""
    built = _captured(lambda: building.build([str(path)], str(folder / "generated"), "text"))
    if built.code:
        return _of_command(built)
    with _importable(folder):
        module = importlib.import_module(f"generated.{path.stem}")
        return _of_command(_captured(lambda: run_main(module.main)))


def by_embedding(path: Path) -> Outcome:
    """`flint.compile_source` and a runner."""
    output = io.StringIO()
    try:
        program = compile_script_file(path).program
        with redirect_stdout(output):
            ScriptRunner().run_text(program)
    except CompileError as error:
        return Outcome("", _problem(error.diagnostics), 1)
    except ScriptError as error:
        return Outcome(output.getvalue(), str(error), 1)
    return Outcome(output.getvalue(), None, 0)


def _captured(action: Callable[[], int]) -> _Captured:
    output, errors = io.StringIO(), io.StringIO()
    with redirect_stdout(output), redirect_stderr(errors), mock.patch.object(sys, "argv", ["run"]):
        code = action()
    return _Captured(output.getvalue(), errors.getvalue(), code)


def _of_command(done: _Captured) -> Outcome:
    return Outcome(done.stdout, _message(done.stderr) if done.code else None, done.code)


def _message(stderr: str) -> str:
    """The error's text in what a command printed: the places in the script follow, indented."""
    if stderr.startswith("error["):
        return _problem(stderr)
    return stderr.removeprefix("Error: ").removesuffix("\n").partition("\n  at ")[0]


def _problem(text: str) -> str:
    """The title of the first problem: warnings come after errors."""
    return text.partition("\n")[0].partition(": ")[2]


@contextmanager
def _importable(folder: Path) -> Iterator[None]:
    """Let `generated` be the package in a folder, and nothing afterwards."""
    before = _take_generated()
    importlib.invalidate_caches()
    sys.path.insert(0, str(folder))
    try:
        yield
    finally:
        sys.path.remove(str(folder))
        _take_generated()
        sys.modules.update(before)


def _take_generated() -> dict[str, ModuleType]:
    names = [name for name in sys.modules if name.partition(".")[0] == "generated"]
    return {name: sys.modules.pop(name) for name in names}
