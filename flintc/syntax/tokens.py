"""Tokens of RustScript (language reference 1.2, 1.3).

The kind of a keyword or punctuation token is its text, so the parser compares with what it
expects to read; the other kinds are the constants below.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, TypeAlias

NAME: Final = "name"
INT: Final = "integer"
FLOAT: Final = "float"
STRING: Final = "string"
BYTES: Final = "bytes"
END: Final = "end of file"

LITERAL_KINDS: Final = frozenset({INT, FLOAT, STRING, BYTES, "true", "false", "null"})

KEYWORDS: Final = frozenset(
    {"pub", "use", "as", "fn", "struct", "let", "for", "if", "else", "match", "while"}
    | {"break", "continue", "true", "false", "null"}
)
# Words that begin a statement wherever they stand: safe places to resume after an error.
STATEMENT_KEYWORDS: Final = frozenset(
    {"pub", "use", "fn", "struct", "let", "for", "while", "break", "continue"}
)

# Between two values, and `+=`.
BINARY_OPERATORS: Final = frozenset(
    {"+", "-", "*", "/", "%", "==", "!=", "<", "<=", ">", ">=", "&&", "||", "+="}
)

LONG_PUNCTUATION: Final = ("...", "..=", "..", "+=", "==", "=>", "!=", "<=", ">=", "&&", "||")
SHORT_PUNCTUATION: Final = "+-*/%=!<>&|.()[]{},;:?"

INT_MAX: Final = 2**63 - 1

TokenValue: TypeAlias = int | float | str | bytes | None


@dataclass(slots=True, init=False)
class Token:
    """One token; `start` and `end` are code point offsets.

    `value` is that of a literal. An integer's value may be 2^63: the parser accepts it after a
    unary minus only (1.4).
    """

    kind: str
    text: str
    start: int
    end: int
    value: TokenValue

    # written out, as mypyc leaves that of `dataclass` to the interpreter
    def __init__(
        self, kind: str, text: str, start: int, end: int, value: TokenValue = None
    ) -> None:
        self.kind = kind
        self.text = text
        self.start = start
        self.end = end
        self.value = value


def describe(token: Token) -> str:
    """The token as a message names it."""
    if token.kind == END:
        return "the end of the file"
    first_line, *more = token.text.split("\n", 1)
    if more or len(first_line) > 40:
        return f"`{first_line[:37]}…`"
    return f"`{first_line}`"
