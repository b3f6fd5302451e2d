"""A file to its syntax tree. Parsing never fails: what cannot be read is reported and stands in
the tree as `ErrorExpr` or `ErrorStatement`."""

from __future__ import annotations

from flintc.problems import Problem, Problems
from flintc.source import SourceFile, Span
from flintc.stack import allow_deep_recursion
from flintc.syntax.lexer import tokenize
from flintc.syntax.nodes import Program, Statement
from flintc.syntax.parser_statements import StatementParser
from flintc.syntax.tokens import END


def parse(file: SourceFile, problems: Problems) -> Program:
    """The tree of a whole file; problems are added in the order of their places.

    Lexical problems hide those of the grammar (language reference 1.9).
    """
    allow_deep_recursion()
    lexical, grammatical = Problems(), Problems()
    tokens, comments = tokenize(file, lexical)
    parser = StatementParser(file, tokens, grammatical)
    statements = _statements(parser)
    for problem in sorted(lexical.items or grammatical.items, key=_start):
        problems.add(problem)
    span = Span(file, 0, len(file.text))
    declarations = sorted(parser.declarations, key=lambda node: node.span.start)
    return Program(span, file, tuple(statements), tuple(comments), tuple(declarations))


def _statements(parser: StatementParser) -> list[Statement]:
    statements: list[Statement] = []
    while parser.kind != END:
        if parser.kind == "}":
            token = parser.advance()
            hint = "remove it, or look for a missing `{` before"
            span = parser.span(token.start)
            parser.report("E_UNEXPECTED_CLOSING", "this `}` closes nothing", span, help=hint)
        else:
            statements.append(parser.statement(in_value_block=False))
    return statements


def _start(problem: Problem) -> int:
    return problem.span.start if problem.span else 0
