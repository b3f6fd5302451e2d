"""An error as the command line prints it (cli-and-embedding.md 1.1)."""

from __future__ import annotations

from collections.abc import Iterator
from textwrap import indent

from flint.lang.errors import ScriptError


class UserError(Exception):
    """A failure that users can mend themselves, such as a script that cannot be read."""

    def __init__(self, message: str) -> None:
        super().__init__(one_line(message))


def one_line(text: str) -> str:
    """The text with escapes for what would begin a line or steer a terminal: names may have it."""
    if text.isprintable():
        return text
    return "".join(char if char.isprintable() else repr(char)[1:-1] for char in text)


def error_report(error: BaseException, notes: bool = True) -> str:
    """`Error: …`, then the causes if there are any, then the notes: the places in the script."""
    causes = [_message(cause) for cause in _causes(error)]
    lines = [f"Error: {_message(error)}"]
    if causes:
        lines += ["", "Caused by:", *_indented(causes)]
    if notes:
        lines += [indent(note, "  ") for note in getattr(error, "__notes__", ())]
    return "\n".join(lines)


def _causes(error: BaseException) -> Iterator[BaseException]:
    cause = error.__cause__
    while cause is not None:
        yield cause
        cause = cause.__cause__


def _indented(causes: list[str]) -> Iterator[str]:
    for number, cause in enumerate(causes):
        yield f"    {cause}" if len(causes) == 1 else f"    {number}: {cause}"


def _message(error: BaseException) -> str:
    if isinstance(error, ScriptError | UserError | OSError):
        return str(error)
    return f"{type(error).__name__}: {error} (FLINT_TRACEBACK=full shows where)"
