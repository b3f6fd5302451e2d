"""A progress bar on stderr for what takes long; on a terminal only, and gone afterwards."""

from __future__ import annotations

import sys
import time
from typing import Any

PATIENCE_SECONDS = 0.5
"""No bar appears for what is done sooner."""
shown: set[Progress] = set()
"""Those whose bars are on the terminal."""


class Progress:
    """How much of `total` bytes is done, or of what else `unit` says."""

    def __init__(self, label: str, total: int, unit: str = "B") -> None:
        self.visible = sys.stderr is not None and sys.stderr.isatty()
        self._label, self._total, self._done, self._unit = label, total, 0, unit
        self._start = time.monotonic()
        self._bar: Any = None

    def advance(self, amount: int) -> None:
        """So much more is done."""
        self._done += amount
        if self._done >= self._total:
            self.hide()
        elif self.visible and time.monotonic() - self._start >= PATIENCE_SECONDS:
            self.show()

    def reach(self, part: float) -> None:
        """That part of everything is done, 1.0 at the end."""
        self.advance(round(part * self._total) - self._done)

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
                total=self._total,
                initial=self._done,
                unit=self._unit,
                unit_scale=self._unit == "B",
                leave=False,
                file=sys.stderr,
            )
            shown.add(self)
        self._bar.update(self._done - self._bar.n)
