"""What a reader probably meant by a token that does not fit: the `help` lines of syntax errors."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import get_close_matches
from typing import Final

from flintc.syntax.tokens import (
    BINARY_OPERATORS,
    FLOAT,
    INT,
    KEYWORDS,
    LITERAL_KINDS,
    NAME,
    STATEMENT_KEYWORDS,
    STRING,
    Token,
)

# Words of other languages that stand before the token at which they are noticed...
_WORDS_BEFORE: Final = {
    "return": "there is no `return`: the last expression of a block is its value",
    "loop": "there is no `loop`: write `while true { … }`",
    "const": "write `let`: variables are immutable unless declared `let mut`",
    "var": "write `let mut`",
    "def": "functions are declared with `fn`",
    "function": "functions are declared with `fn`",
    "elif": "write `else if`",
    "not": "write `!`",
    "from": "write `use path::{name};`",
    "length": "write `.length` without parentheses",
    "keys": "write `.keys` without parentheses",
}
# ... and such that are themselves noticed.
_WORDS: Final = {"and": "write `&&`", "or": "write `||`", "is": "write `==`"}
_TOKENS: Final = {
    "as": "there is no `as` conversion",
    "?": "there is no `? :`: write `if condition => { a } else => { b }`",
    "(": "only names can be called: bind the function with `let` first",
    "&": "there are no bit operators; `&&` is the logical and",
    "|": "there are no bit operators; `||` is the logical or",
    "+=": "`+=` changes a plain variable only: write `target = target + …;`",
    "=": "only `name`, `name.field` and `name[index]` can be assigned",
    "=>": "`if` is a statement here: write `if condition { … }`, or parenthesize the expression",
}
_PLUS: Final = ("a single value has no `+` before it", "there is no `++`: write `name += 1;`")
_CLOSES_NOTHING: Final = {")": "(", "]": "["}
_STATEMENT_WORDS: Final = sorted(STATEMENT_KEYWORDS | {"if", "match"})


def unexpected_token(tokens: Sequence[Token], index: int, expected: str) -> str | None:
    """Help for a token that stands where one of the kind `expected` is required."""
    token = tokens[index]
    if token.kind in _CLOSES_NOTHING and expected == ";":
        return f"look for a missing `{_CLOSES_NOTHING[token.kind]}`, or remove this `{token.kind}`"
    if expected == "=>":
        return "an if-expression is written `if condition => { a } else => { b }`"
    if expected == "{" and token.kind != "=>":
        return "a block is always written in braces"
    if token.kind == NAME and token.text in _WORDS:
        return _WORDS[token.text]
    if index:
        hint = _after(tokens[index - 1], token)
        if hint:
            return hint
    return _TOKENS.get(token.kind)


def _after(before: Token, token: Token) -> str | None:
    """Help that depends on the token before as well."""
    if before.kind in LITERAL_KINDS:
        return _after_literal(before, token)
    if token.kind == ">=" and (before.kind in (NAME, "null") or before.kind in ">]?"):
        return "`>=` is one token: put a space before `=`"
    if before.kind == NAME:
        return _after_name(before, token)
    return None


def _after_literal(before: Token, token: Token) -> str | None:
    if token.kind in (".", "["):
        return "put the literal in parentheses to take a part of it"
    if before.kind in (INT, FLOAT) and token.kind == NAME and token.start == before.end:
        return "numbers have no suffix, no exponent and no `_`"
    return None


def _after_name(before: Token, token: Token) -> str | None:
    name = before.text
    if name in _WORDS_BEFORE:
        return _WORDS_BEFORE[name]
    if name == "b" and token.kind == STRING:
        return 'bytes literals are written b"…"'
    if token.kind == "{":
        return "struct values are written `{field: value}`; the type goes to the variable"
    if token.kind == "(":
        return f"there are no methods: write `{name}(value, …)`"
    if token.kind == NAME or token.kind in LITERAL_KINDS:
        close = get_close_matches(name, _STATEMENT_WORDS, 1, 0.7)
        return f"did you mean `{close[0]}`?" if close else None
    return None


def no_expression(tokens: Sequence[Token], index: int) -> str | None:
    """Help for a token that starts no expression."""
    kind = tokens[index].kind
    before = tokens[index - 1] if index else None
    if kind == "fn":
        return "a function value is written `|x| expression`"
    if kind == "else":
        return "this `else` belongs to no `if`"
    if kind in KEYWORDS:
        return f"`{kind}` has no value"
    if before is None:
        return None
    if kind == "+":
        return _PLUS[before.kind == "+" or tokens[index + 1].kind == "+"]
    if kind == "=" and before.kind in "-*/%" and index > 1 and tokens[index - 2].kind == NAME:
        name = tokens[index - 2].text
        return f"there is no `{before.kind}=`: write `{name} = {name} {before.kind} …;`"
    if before.kind in BINARY_OPERATORS:
        return f"`{before.kind}` needs a value on its right"
    return None
