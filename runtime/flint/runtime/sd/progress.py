"""The bar on the terminal while the library works."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

from flint.progress import Progress
from flint.runtime.sd.native import Listener


@contextmanager
def progress_bar(title: str) -> Iterator[Listener | None]:
    """What to tell about progress; None where nobody watches or the log is shown."""
    progress = Progress(title, 1, unit="step")
    if not progress.visible or os.environ.get("FLINT_LOG"):
        yield None
        return

    def show(step: int, steps: int, _: float) -> None:
        nonlocal progress
        if steps != progress.total:  # the library's next task
            progress.hide()
            progress = Progress(title, steps, unit="step")
        progress.show_at(step)

    try:
        yield show
    finally:
        progress.hide()
