"""What a native library logs: its errors are kept for messages, the rest is for who asks."""

from __future__ import annotations

import os
import sys

_KEPT_LINES = 100


class NativeLog:
    """The log of one library; with `FLINT_LOG` set, all of it goes to stderr."""

    def __init__(self) -> None:
        self._errors: list[str] = []
        self._verbose = bool(os.environ.get("FLINT_LOG"))

    def add(self, text: str, shown: str, *, is_error: bool) -> None:
        """Take in a piece of the log, which stderr gets as `shown`."""
        if is_error and len(self._errors) < _KEPT_LINES:
            self._errors.append(text)
        if self._verbose:
            sys.stderr.write(shown)

    def complaints(self) -> list[str]:
        """The errors since the last call."""
        errors = self._errors.copy()
        self._errors.clear()
        return errors
