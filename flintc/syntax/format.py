"""The source formatter: `flintc fmt` (language reference 10.5).

It re-emits the tokens and comments of a file with other white space. It does not parse, so it
formats every file that consists of tokens, and formatting twice changes nothing more.
"""

from __future__ import annotations

from flintc.problems import Problems
from flintc.source import SourceFile
from flintc.syntax.format_items import make_items
from flintc.syntax.format_layout import lay_out
from flintc.syntax.format_roles import assign_roles
from flintc.syntax.lexer import tokenize


class FormatFault(Exception):
    """Formatting would have changed more than white space: a defect of flintc."""


def format_source(file: SourceFile, problems: Problems) -> str | None:
    """The formatted text; None if the file has lexical problems, which are reported."""
    found = Problems()
    tokens, comments = tokenize(file, found)
    if found.items:
        for problem in found.items:
            problems.add(problem)
        return None
    items = make_items(file.text, tokens, comments)
    assign_roles(items)
    text = lay_out(items)
    if _words(SourceFile(file.path, text)) != _words(file):
        raise FormatFault(f"{file.path}: formatting would change the program")
    return text


def _words(file: SourceFile) -> tuple[list[tuple[str, str]], list[str]]:
    """Tokens and comments, without their places."""
    tokens, comments = tokenize(file, Problems())
    return [(token.kind, token.text) for token in tokens], [comment.text for comment in comments]
