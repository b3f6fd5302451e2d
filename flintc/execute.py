"""Running compiled programs in this process; the only part of flintc that imports `flint`.

Code objects are made from the emitted trees, whose positions are the script's: tracebacks, and the
lines of run-time errors, point into the `.rss` files.
"""

from __future__ import annotations

import ast
import builtins
import io
import os
import struct
from collections.abc import Callable, Mapping, Sequence
from contextlib import redirect_stdout
from dataclasses import dataclass
from types import CodeType, ModuleType
from typing import Any

from flintc import compiler
from flintc.driver import Compiled
from flintc.emit.context import Options
from flintc.emit.module import EmittedModule
from flintc.problems import Phase, Problem, Severity
from flintc.source import SourceFile
from flintc.stack import with_room
from flintc.statement_lines import line_of_running, statement_line

_PACKAGE = "flint_program"

Record = Callable[[object], None]


class LoadedProgram:
    """A compiled program; `main` gives its entry point, without state of earlier runs."""

    def __init__(self, modules: list[EmittedModule], absolute: bool = False) -> None:
        self._codes = {
            module.name: _Code(code_of(module, absolute), module.tree, module.source)
            for module in modules
        }
        self._root = modules[-1].name
        self._sources = {module.path: module.source for module in modules}
        self.paths = [*self._sources]

    def main(self, record: Record | None = None) -> Callable[[], object]:
        """The program's `main`; `record` receives the values of top-level expression statements."""
        namespaces = _Namespaces(self._codes, record)
        main: Callable[[], object] = namespaces.load(self._root).main
        return main

    def source_line(self, path: str, line: int) -> tuple[SourceFile, int]:
        """A line of one of the scripts, with its file."""
        return SourceFile(path, self._sources[path]), line


@with_room
def code_of(module: EmittedModule, absolute: bool = False) -> CodeType:
    """The code of one module, located in its script: debuggers want the `absolute` path."""
    path = os.path.abspath(module.path) if absolute else module.path
    return compile(ast.fix_missing_locations(module.tree), path, "exec")


@dataclass(frozen=True, slots=True)
class _Code:
    """What is kept of a module; its `__loader__`, so that tracebacks show the script's lines."""

    code: CodeType
    tree: ast.Module
    source: str

    def get_source(self, name: str) -> str:
        return self.source


class _Namespaces:
    """The modules of one run of a program, which import each other and nothing of another run."""

    def __init__(self, codes: Mapping[str, _Code], record: Record | None) -> None:
        self.codes = codes
        self.record = record
        self.loaded: dict[str, ModuleType] = {}

    def load(self, name: str) -> Any:
        if name not in self.loaded:
            module = ModuleType(f"{_PACKAGE}.{name}")
            module.__dict__["__builtins__"] = {**vars(builtins), "__import__": self._import}
            if self.record is not None:
                module.__dict__["record"] = self.record
            found = self.codes[name]
            module.__dict__["__flint_tree__"] = found.tree
            module.__dict__["__loader__"] = found
            self.loaded[name] = module
            exec(found.code, module.__dict__)
        return self.loaded[name]

    def _import(self, name: str, *args: Any, **kwargs: Any) -> Any:
        if name != _PACKAGE and not name.startswith(f"{_PACKAGE}."):
            return _import_from_outside(name, *args, **kwargs)
        prefix = name.removeprefix(_PACKAGE).removeprefix(".")
        package = ModuleType(name)
        for part in args[2] if len(args) > 2 else ():
            setattr(package, part, self.load(f"{prefix}.{part}" if prefix else part))
        return package


def _import_from_outside(name: str, *args: Any, **kwargs: Any) -> Any:
    """Import `flint`, or a module of the user, which may fail in any way."""
    try:
        return __import__(name, *args, **kwargs)
    except Exception as error:
        if name.partition(".")[0] == "flint":
            raise
        from flint.lang.errors import HostError

        reason = f"{type(error).__name__}: {error}"
        failure = HostError(f"the module `{name}` cannot be imported: {reason}")
        failure.__context__ = error
    raise failure


def load(compiled: Compiled, absolute: bool = False) -> LoadedProgram:
    """Make a compiled program runnable. It must have been compiled with `in_memory_options`.

    `absolute`: its code names the scripts' absolute paths.
    """
    return LoadedProgram(compiled.modules, absolute)


def in_memory_options(record: bool = False) -> Options:
    return Options(package=_PACKAGE, record=record)


# -- flintc exec -----------------------------------------------------------------------------


def run_json(path: str, *, host: compiler.Hosts = ()) -> dict[str, object]:
    """Compile and run a script; status, output, results and error as the conformance suite wants
    them.
    """
    compiled = compiler.compile_file(path, in_memory_options(record=True), host=host)
    errors = [p for p in compiled.problems.items if p.severity is Severity.ERROR]
    if errors:
        return _outcome("compile_error", "", None, _compile_error(errors[0], path))
    return _run(load(compiled))


def _run(program: LoadedProgram) -> dict[str, object]:
    from flint.lang.errors import ScriptError, UnboundHostImport
    from flint.runtime.context import run

    results: list[object] = []
    output = io.StringIO()
    try:
        with redirect_stdout(output):
            run(program.main(results.append))
    except ScriptError as error:
        phase = "bind" if isinstance(error, UnboundHostImport) else "run"
        place = script_place(error, program.paths)
        detail = {
            "phase": phase,
            "code": None,
            "kind": type(error).__name__,
            "line": None if place is None else line_of_running(*program.source_line(*place)),
            "message": str(error),
        }
        return _outcome("runtime_error", output.getvalue(), None, detail)
    return _outcome("ok", output.getvalue(), [typed(value) for value in results], None)


def _outcome(
    status: str, stdout: str, stack: Sequence[object] | None, error: Mapping[str, object] | None
) -> dict[str, object]:
    return {"status": status, "stdout": stdout, "stack": stack, "error": error}


def _compile_error(problem: Problem, path: str) -> dict[str, object]:
    detail: dict[str, object] = {
        "phase": problem.phase.value,
        "code": problem.code,
        "kind": problem.code,
        "line": _compile_error_line(problem),
        "message": problem.title,
    }
    if problem.span is not None and problem.span.file.path != path:
        detail["file"] = problem.span.file.path
    return detail


def _compile_error_line(problem: Problem) -> int | None:
    """Parse errors have the line of the token at which they were noticed (9.1)."""
    span = problem.span
    if span is None or problem.phase not in (Phase.COMPILE, Phase.OWNERSHIP):
        return None if span is None else span.line
    return statement_line(span.file, span.start)


def script_place(error: BaseException, paths: Sequence[str]) -> tuple[str, int] | None:
    """Where in the scripts an error happened: path and line of the innermost frame that runs one
    of them.
    """
    cause: BaseException | None = error
    while cause is not None:
        place = None
        trace = cause.__traceback__
        while trace is not None:
            path = trace.tb_frame.f_code.co_filename
            if path in paths:
                place = (path, trace.tb_lineno)
            trace = trace.tb_next
        if place is not None:
            return place
        cause = cause.__cause__
    return None


def typed(value: object) -> dict[str, object]:
    """A value in the typed form of the conformance suite."""
    from flint.lang import from_map_key
    from flint.lang.calls import callable_kind
    from flint.lang.display import display

    match value:
        case None:
            return {"type": "null"}
        case bool():
            return {"type": "bool", "value": value}
        case int():
            return {"type": "int", "value": value}
        case float():
            bits = struct.pack(">d", value).hex()
            return {"type": "float", "value": display(value), "bits": bits}
        case str():
            return {"type": "string", "value": value}
        case bytes():
            return {"type": "bytes", "hex": value.hex()}
        case list():
            return {"type": "array", "items": [typed(item) for item in value]}
        case dict():
            entries = [[typed(from_map_key(key)), typed(item)] for key, item in value.items()]
            return {"type": "map", "entries": sorted(entries, key=repr)}
        case _ if callable(value):
            return {"type": "callable", "kind": callable_kind(value)}
        case _:
            return {"type": "int", "value": getattr(value, "handle", 0)}
