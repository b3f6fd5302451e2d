"""What a reader probably meant by a token that does not fit: the `help` lines of syntax errors."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import get_close_matches
from typing import Final

from flintc.syntax.tokens import LITERAL_KINDS, NAME, Token

_STATEMENT_WORDS: Final = ("use", "struct", "let", "for", "while", "if", "break", "continue", "pub")
# Words of other languages, met as a name directly before or at the token that does not fit.
_FOREIGN_WORDS: Final = {
    "return": "there is no `return`: the last expression of a block is its value",
    "loop": "there is no `loop`: write `while true { … }`",
    "const": "write `let`: variables are immutable unless declared `let mut`",
    "var": "write `let mut`",
    "static": "write `let`",
    "def": "functions are declared with `fn`",
    "function": "functions are declared with `fn`",
    "elif": "write `else if`",
    "and": "write `&&`",
    "or": "write `||`",
    "not": "write `!`",
    "import": "write `use`",
    "from": "write `use path::{name};`",
}
_FOREIGN_TOKENS: Final = {
    "as": "there is no `as` conversion",
    "?": "there is no `? :`: write `if condition => { a } else => { b }`",
    "(": "only names can be called: bind the function with `let` first",
    "&": "there are no bit operators; `&&` is the logical and",
    "|": "there are no bit operators; `||` is the logical or",
    "+=": "`+=` changes a plain variable only: write `target = target + …;`",
    "=": "only `name`, `name.field` and `name[index]` can be assigned",
    "=>": "here `if` is a statement: write `if condition { … }`, or put the if-expression in"
    " parentheses",
    "{": "a `{` here starts no block",
}


def _neighbour(tokens: Sequence[Token], index: int) -> Token | None:
    return tokens[index] if 0 <= index < len(tokens) else None


def unexpected_token(tokens: Sequence[Token], index: int) -> str | None:
    """Help for a token that stands where something else is required."""
    token, before = tokens[index], _neighbour(tokens, index - 1)
    if token.kind == NAME and token.text in _FOREIGN_WORDS and token.text in ("and", "or"):
        return _FOREIGN_WORDS[token.text]
    if token.kind == ">=" and before is not None and before.kind in (NAME, ">", "]", "?"):
        return "`>=` is one token: put a space before `=`"
    if before is None:
        return None
    if before.kind == NAME:
        return _after_name(before, token)
    if before.kind in LITERAL_KINDS and token.kind in (".", "[", "?"):
        return f"put the literal in parentheses: `({before.text[:20]}){token.text}…`"
    return _FOREIGN_TOKENS.get(token.kind)


def _after_name(before: Token, token: Token) -> str | None:
    if before.text in _FOREIGN_WORDS:
        return _FOREIGN_WORDS[before.text]
    if token.kind == "{":
        return "values of a struct are written `{field: value}`, with the struct as declared type"
    if token.kind == "(":
        return f"there are no methods: write `{before.text}(value, …)`"
    if token.kind in (NAME, "(", "{"):
        close = get_close_matches(before.text, _STATEMENT_WORDS, 1, 0.7)
        if close:
            return f"did you mean `{close[0]}`?"
    return _FOREIGN_TOKENS.get(token.kind)


def no_expression(tokens: Sequence[Token], index: int) -> str | None:
    """Help for a token that starts no expression."""
    token, before = tokens[index], _neighbour(tokens, index - 1)
    earlier = _neighbour(tokens, index - 2)
    if token.kind == "fn":
        return "a function value is written `|x| expression`"
    if token.kind in ("let", "while", "for", "break", "continue", "struct", "use"):
        return f"`{token.kind}` is a statement and has no value"
    if token.kind == "+" or (before is not None and before.kind == "+"):
        return "there is no `++`: write `name += 1;`"
    if token.kind == "=" and before is not None and earlier is not None and earlier.kind == NAME:
        name = earlier.text
        return f"there is no `{before.text}=`: write `{name} = {name} {before.text} …;`"
    if token.kind == "else":
        return "this `else` belongs to no `if`"
    return None
