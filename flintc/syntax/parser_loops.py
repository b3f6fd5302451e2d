"""Loops: `while`, `for` over a range or a map, `break` and `continue` (language reference 2.3)."""

from __future__ import annotations

from abc import abstractmethod
from typing import Final, NoReturn

from flintc.problems import Label
from flintc.source import Span
from flintc.syntax.nodes import (
    Block,
    Break,
    Continue,
    ForMap,
    ForRange,
    Ident,
    NamedType,
    Statement,
    TypeExpr,
    While,
)
from flintc.syntax.parser_declarations import DeclarationParser
from flintc.syntax.tokens import NAME, describe

_FOR_HELP: Final = "write `for i in 0..n { … }` or `for (key, value) in &map { … }`"


class LoopParser(DeclarationParser):
    @abstractmethod
    def block(self, after: str) -> Block:
        """`{ statements }`, which stands after something."""

    def while_statement(self) -> Statement:
        start = self.advance().start
        condition = self.expression()
        height = self.height
        body = self._loop_body("the condition of `while`")
        self.raise_height(height)
        return While(self.span(start), condition, body)

    def _loop_body(self, after: str) -> Block:
        self.loops += 1
        body = self.block(after)
        self.loops -= 1
        return body

    def for_statement(self) -> Statement:
        start = self.advance().start
        if self.kind == "(":
            return self._for_map(start)
        mutable = self.accept_word("mut")
        if self.kind != NAME:
            self._fail_for()
        name = self.expect_name("a loop variable")
        if not self.accept_word("in"):
            self._fail_for()
        first = self.expression()
        height = self.height
        inclusive = self.kind == "..="
        if not inclusive and self.kind != "..":
            self._fail_range()
        self.advance()
        last = self.expression()
        height = max(height, self.height)
        body = self._loop_body("the range of `for`")
        self.raise_height(height)
        return ForRange(self.span(start), name, mutable, first, last, inclusive, body)

    def _fail_for(self) -> NoReturn:
        title = f"expected a loop over a range or a map, found {describe(self.token)}"
        self.fail("E_FOR_FORM", title, help=_FOR_HELP)

    def _fail_range(self) -> NoReturn:
        title = f"expected `..` or `..=` after the start of the range, found {describe(self.token)}"
        hint = "loop over the indices of an array: `for i in 0..items.length { … }`"
        self.fail("E_FOR_FORM", title, help=hint)

    # -- map loops -------------------------------------------------------------------------

    def _for_map(self, start: int) -> Statement:
        self.advance()
        if self.kind != NAME:
            self._fail_for()
        key, key_type = self._loop_binding()
        self.expect(",", "the key name of a map loop")
        value, value_type = self._loop_binding()
        self.expect(")", "the names of a map loop")
        if not self.accept_word("in"):
            self._fail_for()
        source = self._map_source()
        self._check_map_loop(key, key_type, value, source)
        body = self._loop_body("the map of `for`")
        self.raise_height()
        span = self.span(start)
        return ForMap(span, key, key_type, value, value_type, source, body)

    def _loop_binding(self) -> tuple[Ident, TypeExpr | None]:
        return self.expect_name("a loop variable"), self.annotation()

    def _map_source(self) -> Ident:
        is_mut = self.kind == "&" and self.peek() == NAME and self.peek(2) == NAME
        if self.kind != "&" or self.peek() != NAME or is_mut:
            title = f"a map loop runs over a borrowed variable, found {describe(self.token)}"
            self.fail(
                "E_MAP_LOOP", title, help="write `in &name`; bind other maps with `let` first"
            )
        self.advance()
        return self.expect_name("a variable name")

    def _check_map_loop(
        self, key: Ident, key_type: TypeExpr | None, value: Ident, source: Ident
    ) -> None:
        if key.name == value.name:
            self._report_map_loop("key and value need different names", value, key)
        for name in (key, value):
            if name.name == source.name:
                self._report_map_loop("a loop name hides the map", name, source)
        if key_type is not None and not _is_string(key_type):
            hint = "map loops need maps whose keys are strings"
            title = "the key of a map loop is a `string`"
            self.report("E_MAP_LOOP", title, key_type.span, help=hint)

    def _report_map_loop(self, title: str, name: Ident, other: Ident) -> None:
        label = Label(other.span, "the same name")
        self.report("E_MAP_LOOP", title, name.span, label, help="choose another name")

    # -- break and continue ----------------------------------------------------------------

    def break_statement(self) -> Statement:
        return Break(self._loop_exit())

    def continue_statement(self) -> Statement:
        return Continue(self._loop_exit())

    def _loop_exit(self) -> Span:
        token = self.advance()
        if not self.loops:
            title = f"`{token.text}` stands outside a loop"
            code = f"E_{token.text.upper()}_OUTSIDE_LOOP"
            self.report(code, title, self.span(token.start))
        self.expect(";", f"`{token.text}`")
        self.height = 1
        return self.span(token.start)


def _is_string(type_: TypeExpr) -> bool:
    return isinstance(type_, NamedType) and type_.name == "string"
