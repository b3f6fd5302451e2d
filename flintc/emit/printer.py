"""A Python tree as text, with its comments and blank lines; black does the rest."""

from __future__ import annotations

import ast
import re
import textwrap
from collections.abc import Sequence

from flintc.emit import unparse
from flintc.emit.comments import Comments

LINE_LENGTH = 100
_INDENT = "    "
_DEEPEST = 98 * len(_INDENT)  # CPython reads fewer than 100 levels
_FIELD = re.compile(r"\{\((?=[^{}]* if [^{}]* else )")


class Printer:
    def __init__(self, comments: Comments) -> None:
        self.comments = comments
        self.lines: list[str] = []
        self.too_deep: ast.stmt | None = None

    def text(self) -> str:
        return "\n".join(self.lines) + "\n"

    def block(self, statements: Sequence[ast.stmt], indent: str) -> None:
        for number, statement in enumerate(statements):
            if number and statement in self.comments.spaced:
                self.lines.append("")
            self.statement(statement, indent)

    def statement(self, statement: ast.stmt, indent: str, keyword: str = "") -> None:
        self._comment_lines(self.comments.above.get(statement, ()), indent)
        first = len(self.lines)
        if len(indent) > _DEEPEST and self.too_deep is None:
            self.too_deep = statement
        match statement:
            case ast.If():
                self._if(statement, indent, keyword or "if")
            case ast.For() | ast.While():
                self._header(unparse.header(statement), indent)
                self.block(statement.body, indent + _INDENT)
            case ast.FunctionDef() | ast.ClassDef():
                self._header(unparse.header(statement), indent)
                self.block(statement.body, indent + _INDENT)
            case ast.Match():
                self._match(statement, indent)
            case ast.Expr(value=ast.Constant(value=str())):
                # the only strings that stand alone are docstrings; in a module they print as such
                self._header(ast.unparse(ast.Module([statement], [])), indent)
            case _:
                self._header(plain_fields(unparse.statement(statement)), indent)
        behind = self.comments.behind.get(statement)
        if behind:
            self.lines[first] += f"  # {behind}"
        self._comment_lines(self.comments.below.get(statement, ()), indent)

    def _if(self, statement: ast.If, indent: str, keyword: str) -> None:
        self._header(f"{keyword} {unparse.expression(statement.test)}:", indent)
        self.block(statement.body, indent + _INDENT)
        orelse = statement.orelse
        if len(orelse) == 1 and isinstance(orelse[0], ast.If) and not self._has_comments(orelse[0]):
            self.statement(orelse[0], indent, "elif")
        elif orelse:
            self._header("else:", indent)
            self.block(orelse, indent + _INDENT)

    def _has_comments(self, statement: ast.stmt) -> bool:
        return statement in self.comments.above

    def _match(self, statement: ast.Match, indent: str) -> None:
        self._header(f"match {unparse.expression(statement.subject)}:", indent)
        for case in statement.cases:
            pattern = ast.unparse(case.pattern)
            self._header(f"case {pattern}:", indent + _INDENT)
            self.block(case.body, indent + 2 * _INDENT)

    def _header(self, text: str, indent: str) -> None:
        self.lines.extend(indent + line for line in text.split("\n"))

    def _comment_lines(self, lines: Sequence[str], indent: str) -> None:
        for line in fold(lines, indent):
            self.lines.append(f"{indent}# {line}".rstrip())


def plain_fields(text: str) -> str:
    """Without the parentheses that `ast.unparse` puts around conditional expressions in f-strings:
    `f"{('a' if x else 'b')}"`.
    """
    if "{(" not in text:
        return text
    for start in reversed([match.start() for match in _FIELD.finditer(text)]):
        end = text.find(")}", start)
        shorter = f"{text[: start + 1]}{text[start + 2 : end]}{text[end + 1 :]}"
        if end >= 0 and _is_same(shorter, text):
            text = shorter
    return text


def _is_same(text: str, other: str) -> bool:
    try:
        return ast.dump(ast.parse(text)) == ast.dump(ast.parse(other))
    except SyntaxError:
        return False


def fold(lines: Sequence[str], indent: str) -> list[str]:
    """Comment lines that fit; black leaves those alone.

    What is left of a line too long goes before the next line of its paragraph.
    """
    width = LINE_LENGTH - len(indent) - 4
    folded: list[str] = []
    rest = ""
    for line in lines:
        if rest and not line[:1].isalnum():
            folded.append(rest)
            rest = ""
        text = f"{rest} {line}" if rest else line
        rest = ""
        if len(text) > width:
            *full, rest = _wrapped(text, width) or [""]
            folded.extend(full)
        else:
            folded.append(text)
    return [*folded, rest] if rest else folded


def docstring(lines: Sequence[str], indent: str) -> str:
    """The text of a docstring: one line, or lines before a last one for the closing quotes."""
    folded = fold(lines, indent)
    if len(folded) == 1 and len(indent) + len(folded[0]) + 2 * len('"""') > LINE_LENGTH:
        folded = fold(lines, indent + "  ")
    return folded[0] if len(folded) == 1 else "\n".join([*folded, ""])


def _wrapped(line: str, width: int) -> list[str]:
    return textwrap.wrap(line, width, break_long_words=False, break_on_hyphens=False)
