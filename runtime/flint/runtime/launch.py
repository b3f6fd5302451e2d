"""Running a program as a command: print its output or its error, and give an exit code."""

from __future__ import annotations

import os
import re
import sys
import traceback
from collections.abc import Callable, Sequence

from flint.lang.errors import HostError
from flint.output import ScriptTextOutput, printed
from flint.report import error_report
from flint.runtime.context import run
from flint.runtime.interrupts import end_command_on_interrupt
from flint.script_frames import program_frames
from flint.text_stream import TextStream

INTERRUPTED = 130
STREAM = "--stream"
_HOST_FUNCTION = re.compile(r"\w+::")


def run_main(main: Callable[[], object]) -> int:
    """Run a generated module's `main` with the command line's arguments; the exit code."""
    words, stream = _own_words(sys.argv[1:])
    on_text = stream.write if stream else None
    return run_command(lambda: run(main, words, on_text=on_text), stream)


def _own_words(words: list[str]) -> tuple[list[str], TextStream | None]:
    """The script's words; `--stream` before or behind them is ours, once."""
    if words[-1:] == [STREAM]:
        return words[:-1], TextStream()
    if words[:1] == [STREAM]:
        return words[1:], TextStream()
    return words, None


def run_command(
    produce: Callable[[], ScriptTextOutput | None],
    stream: TextStream | None = None,
    *,
    show_places: bool = False,
) -> int:
    """Print what `produce` returns and give 0; an error is reported on stderr and gives 1.

    What `stream` printed meanwhile is not printed again. Errors come with their places in the
    script, but for those of host functions, most often caused by the user's words or files: theirs
    need `show_places`. With `FLINT_TRACEBACK` in the environment the program's Python traceback
    comes as well, with `FLINT_TRACEBACK=full` also our own frames.
    """
    _replace_closed_streams()
    _use_utf8()
    end_command_on_interrupt()
    try:
        output = produce()
        if output is not None:
            sys.stdout.write(printed(output, stream))
        sys.stdout.flush()
    except BrokenPipeError:
        _discard_stdout()
        return 1
    except KeyboardInterrupt:
        _end_line(stream)
        return INTERRUPTED
    except Exception as error:
        _end_line(stream)  # what the program printed before it failed comes first
        _report(error, show_places or not _is_refusal(error))
        return 1
    return 0


def _end_line(stream: TextStream | None) -> None:
    """Print what is left, and end its line; if it cannot be written (a full disk), it is lost."""
    try:
        if stream is not None:
            sys.stdout.write(stream.line_end())
        sys.stdout.flush()
    except OSError:
        _discard_stdout()


def _is_refusal(error: Exception) -> bool:
    """Whether a host function, which its text names, refused something."""
    return isinstance(error, HostError) and _HOST_FUNCTION.match(error.message) is not None


def _report(error: Exception, places: bool) -> None:
    # What the program printed before it failed comes first.
    sys.stdout.flush()
    wants_traceback = bool(os.environ.get("FLINT_TRACEBACK"))
    if wants_traceback:
        shown = error.with_traceback(program_frames(error.__traceback__))
        traceback.print_exception(shown)  # with the notes, the places in the script
    print(error_report(error, notes=places and not wants_traceback), file=sys.stderr)


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
