"""Printing problems."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Literal, TypeAlias

if TYPE_CHECKING:
    from flintc.problems import Problem

FormatChoice: TypeAlias = Literal["text", "json", "github", "sarif"]

MAX_SHOWN = 50  # as text: whoever has more will run the command again


def show_problems(problems: Sequence[Problem], style: FormatChoice) -> None:
    """Text goes to stderr, with colour on a terminal; what other tools read goes to stdout.

    A module that several files use has its problems shown once.
    """
    distinct = list(_distinct(problems))
    if style == "text":
        _show_text(distinct)
    else:
        _print_for_tools(distinct, style)


def _print_for_tools(problems: Sequence[Problem], style: FormatChoice) -> None:
    """JSON as one array of all problems, SARIF as one log, GitHub's commands a line each."""
    import json

    from flintc.cli import reports
    from flintc.render import to_json

    if style == "json":
        print(json.dumps([to_json(problem) for problem in problems]))
    elif style == "sarif":
        print(json.dumps(reports.sarif(problems), indent=2))
    else:
        print("".join(f"{reports.github(problem)}\n" for problem in problems), end="")


def _show_text(problems: Sequence[Problem]) -> None:
    from flintc.problems import Severity
    from flintc.render import render_text

    color = _wants_color()
    errors_first = sorted(problems, key=lambda problem: problem.severity is not Severity.ERROR)
    shown = problems if len(problems) <= MAX_SHOWN else errors_first[:MAX_SHOWN]
    for problem in shown:
        print(render_text(problem, color=color), file=sys.stderr)
    if len(problems) > len(shown):
        print(f"and {len(problems) - len(shown)} more", file=sys.stderr)


def _distinct(problems: Sequence[Problem]) -> Iterator[Problem]:
    seen = set()
    for problem in problems:
        span = problem.span
        place = None if span is None else (span.file.path, span.start, span.end)
        key = (problem.code, problem.title, place)
        if key not in seen:
            seen.add(key)
            yield problem


def _wants_color() -> bool:
    import os

    return sys.stderr.isatty() and "NO_COLOR" not in os.environ
