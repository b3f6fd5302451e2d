"""The lines that the conformance suite gives errors: those of statements, not of expressions.

Messages for people point at the expression itself. The suite's reference knows the first line of
the innermost statement, and for the last expression of a function the line on which that begins
(language reference 9.1, 9.2, 9.4).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, get_args

from flintc.analysis.walk import children
from flintc.problems import Problems
from flintc.source import SourceFile, Span
from flintc.syntax import nodes
from flintc.syntax.parser import parse

_STATEMENTS: Final = get_args(nodes.Statement)


def statement_line(file: SourceFile, offset: int) -> int:
    """The line of the innermost statement around a place in a file that parses."""
    line = file.position(offset).line
    node: nodes.Node | None = parse(file, Problems())
    while node is not None:
        parent, node = node, _around(node, offset)
        is_statement = isinstance(node, _STATEMENTS) or isinstance(parent, nodes.Function)
        if node is not None and is_statement:
            line = _start(node).line
    return line


def line_of_running(file: SourceFile, line: int) -> int:
    """As `statement_line`, where all that is known of an error is its line."""
    text = file.line_text(line)
    offset = file.line_start(line) + len(text) - len(text.lstrip())
    begun = line in _first_lines(parse(file, Problems()))
    return line if begun else statement_line(file, offset)


def _around(node: nodes.Node, offset: int) -> nodes.Node | None:
    parts = children(node)
    return next((part for part in parts if part.span.start <= offset < part.span.end), None)


def _start(node: nodes.Node) -> Span:
    return node.value.span if isinstance(node, nodes.ValueBlock) else node.span


def _first_lines(program: nodes.Program) -> set[int]:
    return {node.span.line for node in _all(program) if isinstance(node, _STATEMENTS)}


def _all(root: nodes.Node) -> Iterator[nodes.Node]:
    stack = [root]
    while stack:
        node = stack.pop()
        yield node
        stack.extend(children(node))
