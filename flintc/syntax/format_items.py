"""What the formatter lays out: tokens and comments in one list, each with its role."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum, auto
from typing import Final

from flintc.syntax.nodes import Comment
from flintc.syntax.tokens import END, Token

COMMENT: Final = "comment"


class Role(Enum):
    """What a token does where it stands; decides the spaces and line breaks around it."""

    WORD = auto()  # names and literals
    KEYWORD = auto()
    BINARY = auto()  # an operator between two values, and `+=`
    ASSIGN = auto()  # `=` and `=>`
    UNARY = auto()
    ARROW = auto()  # either half of `->`
    PATH = auto()  # either half of `::`
    DOT = auto()  # `.`, and either half of `?.`
    RANGE = auto()
    QUESTION = auto()  # after a type
    COLON = auto()
    SLICE_COLON = auto()
    COMMA = auto()  # between the parts of a delimiter
    INNER_COMMA = auto()  # between type arguments or closure parameters
    SEMICOLON = auto()
    OPEN = auto()
    CLOSE = auto()
    ANGLE_OPEN = auto()
    ANGLE_CLOSE = auto()
    BAR_OPEN = auto()
    BAR_CLOSE = auto()
    NO_PARAMETERS = auto()  # the `||` of a closure
    COMMENT = auto()
    END = auto()


class Delimiter(Enum):
    """What a bracket encloses."""

    PAREN = auto()
    BRACKET = auto()
    COLLECTION = auto()
    BLOCK = auto()
    MATCH = auto()
    STRUCT = auto()

    @property
    def is_body(self) -> bool:
        """Whether each part stands on a line of its own."""
        return self in (Delimiter.BLOCK, Delimiter.MATCH, Delimiter.STRUCT)


@dataclass(slots=True, eq=False)
class Item:
    """A token or comment. `newlines` counts the line feeds before it in the source text."""

    kind: str
    text: str
    newlines: int
    index: int
    role: Role = Role.WORD
    delimiter: Delimiter | None = None  # of OPEN and CLOSE
    partner: Item | None = None  # of OPEN and CLOSE that have one
    second_half: bool = False  # of `->`, `::`, `?.`
    in_angles: bool = False  # inside `<…>`, or its closing bracket
    has_commas: bool = False  # of OPEN: commas directly inside
    ends_statement: bool = False  # a `}` after which nothing of the statement can follow
    space: str = ""  # what stands before it on a line
    offset: int = 0  # columns before it, had everything been on one line
    commas: int = 0  # how many commas stand before it

    @property
    def is_line_comment(self) -> bool:
        return self.role is Role.COMMENT and self.text.startswith("//")

    @property
    def is_multiline_comment(self) -> bool:
        return self.role is Role.COMMENT and "\n" in self.text


def make_items(text: str, tokens: Sequence[Token], comments: Sequence[Comment]) -> list[Item]:
    """Tokens and comments in the order of the text; the last is the end of the file."""
    items: list[Item] = []
    end = 0
    for kind, part, start in _merged(tokens, comments):
        role = Role.COMMENT if kind == COMMENT else Role.WORD
        items.append(Item(kind, part, text.count("\n", end, start), len(items), role))
        end = start + len(part)
    return items


def _merged(tokens: Sequence[Token], comments: Sequence[Comment]) -> Iterator[tuple[str, str, int]]:
    left = iter(comments)
    comment = next(left, None)
    for token in tokens:
        while comment is not None and (comment.span.start < token.start or token.kind == END):
            yield COMMENT, comment.text, comment.span.start
            comment = next(left, None)
        yield token.kind, token.text, token.start
