"""Ctrl-C during a call of native code that nothing can stop from outside."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager

_of_command = False


def end_command_on_interrupt() -> None:
    """Say that this process does nothing but run one program as a command."""
    global _of_command
    _of_command = True


@contextmanager
def interruptible() -> Iterator[None]:
    """Ctrl-C ends a command at once inside the block; elsewhere Python handles it afterwards."""
    if not _of_command or threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, signal.SIG_DFL)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
