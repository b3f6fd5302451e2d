"""Match expressions and their patterns (language reference 2.11)."""

from __future__ import annotations

from typing import Final, NoReturn

from flintc.problems import Label
from flintc.source import Span
from flintc.syntax.nodes import (
    Arm,
    BindPattern,
    BytesLiteral,
    Ident,
    IntLiteral,
    LiteralPattern,
    Match,
    NullPattern,
    Pattern,
    StringLiteral,
    TypePattern,
    WildcardPattern,
)
from flintc.syntax.parser_names import NameParser
from flintc.syntax.tokens import BYTES, END, INT, NAME, STRING, describe

_TYPE_NAMES: Final = frozenset(
    word
    for name in ("int", "float", "number", "bool", "string", "bytes", "array", "map")
    for word in (name, name.capitalize())
)
_PATTERN_HELP: Final = (
    "patterns are int, string and bytes literals, null, None, Some(name), Some(Type) and _"
)


class MatchParser(NameParser):
    def match_expression(self) -> Match:
        """`match e { pattern => e, … }` with the current token at `match`."""
        start = self.advance().start
        scrutinee = self.expression()
        height = self.height
        opening = self.expect("{", "the value to match")
        arms: list[Arm] = []
        while self.kind != "}":
            if self.kind == END:
                self.fail_unclosed("match", opening)
            arms.append(self._arm(arms))
            height = max(height, self.height)
            if not self.accept(","):
                break
        self._close_match(arms)
        self.height = height
        self.raise_height()
        return Match(self.span(start), scrutinee, tuple(arms))

    def _close_match(self, arms: list[Arm]) -> None:
        if self.kind not in ("}", END):
            title = f"expected `,` or `}}` after a match arm, found {describe(self.token)}"
            self.fail("E_EXPECTED_TOKEN", title, help="separate the arms of a match with commas")
        closing = self.expect("}", "the match arms")
        if not any(isinstance(arm.pattern, WildcardPattern) for arm in arms):
            span = Span(self.file, closing.start, closing.end)
            title = "a match needs a last arm `_ => …`"
            self.report("E_MATCH_WILDCARD", title, span, help="add `_ => …` before the `}`")

    def _arm(self, earlier: list[Arm]) -> Arm:
        start = self.token.start
        pattern = self._pattern()
        if earlier and isinstance(earlier[-1].pattern, WildcardPattern):
            label = Label(earlier[-1].span, "this arm takes every value")
            self.report("E_MATCH_WILDCARD", "no arm may follow `_`", pattern.span, label)
        if self.kind != "=>":
            self._fail_arrow()
        self.advance()
        body = self.expression()
        self.raise_height()
        return Arm(self.span(start), pattern, body)

    def _fail_arrow(self) -> NoReturn:
        hint = {
            "|": "write one arm for each value",
            "if": "there are no guards: test inside the arm",
        }.get(self.kind)
        title = f"expected `=>` after the pattern, found {describe(self.token)}"
        self.fail("E_EXPECTED_TOKEN", title, help=hint)

    def _pattern(self) -> Pattern:
        opened = 0
        while self.accept("("):
            opened += 1
        pattern = self._bare_pattern()
        for _ in range(opened):
            self.expect(")", "the pattern")
        return pattern

    def _bare_pattern(self) -> Pattern:
        token = self.token
        if token.kind in (INT, STRING, BYTES):
            literal = self.literal()
            assert isinstance(literal, (IntLiteral, StringLiteral, BytesLiteral))
            return LiteralPattern(literal.span, literal)
        if self.accept("null"):
            return NullPattern(self.span(token.start), is_none=False)
        if self.accept_word("_"):
            return WildcardPattern(self.span(token.start))
        if token.kind == NAME:
            return self._option_pattern(token.start)
        self._fail_pattern()

    def _option_pattern(self, start: int) -> Pattern:
        if self.token.text == "Option" and self.peek() == ":" and self.peek(2) == ":":
            for _ in range(3):
                self.advance()
        if self.accept_word("None"):
            return NullPattern(self.span(start), is_none=True)
        if not self.accept_word("Some"):
            self._fail_pattern()
        self.expect("(", "`Some`")
        name = self.expect_name("a name for the value")
        if name.name == "_":
            self._report_some_wildcard(name)
        self.expect(")", "the name in `Some`")
        span = self.span(start)
        if name.name in _TYPE_NAMES:
            return TypePattern(span, name.name.lower())
        return BindPattern(span, name)

    def _report_some_wildcard(self, name: Ident) -> None:
        hint = "bind a name, as in `Some(value)`"
        self.report("E_MATCH_PATTERN", "`Some(_)` is no pattern", name.span, help=hint)

    def _fail_pattern(self) -> NoReturn:
        title = f"{describe(self.token)} is no pattern"
        self.fail("E_MATCH_PATTERN", title, help=_PATTERN_HELP)
