"""Text on stdout while a program makes it, and afterwards only what is missing there."""

from __future__ import annotations

import sys


class TextStream:
    """What `--stream` printed so far."""

    def __init__(self) -> None:
        self._pieces: list[str] = []

    def write(self, piece: str) -> None:
        """Print a piece at once."""
        self._pieces.append(piece)
        sys.stdout.write(piece)
        sys.stdout.flush()

    def line_end(self) -> str:
        """The line feed that ends what was printed, if it does not end with one."""
        return "" if not self._pieces or self._pieces[-1].endswith("\n") else "\n"

    def rest(self, published: str) -> str:
        """What is still to be printed of the published text, with its line feed.

        Nothing is printed twice: the rest alone if the text begins with what was printed, nothing
        if they differ in blanks at their ends only. Another text follows on a line of its own.
        """
        printed = "".join(self._pieces)
        if published.startswith(printed):
            return f"{published[len(printed):]}\n" if published else ""
        if published.strip() in ("", printed.strip()):
            return self.line_end()
        return f"{self.line_end()}{published}\n"
