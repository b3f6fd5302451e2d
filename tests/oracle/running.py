"""Running one program both ways: by the oracle, and compiled."""

from __future__ import annotations

import io
import linecache
from collections.abc import Callable
from contextlib import redirect_stdout
from types import ModuleType
from typing import Any

from flint.lang.errors import ScriptError
from flint.runtime.context import run
from flintc import compiler, execute
from flintc.analysis import sharing, usage
from flintc.analysis.callees import Callees
from flintc.analysis.depth import call_depths
from flintc.analysis.infer import infer
from flintc.analysis.ranges import Ranges
from flintc.analysis.resolve import resolve
from flintc.analysis.symbols import Resolution
from flintc.collection import no_collection
from flintc.driver import Compiled
from flintc.emit.context import Facts
from flintc.emit.module import emit_module
from flintc.files import DiskFiles
from flintc.modules import load_program
from flintc.problems import Problems
from flintc.source import SourceFile
from tests.oracle.interpreter import interpret
from tests.oracle.state import Outcome

PATH = "program.rss"
_SCRIPT = "program.py"
_MAGNITUDE = 2**63 - 1
_INFINITY = 0x7FF0_0000_0000_0000


def resolved(text: str, path: str = PATH) -> Resolution | None:
    """Parse and resolve a program; None if it has errors or several modules."""
    problems = Problems()
    modules = load_program(SourceFile(path, text), DiskFiles(), problems)
    resolution = resolve(modules, compiler.host_catalogue(), problems)
    return None if problems.has_errors or len(modules) != 1 else resolution


def expected(text: str, max_steps: int = 200_000) -> Outcome:
    """What the oracle says; `OutOfSteps` for programs that run longer."""
    resolution = resolved(text)
    assert resolution is not None, f"the oracle needs a program without errors:\n{text}"
    return interpret(resolution, max_steps)


@no_collection()
def compiled(text: str) -> Compiled:
    """Compile without the ownership rules: they reject programs that share much, which is what
    has to be tested."""
    problems = Problems()
    modules = load_program(SourceFile(PATH, text), DiskFiles(), problems)
    catalogue = compiler.host_catalogue()
    resolution = resolve(modules, catalogue, problems)
    typing = infer(resolution, catalogue, problems)
    uses = usage.collect(resolution)
    callees = Callees(resolution, typing, uses)
    ranges = Ranges(resolution, typing, uses, callees)
    facts = Facts(
        resolution,
        typing,
        uses,
        sharing.find_copies(resolution, typing, uses),
        ranges,
        call_depths(resolution, callees, ranges),
    )
    options = execute.in_memory_options(record=True)
    return Compiled(problems, [emit_module(facts, resolution.root, options)])


def run_tree(program: Compiled) -> Outcome:
    """Run a compiled program as the tree that was emitted."""
    return _outcome(lambda record: execute.load(program).main(record)())


def run_text(program: Compiled) -> Outcome:
    """Run a compiled program of one module as the Python text that is written to disk."""
    return _outcome(lambda record: _imported(program.modules[-1].text, record).main())


def _imported(text: str, record: execute.Record) -> ModuleType:
    module = ModuleType("generated.program")
    module.__dict__["record"] = record
    # as if the text was in a file: the run time looks failed indices up in it
    linecache.cache[_SCRIPT] = (len(text), None, text.splitlines(keepends=True), _SCRIPT)
    exec(compile(text, _SCRIPT, "exec"), module.__dict__)
    return module


def _outcome(start: Callable[[execute.Record], object]) -> Outcome:
    results: list[dict[str, object]] = []
    output = io.StringIO()
    error = None
    try:
        with redirect_stdout(output):
            run(lambda: start(lambda value: results.append(execute.typed(value))))
    except ScriptError as fault:
        error = str(fault)
    return Outcome(output.getvalue(), results, error)


def comparable(outcome: Outcome) -> tuple[object, ...]:
    """What must be the same; the sign of NaN is open (5.3)."""
    stack = None if outcome.error else [plain(value) for value in outcome.stack]
    return outcome.stdout.replace("-NaN", "NaN"), stack, outcome.error


def plain(value: dict[str, Any]) -> dict[str, Any]:
    """The typed form without what only people need, or what the language leaves open: display of
    floats and the bits of NaN, kinds of callables, the order of maps.
    """
    match value:
        case {"type": "float", "bits": bits}:
            is_nan = int(bits, 16) & _MAGNITUDE > _INFINITY
            return {"type": "float", "bits": "nan" if is_nan else bits}
        case {"type": "callable"}:
            return {"type": "callable"}
        case {"type": "array", "items": items}:
            return {"type": "array", "items": [plain(item) for item in items]}
        case {"type": "map", "entries": entries}:
            entries = [[plain(key), plain(item)] for key, item in entries]
            return {"type": "map", "entries": sorted(entries, key=repr)}
        case _:
            return value
