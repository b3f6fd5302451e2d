"""Expressions: operator chains, prefixes, postfixes, if-expressions and closures
(language reference 2.9, 2.10)."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Literal, NoReturn

from flintc.syntax import hints
from flintc.syntax.nodes import (
    Closure,
    Copy,
    Expr,
    Has,
    Ident,
    IfExpr,
    Index,
    IntLiteral,
    Keys,
    Length,
    Member,
    Name,
    Operation,
    Operator,
    Slice,
    Unary,
    UnwrapOr,
    ValueBlock,
)
from flintc.syntax.parser_match import MatchParser
from flintc.syntax.tokens import INT, INT_MAX, LITERAL_KINDS, NAME, describe

_LEVELS: Final[tuple[tuple[Operator, ...], ...]] = (
    ("||",),
    ("&&",),
    ("==", "!=", "<", "<=", ">", ">="),
    ("+", "-"),
    ("*", "/", "%"),
)
_OPERATORS: Final[dict[str, tuple[int, Operator]]] = {
    operator: (level, operator) for level, row in enumerate(_LEVELS) for operator in row
}
_POSTFIXES: Final = frozenset({".", "[", "?"})
_PREFIXES: Final = frozenset({"-", "!", "&"})


@dataclass(slots=True)
class _Chain:
    """An unfinished `Operation`: its latest operator waits for an operand."""

    level: int
    start: int
    operands: list[Expr]
    operators: list[Operator]
    height: int


class ExpressionParser(MatchParser):
    @abstractmethod
    def value_block(self, what: str) -> ValueBlock:
        """A block that ends in a value."""

    def expression(self) -> Expr:
        self.enter()
        start = self.token.start
        value = self._operand()
        if self.kind in _OPERATORS:
            value = self._operation(start, value)
        self.leave()
        return value

    # -- operators -------------------------------------------------------------------------

    def _operation(self, start: int, value: Expr) -> Expr:
        """The rest of an expression after its first operand, without recursion: `open_` holds
        the unfinished chains, from loose to tight."""
        open_: list[_Chain] = []
        while self.kind in _OPERATORS:
            level, operator = _OPERATORS[self.kind]
            while open_ and open_[-1].level > level:
                start = open_[-1].start
                value = self._close(open_.pop(), value)
            if open_ and open_[-1].level == level:
                chain = open_[-1]
                chain.operands.append(value)
                chain.operators.append(operator)
                chain.height = max(chain.height, self.height)
            else:
                open_.append(_Chain(level, start, [value], [operator], self.height))
            self.advance()
            start = self.token.start
            value = self._operand()
        while open_:
            value = self._close(open_.pop(), value)
        return value

    def _close(self, chain: _Chain, last: Expr) -> Operation:
        chain.operands.append(last)
        self.raise_height(chain.height)
        return Operation(self.span(chain.start), tuple(chain.operands), tuple(chain.operators))

    def _operand(self) -> Expr:
        kind = self.kind
        start = self.token.start
        if kind == NAME:
            value = self.name_expression()
        elif kind in LITERAL_KINDS:
            return self.literal()
        elif kind == "(":
            value = self._parenthesized()
        elif kind == "[":
            value = self.array_literal()
        elif kind == "{":
            value = self.brace_literal()
        else:
            read = _OPERANDS.get(kind)
            return read(self) if read else self._fail_no_expression()
        return self._postfixes(start, value) if self.kind in _POSTFIXES else value

    def _fail_no_expression(self) -> NoReturn:
        title = f"expected an expression, found {describe(self.token)}"
        hint = hints.no_expression(self.tokens, self.index)
        self.fail("E_EXPECTED_EXPRESSION", title, help=hint)

    def _parenthesized(self) -> Expr:
        self.advance()
        value = self.expression()
        self.expect(")", "the expression in parentheses")
        return value

    # -- prefixes --------------------------------------------------------------------------

    def _prefixed(self) -> Expr:
        marks: list[tuple[int, Literal["-", "!", "&", "&mut"]]] = []
        while self.kind in _PREFIXES:
            marks.append(self._prefix())
        folded = bool(marks[-1][1] == "-" and self._at_minimum())
        value = self._minimum(marks.pop()[0]) if folded else self._operand()
        for start, mark in reversed(marks):
            if mark == "&mut":
                self._check_borrow(value)
            self.raise_height()
            value = Unary(self.span(start), mark, value)
        return value

    def _prefix(self) -> tuple[int, Literal["-", "!", "&", "&mut"]]:
        start = self.token.start
        if self.accept("-"):
            return start, "-"
        if self.accept("!"):
            return start, "!"
        self.advance()
        return start, "&mut" if self.accept_word("mut") else "&"

    def _at_minimum(self) -> bool:
        return self.kind == INT and self.token.value == INT_MAX + 1

    def _minimum(self, start: int) -> IntLiteral:
        """2^63 directly behind a minus is the smallest integer (1.4)."""
        token = self.advance()
        self.height = 1
        return IntLiteral(self.span(start), -INT_MAX - 1, f"-{token.text}")

    def _check_borrow(self, value: Expr) -> None:
        base = value.container if isinstance(value, (Member, Index)) else value
        optional = isinstance(value, (Member, Index)) and value.optional
        if not isinstance(base, Name) or base.type_args or optional:
            title = "`&mut` takes a variable, or one field or element of a variable"
            hint = "bind the value with `let mut` first"
            self.report("E_MUT_BORROW_TARGET", title, value.span, help=hint)

    # -- postfixes -------------------------------------------------------------------------

    def _postfixes(self, start: int, value: Expr) -> Expr:
        while True:
            height = self.height
            if self.kind == ".":
                value = self._dotted(start, value)
            elif self.kind == "[":
                value = self._bracketed(start, value)
            elif self.kind == "?" and self.peek() in (".", "["):
                value = self._optional(start, value)
            else:
                return value
            self.raise_height(height)

    def _optional(self, start: int, value: Expr) -> Expr:
        """`?.name` or `?.[key]`; member names have no special meaning here."""
        self.advance()
        self.expect(".", "`?`")
        if self.kind != "[":
            name = self.member_name()
            return Member(self.span(start), value, name, optional=True)
        self.advance()
        key = self.expression()
        self.expect("]", "the key")
        return Index(self.span(start), value, key, optional=True)

    def _bracketed(self, start: int, value: Expr) -> Expr:
        self.advance()
        first = None if self.kind == ":" else self.expression()
        if first is not None and self.kind != ":":
            self.expect("]", "the index")
            return Index(self.span(start), value, first, optional=False)
        height = self.height
        self.advance()
        second = None if self.kind == "]" else self.expression()
        self.height = max(self.height, height)
        self.expect("]", "the slice bounds")
        return Slice(self.span(start), value, first, second)

    def _dotted(self, start: int, value: Expr) -> Expr:
        self.advance()
        name = self.member_name()
        text = name.name
        if text == "length":
            return Length(self.span(start), value)
        if text == "keys":
            return Keys(self.span(start), value)
        if text == "copy":
            self._no_arguments()
            return Copy(self.span(start), value)
        if text == "unwrap_or":
            default = self._one_argument("unwrap_or", "the default")
            return UnwrapOr(self.span(start), value, default)
        if text == "has" and self.kind == "(":
            key = self._one_argument("has", "the key")
            return Has(self.span(start), value, key)
        if text == "unwrap":
            self._reject_unwrap(name)
        return Member(self.span(start), value, name, optional=False)

    def _no_arguments(self) -> None:
        self.expect("(", "`.copy`")
        if self.kind != ")":
            self.fail("E_ARGUMENT_COUNT", "`.copy()` takes no arguments")
        self.advance()

    def _one_argument(self, method: str, what: str) -> Expr:
        self.expect("(", f"`.{method}`")
        if self.kind == ")":
            self._fail_one_argument(method, what)
        value = self.expression()
        if self.kind == ",":
            self._fail_one_argument(method, what)
        self.expect(")", f"the argument of `.{method}`")
        return value

    def _fail_one_argument(self, method: str, what: str) -> NoReturn:
        title = f"`.{method}` takes exactly one argument, {what}"
        self.fail("E_ARGUMENT_COUNT", title)

    def _reject_unwrap(self, name: Ident) -> None:
        hint = "write `.unwrap_or(default)`, or test the value with `!= null`"
        self.report("E_UNWRAP", "there is no `.unwrap`", name.span, help=hint)
        if self.kind == "(" and self.peek() == ")":
            self.advance()
            self.advance()

    # -- if-expressions and closures -------------------------------------------------------

    def _if_expression(self) -> IfExpr:
        """A chain of `if c => {…} else if d => {…} else => {…}`, read without recursion."""
        branches: list[tuple[int, Expr, ValueBlock, int]] = []
        while self.kind == "if":
            start = self.advance().start
            condition = self.expression()
            height = self.height
            self.expect("=>", "the condition of an if-expression")
            then = self.value_block("branch of an if-expression")
            branches.append((start, condition, then, max(height, self.height)))
            if not self.accept("else"):
                title = "an if-expression needs an else branch"
                self.fail("E_MISSING_ELSE", title, help="add `else => { … }`")
        self.expect("=>", "`else` of an if-expression")
        orelse: ValueBlock | IfExpr = self.value_block("branch of an if-expression")
        for start, condition, then, height in reversed(branches):
            self.raise_height(height)
            orelse = IfExpr(self.span(start), condition, then, orelse)
        assert isinstance(orelse, IfExpr)
        return orelse

    def _closure(self) -> Closure:
        start = self.token.start
        params: tuple[Ident, ...] = ()
        if not self.accept("||"):
            self.advance()
            params = self.comma_list("|", self._closure_parameter, "closure parameter")
        self.check_distinct(params, "closure parameter")
        self.check_count(params, "parameter", self.span(start))
        loops, self.loops = self.loops, 0
        body = self.expression()
        self.loops = loops
        self.raise_height()
        return Closure(self.span(start), params, body)

    def _closure_parameter(self) -> Ident:
        name = self.expect_name("a closure parameter")
        if self.kind == ":":
            hint = "annotate the variable instead: `let f: fn(int) -> int = |x| …;`"
            self.fail("E_TYPE_SYNTAX", "closure parameters have no type annotation", help=hint)
        return name


# Operands that take no postfix, by their first token.
_OPERANDS: Final[dict[str, Callable[[ExpressionParser], Expr]]] = {
    **dict.fromkeys(_PREFIXES, ExpressionParser._prefixed),
    **dict.fromkeys(("|", "||"), ExpressionParser._closure),
    "if": ExpressionParser._if_expression,
    "match": ExpressionParser.match_expression,
}
