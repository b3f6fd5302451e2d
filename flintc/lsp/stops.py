"""Where a breakpoint can stop: debuggers take any line of a file that is not Python as it is."""

from __future__ import annotations

from bisect import bisect_left
from typing import Final

from flintc.problems import Problems
from flintc.source import SourceFile
from flintc.syntax.lexer import tokenize
from flintc.syntax.tokens import END

_SILENT: Final = frozenset((")", "]", "}", ";", ",", "else", "{", "=>", END))


def stop_line(text: str, line: int) -> int | None:
    """The first line with code from `line` on, both from 0; None if there is none.

    Comments, empty lines, brackets and `else` are no code.
    """
    source = SourceFile("", text)
    tokens, _ = tokenize(source, Problems())
    starts = (token.start for token in tokens if token.kind not in _SILENT)
    lines = sorted({source.position(start).line - 1 for start in starts})
    at = bisect_left(lines, line)
    return lines[at] if at < len(lines) else None
