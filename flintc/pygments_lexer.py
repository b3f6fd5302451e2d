"""RustScript for Pygments (Sphinx, MkDocs, notebooks): the compiler's own tokens, with colours."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar, Final

from pygments import token as kinds
from pygments.lexer import Lexer

from flintc.analysis.resolve_calls import CALLABLE_BUILTINS
from flintc.problems import Problems
from flintc.source import SourceFile
from flintc.syntax.lexer import tokenize
from flintc.syntax.tokens import BYTES, END, FLOAT, INT, KEYWORDS, NAME, STRING, Token

_LITERALS: Final = {
    STRING: kinds.String,
    BYTES: kinds.String,
    INT: kinds.Number.Integer,
    FLOAT: kinds.Number.Float,
    "true": kinds.Keyword.Constant,
    "false": kinds.Keyword.Constant,
    "null": kinds.Keyword.Constant,
}
_DECLARING: Final = {"fn": kinds.Name.Function, "struct": kinds.Name.Class}
_PUNCTUATION: Final = "(){}[],;:."
_TYPES: Final = frozenset({"int", "float", "number", "bool", "string", "bytes", "array", "map"})


class RustScriptLexer(Lexer):  # type: ignore[misc]  # Pygments has no annotations
    """Lexer of `.rss` files; text between tokens that is no comment is white space."""

    name = "RustScript"
    url = ""
    aliases: ClassVar = ["rustscript", "rss"]
    filenames: ClassVar = ["*.rss"]

    def get_tokens_unprocessed(self, text: str) -> Iterator[tuple[int, object, str]]:
        """Offset, kind and text of everything in `text`, without gaps."""
        at = 0
        for start, end, kind in _pieces(text):
            if start > at:
                yield at, _gap(text[at:start]), text[at:start]
            yield start, kind, text[start:end]
            at = end
        if at < len(text):
            yield at, _gap(text[at:]), text[at:]


def _gap(text: str) -> object:
    """White space, or what is no token (an unfinished comment, a stray character)."""
    return kinds.Whitespace if text.isspace() else kinds.Error


def _pieces(text: str) -> list[tuple[int, int, object]]:
    tokens, comments = tokenize(SourceFile("", text), Problems())
    pieces = [
        (token.start, token.end, _kind(tokens, at))
        for at, token in enumerate(tokens)
        if token.kind != END
    ]
    for comment in comments:
        kind = kinds.Comment.Single if comment.text.startswith("//") else kinds.Comment.Multiline
        pieces.append((comment.span.start, comment.span.end, kind))
    return sorted(pieces, key=lambda piece: piece[0])


def _kind(tokens: list[Token], at: int) -> object:
    token = tokens[at]
    if token.kind in _LITERALS:
        return _LITERALS[token.kind]
    if token.kind == NAME:
        return _name(tokens, at)
    if token.kind in KEYWORDS:
        return kinds.Keyword
    return kinds.Punctuation if token.kind in _PUNCTUATION else kinds.Operator


def _name(tokens: list[Token], at: int) -> object:
    before = tokens[at - 1].kind if at else ""
    after = tokens[at + 1].kind
    if before in _DECLARING:
        return _DECLARING[before]
    if after == ":" and tokens[at + 2].kind == ":":
        return kinds.Name.Namespace
    if after == "(" and tokens[at].text in CALLABLE_BUILTINS:
        return kinds.Name.Builtin
    if before in (":", "<", "[", ">", ",") and tokens[at].text in _TYPES and after != "(":
        return kinds.Keyword.Type
    return kinds.Name.Function if after == "(" else kinds.Name
