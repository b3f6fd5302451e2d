"""Printing problems."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal, TypeAlias

if TYPE_CHECKING:
    from flintc.problems import Problem

FormatChoice: TypeAlias = Literal["text", "json"]


def show_problems(problems: Sequence[Problem], style: FormatChoice) -> None:
    """Text goes to stderr, with colour on a terminal; JSON (one array) to stdout."""
    if style == "json":
        import json

        from flintc.render import to_json

        print(json.dumps([to_json(problem) for problem in problems], ensure_ascii=False))
        return
    from flintc.render import render_text

    color = _wants_color()
    for problem in problems:
        print(render_text(problem, color=color), file=sys.stderr)


def _wants_color() -> bool:
    import os

    return sys.stderr.isatty() and "NO_COLOR" not in os.environ
