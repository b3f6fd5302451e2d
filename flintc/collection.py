"""Garbage collection, put off while the compiler works."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def no_collection() -> Iterator[None]:
    """Trees grow and stay: looking for garbage in them again and again takes a third of the time.

    Nothing leaks, the next collection finds the cycles.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()
