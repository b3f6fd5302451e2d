"""Running a program as a command: print its output or its error, and give an exit code."""

from __future__ import annotations

import os
import sys
import traceback
from collections.abc import Callable, Sequence

from flint.output import ScriptTextOutput, printed
from flint.report import error_report
from flint.runtime.context import run

INTERRUPTED = 130


def run_main(main: Callable[[], object]) -> int:
    """Run a generated module's `main` with the command line's arguments; the exit code."""
    return run_command(lambda: run(main, sys.argv[1:]))


def run_command(produce: Callable[[], ScriptTextOutput | None]) -> int:
    """Print what `produce` returns and give 0; an error is reported on stderr and gives 1.

    With `FLINT_TRACEBACK=full` in the environment errors come with their Python traceback.
    """
    _replace_closed_streams()
    _use_utf8()
    try:
        output = produce()
        if output is not None:
            sys.stdout.write(printed(output))
        sys.stdout.flush()
    except BrokenPipeError:
        _discard_stdout()
        return 1
    except KeyboardInterrupt:
        return INTERRUPTED
    except Exception as error:
        _report(error)
        return 1
    return 0


def _report(error: Exception) -> None:
    # What the program printed before it failed comes first.
    sys.stdout.flush()
    if os.environ.get("FLINT_TRACEBACK") == "full":
        traceback.print_exception(error)
    print(error_report(error), file=sys.stderr)


def _replace_closed_streams() -> None:
    """What goes to a stream that was closed before the start (`>&-`) is lost, as with `print`."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115


def _use_utf8() -> None:
    """Print text as UTF-8 with plain line feeds, whatever the platform's habits."""
    streams: Sequence[object] = (sys.stdout, sys.stderr)
    for stream in streams:
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(encoding="utf-8", errors="backslashreplace", newline="\n")


def _discard_stdout() -> None:
    """Nobody reads stdout any more: keep the interpreter from flushing into it at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
