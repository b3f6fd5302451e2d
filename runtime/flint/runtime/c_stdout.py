"""Keeping what native code prints off stdout, which is for the program's own output."""

from __future__ import annotations

import ctypes
import os
import platform
import sys
from collections.abc import Iterator
from contextlib import contextmanager

# How C calls its standard output, where that can be set.
_VARIABLES = {"glibc": "stdout", "darwin": "__stdoutp"}


@contextmanager
def c_stdout_dropped() -> Iterator[None]:
    """Drop what C prints to stdout inside the block.

    C's variable is set, not the file descriptor: other threads of Python may print meanwhile.
    """
    c, variable = ctypes.CDLL(None), _VARIABLES.get(platform.libc_ver()[0] or sys.platform)
    if variable is None:
        yield
        return
    c.fopen.restype, c.fclose.argtypes = ctypes.c_void_p, [ctypes.c_void_p]
    stdout = ctypes.c_void_p.in_dll(c, variable)
    before, nowhere = stdout.value, c.fopen(os.devnull.encode(), b"w")
    stdout.value = nowhere
    try:
        yield
    finally:
        stdout.value = before
        c.fclose(nowhere)
