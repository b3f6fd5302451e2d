"""A bar on the terminal while the library works."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from flint.runtime.sd.native import Listener

_WIDTH = 30
_CLEAR = "\r\x1b[K"


@contextmanager
def progress_bar(title: str) -> Iterator[Listener | None]:
    """What to tell about progress; None where nobody watches or the log is shown."""
    if sys.stderr is None or not sys.stderr.isatty() or os.environ.get("FLINT_LOG"):
        yield None
        return

    def show(step: int, steps: int, seconds: float) -> None:
        sys.stderr.write(_CLEAR + _line(title, step, steps, seconds))
        sys.stderr.flush()

    try:
        yield show
    finally:
        sys.stderr.write(_CLEAR)
        sys.stderr.flush()


def _line(title: str, step: int, steps: int, seconds: float) -> str:
    filled = _WIDTH * step // steps if steps else 0
    bar = "#" * filled + "." * (_WIDTH - filled)
    speed = f"  {seconds:.1f} s each" if step and seconds >= 0.1 else ""
    return f"{title} [{bar}] {step}/{steps}{speed}"
