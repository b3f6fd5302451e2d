"""A progress bar on stderr for what takes long; on a terminal only, and gone afterwards."""

from __future__ import annotations

import os
import sys
import time
from typing import Any

PATIENCE_SECONDS = 0.5
"""No bar appears for what is done sooner."""
shown: set[Progress] = set()
"""Those whose bars are on the terminal."""
_COLUMNS, _ROWS = 80, 24


class Progress:
    """How much of `total` bytes is done, or of what else `unit` says."""

    def __init__(self, label: str, total: int, unit: str = "B") -> None:
        self.visible = sys.stderr is not None and sys.stderr.isatty()
        self.total = total
        self._label, self._done, self._unit = label, 0, unit
        self._start = time.monotonic()
        self._bar: Any = None

    def advance(self, amount: int) -> None:
        """So much more is done."""
        self._done += amount
        if self._done >= self.total:
            self.hide()
        elif self.visible and time.monotonic() - self._start >= PATIENCE_SECONDS:
            self.show()

    def reach(self, part: float) -> None:
        """That part of everything is done, 1.0 at the end."""
        self.advance(round(part * self.total) - self._done)

    def show_at(self, done: int) -> None:
        """So much is done, and the bar says so at once: for steps that take seconds each."""
        self._done = done
        self.show()
        if self._bar is not None:
            self._bar.refresh()

    def hide(self) -> None:
        """Take the bar off the terminal; the next step brings it back."""
        if self._bar is not None:
            self._bar.close()
            self._bar = None
            shown.discard(self)

    def show(self) -> None:
        """Bring the bar up to date, without patience."""
        if not self.visible:
            return
        if self._bar is None:
            from tqdm import tqdm

            self._bar = tqdm(
                desc=self._label,
                total=self.total,
                initial=self._done,
                unit=self._unit,
                unit_scale=self._unit == "B",
                leave=False,
                file=sys.stderr,
                ncols=_columns(),
                nrows=_ROWS,
            )
            shown.add(self)
        self._bar.update(self._done - self._bar.n)


def _columns() -> int:
    """The terminal's width; containers often give one of unknown size, where tqdm draws nothing."""
    try:
        return os.get_terminal_size(sys.stderr.fileno()).columns or _COLUMNS
    except OSError:
        return _COLUMNS
