"""The commands that write no files: check, run, exec."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from flintc import compiler
from flintc.cli.output import FormatChoice, show_problems
from flintc.host_modules import look_here

if TYPE_CHECKING:
    from flint.output import ScriptTextOutput
    from flintc.problems import Problem


def check(files: Sequence[str], style: FormatChoice, hosts: Sequence[str] = ()) -> int:
    """Check every file; 1 if any has errors."""
    look_here(hosts)
    problems: list[Problem] = []
    failed = False
    for file in files:
        found = compiler.check_file(file, host=hosts)
        problems.extend(found.items)
        failed |= found.has_errors
    show_problems(problems, style)
    return int(failed)


def run(
    file: str,
    args: Sequence[str],
    device: str | None,
    hosts: Sequence[str] = (),
    *,
    debug_port: int | None = None,
) -> int:
    """Compile and run; the exit code. With `debug_port` wait for a debugger if none is there."""
    from flintc import execute

    look_here(hosts)
    compiled = compiler.compile_file(file, execute.in_memory_options(), host=hosts)
    show_problems(compiled.problems.items, "text")
    if not compiled.ok:
        return 1
    from flint.runtime.context import run as run_program
    from flint.runtime.launch import run_command
    from flint.runtime.session import Session

    program = execute.load(compiled, absolute=debug_port is not None)

    def run_it() -> ScriptTextOutput:
        if debug_port is not None:
            from flint.debug import wait_for_debugger

            wait_for_debugger(debug_port)
        return run_program(program.main(), args, session=Session(device))

    return run_command(run_it, show_places=True)


def execute(file: str, hosts: Sequence[str] = ()) -> int:
    """Run and print the outcome as JSON; 0 if the program ended without error."""
    look_here(hosts)
    from flintc.execute import run_json

    outcome = run_json(file, host=hosts)
    sys.stdout.write(json.dumps(outcome, ensure_ascii=True) + "\n")
    return int(outcome["status"] != "ok")
