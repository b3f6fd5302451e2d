"""`runtime::`: waiting and leaving (language.md 6.9)."""

import time
from typing import NoReturn

from flint.lang.errors import HostError, ProgramExit
from flint.lang.kinds import expect

_MILLISECONDS = 1000
_LONGEST_SLEEP = 86_400 * _MILLISECONDS


def sleep(milliseconds: int) -> bool:
    """Wait; returns true. `HostError` for a negative time."""
    expect(milliseconds, int)
    if milliseconds < 0:
        raise HostError(f"runtime::sleep expects non-negative milliseconds, got {milliseconds}")
    while milliseconds > _LONGEST_SLEEP:  # the system call has a limit, the language none
        time.sleep(_LONGEST_SLEEP / _MILLISECONDS)
        milliseconds -= _LONGEST_SLEEP
    time.sleep(milliseconds / _MILLISECONDS)
    return True


def exit() -> NoReturn:
    """End the program now, successfully; the results left so far stay."""
    raise ProgramExit
