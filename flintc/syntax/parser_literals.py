"""Literals: scalars, arrays, and the brace literals that are maps or arrays
(language reference 2.9)."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Final, TypeAlias

from flintc.source import Span
from flintc.syntax.nodes import (
    ArrayLiteral,
    BoolLiteral,
    BytesLiteral,
    Expr,
    FloatLiteral,
    IntLiteral,
    MapEntry,
    MapLiteral,
    NullLiteral,
    StringLiteral,
)
from flintc.syntax.parser_types import TypeParser
from flintc.syntax.tokens import FLOAT, INT, INT_MAX, LITERAL_KINDS, NAME, Token, describe

Literal: TypeAlias = (
    IntLiteral | FloatLiteral | StringLiteral | BytesLiteral | BoolLiteral | NullLiteral
)
_KEY_KINDS: Final = LITERAL_KINDS | {NAME}
_KEY_MARKS: Final = frozenset({":", "="})


class LiteralParser(TypeParser, ABC):
    @abstractmethod
    def expression(self) -> Expr:
        """Any expression."""

    def literal(self) -> Literal:
        """The literal that the current token is."""
        token = self.advance()
        span = Span(self.file, token.start, token.end)
        self.height = 1
        kind, value = token.kind, token.value
        if isinstance(value, str):
            return StringLiteral(span, value)
        if isinstance(value, bytes):
            return BytesLiteral(span, value)
        if kind == FLOAT and isinstance(value, float):
            return FloatLiteral(span, value, token.text)
        if kind == INT and isinstance(value, int):
            return IntLiteral(span, self._checked(token, value, span), token.text)
        return NullLiteral(span) if kind == "null" else BoolLiteral(span, kind == "true")

    def _checked(self, token: Token, value: int, span: Span) -> int:
        """2^63 is a value only as the operand of a minus, which `prefixed` looks for."""
        if value <= INT_MAX:
            return value
        title = f"the integer {token.text} is out of range"
        hint = f"write `-{token.text}`, without parentheses, for the smallest integer"
        self.report("E_INT_OUT_OF_RANGE", title, span, help=hint)
        return INT_MAX

    def array_literal(self) -> Expr:
        """`[a, b]` with the current token at `[`."""
        start = self.advance().start
        items = self.comma_list("]", self.expression, "array element")
        self.raise_height()
        return ArrayLiteral(self.span(start), items)

    def brace_literal(self) -> Expr:
        """`{…}`: an array if no entry has a key, unless it is empty."""
        start = self.advance().start
        keys: list[Expr | None] = []
        values: list[Expr] = []
        height = 0
        while self.kind != "}":
            self.height = 0
            keys.append(self._entry_key())
            key_height = self.height
            values.append(self.expression())
            self._check_key(keys[-1])
            height = max(height, key_height, self.height)
            if not self.accept(","):
                break
        self._close_brace()
        self.height = height
        self.raise_height()
        span = self.span(start)
        if values and all(key is None for key in keys):
            return ArrayLiteral(span, tuple(values))
        return MapLiteral(span, self._entries(keys, values))

    def _entry_key(self) -> Expr | None:
        """The key of an entry, with its mark stepped over, if the entry has one."""
        kind = self.kind
        if kind in _KEY_KINDS and self.peek() in _KEY_MARKS:
            if kind == NAME and self.peek() == ":" and self.peek(2) == ":":
                return None  # a path, `ns::f(…)`
            token = self.token
            key = self._name_key(token) if kind == NAME else self.literal()
            self.advance()
            return key
        closer = self.partners.get(self.index) if kind == "[" else None
        if closer is None or self.tokens[closer + 1].kind not in _KEY_MARKS:
            return None
        self.advance()
        bracketed = self.expression()
        self.expect("]", "the map key")
        self.advance()
        return bracketed

    def _name_key(self, token: Token) -> Expr:
        self.advance()
        self.height = 1
        return StringLiteral(self.span(token.start), token.text)

    def _check_key(self, key: Expr | None) -> None:
        if key is None and self.kind in _KEY_MARKS:
            title = "a map key is a literal or a name"
            self.fail("E_MAP_KEY", title, help="put a computed key in brackets: `{[key]: value}`")

    def _close_brace(self) -> None:
        if self.kind != "}":
            title = f"expected `,` or `}}` in a map or array literal, found {describe(self.token)}"
            hint = "`{` begins a literal here, not a block"
            self.fail("E_EXPECTED_TOKEN", title, help=hint)
        self.advance()

    def _entries(self, keys: list[Expr | None], values: list[Expr]) -> tuple[MapEntry, ...]:
        entries: list[MapEntry] = []
        count = 0
        for key, value in zip(keys, values, strict=True):
            if key is None:
                here = Span(self.file, value.span.start, value.span.start)
                key, count = IntLiteral(here, count, str(count)), count + 1
            entries.append(MapEntry(key.span.to(value.span), key, value))
        return tuple(entries)
