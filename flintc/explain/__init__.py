"""The pages of `flintc explain`: one Markdown file per problem code, beside this module.

A page begins with `# CODE: summary`. Its first block shows a program that has the problem, its
second the same program without it.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

_FOLDER = Path(__file__).parent


@cache
def codes() -> tuple[str, ...]:
    """All codes that have a page, sorted."""
    return tuple(sorted(path.stem for path in _FOLDER.glob("*.md")))


def page(code: str) -> str:
    """The whole page of a code, Markdown."""
    return (_FOLDER / f"{code}.md").read_text(encoding="utf-8")


def summary(code: str) -> str:
    """One sentence on what the code means: the page's title."""
    title, _, _ = page(code).partition("\n")
    return title.removeprefix(f"# {code}: ")
