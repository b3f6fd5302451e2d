"""Statements and blocks (language reference 2.1 to 2.4)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, NoReturn

from flintc.source import Span
from flintc.syntax.cursor import MAX_BLOCK_DEPTH, SyntaxStop, TooDeep
from flintc.syntax.nodes import (
    AddAssign,
    Assign,
    Block,
    ErrorExpr,
    ErrorStatement,
    Expr,
    ExprStatement,
    Function,
    Ident,
    If,
    IndexAssign,
    Let,
    MemberAssign,
    Statement,
    Struct,
    Use,
    ValueBlock,
)
from flintc.syntax.parser_declarations import DeclarationParser
from flintc.syntax.parser_loops import LoopParser
from flintc.syntax.tokens import END, NAME, Token, describe


class StatementParser(LoopParser):
    # -- blocks ----------------------------------------------------------------------------

    def block(self, after: str) -> Block:
        """`{ statements }`."""
        opening = self.expect("{", after)
        statements = self._statements(opening, in_value_block=False)
        self.advance()
        return Block(self.span(opening.start), statements)

    def value_block(self, what: str) -> ValueBlock:
        """`{ statements value }`; `what` names it in messages."""
        opening = self.expect("{", "`=>`")  # a function has looked for its brace itself
        statements = self._statements(opening, in_value_block=True)
        terminated = self.tokens[self.index - 1].kind == ";"
        last = statements[-1] if statements else None
        if isinstance(last, ExprStatement):
            value, statements = last.value, statements[:-1]
        else:
            value, terminated = ErrorExpr(self._here()), False
            if not isinstance(last, ErrorStatement):
                self._report_no_value(what)
        self.advance()
        return ValueBlock(self.span(opening.start), statements, value, terminated)

    def _report_no_value(self, what: str) -> None:
        title = f"a {what} must end with an expression"
        hint = "end it with `null` if it has no value"
        self.report("E_BLOCK_WITHOUT_VALUE", title, self._here(), help=hint)

    def _here(self) -> Span:
        return Span(self.file, self.token.start, self.token.end)

    def _statements(self, opening: Token, *, in_value_block: bool) -> tuple[Statement, ...]:
        """Up to the closing brace, which stays the current token."""
        self.enter()
        outer = self.blocks
        # what gives a value can be moved out of its block, so it starts anew
        self.blocks = 0 if in_value_block else outer + 1
        if self.blocks > MAX_BLOCK_DEPTH:
            self._fail_too_many_blocks()
        statements: list[Statement] = []
        height = 0
        while self.kind != "}":
            if self.kind == END:
                self.fail_unclosed("block", opening)
            statements.append(self.statement(in_value_block=in_value_block))
            height = max(height, self.height)
        self.blocks = outer
        self.leave()
        self.height = height
        self.raise_height()
        return tuple(statements)

    def _fail_too_many_blocks(self) -> NoReturn:
        title = f"blocks are nested more than {MAX_BLOCK_DEPTH} levels deep"
        self.fail_nesting(title, "move inner blocks into functions")

    def statement(self, *, in_value_block: bool) -> Statement:
        """One statement; what cannot be read becomes an `ErrorStatement`."""
        start, saved = self.index, self._nesting()
        try:
            read = _READERS.get(self.kind)
            if read is None or (in_value_block and self.kind == "if" and self._is_if_expression()):
                return self._simple_statement(in_value_block)
            node = read(self)
            if isinstance(node, (Function, Struct, Use)):
                self.declarations.append(node)
            return node
        except SyntaxStop as stop:
            if isinstance(stop, TooDeep) and saved[:3] != (0, 0, 0):
                raise
            self._resume(start, saved)
            return ErrorStatement(self.span(self.tokens[start].start))

    def _nesting(self) -> tuple[int, int, int, int]:
        return self.depth, self.blocks, self.loops, len(self.declarations)

    def _resume(self, start: int, nesting: tuple[int, int, int, int]) -> None:
        """Go on after the broken statement that begins at token `start`."""
        self.depth, self.blocks, self.loops, declared = nesting
        del self.declarations[declared:]
        self.height = 0
        self.resynchronize(start)

    def _is_if_expression(self) -> bool:
        """Whether `=>` comes before `{` and `;` outside brackets (2.4)."""
        at = self.index + 1
        while True:
            kind = self.tokens[at].kind
            if kind in ("(", "["):
                if at not in self.partners:
                    return False
                at = self.partners[at]
            elif kind in ("=>", "{", "}", ";", ")", "]", END):
                return kind == "=>"
            at += 1

    # -- expressions and assignments -------------------------------------------------------

    def _simple_statement(self, in_value_block: bool) -> Statement:
        start = self.token.start
        self.height = 0
        if self.kind == NAME:
            assignment = self._assignment(start)
            if assignment is not None:
                return assignment
        elif self.kind == ";":
            self._fail_empty()
        value = self.expression()
        if not (in_value_block and self.kind == "}"):
            self.expect(";", "the expression")
        return ExprStatement(self.span(start), value)

    def _fail_empty(self) -> NoReturn:
        title = "expected a statement, found `;`"
        self.fail("E_EMPTY_STATEMENT", title, help="remove this `;`")

    def _assignment(self, start: int) -> Statement | None:
        following = self.peek()
        if self.token.text == "import":
            self._check_import()
        if following == "=":
            name, value = self._target(), self._assigned()
            return Assign(self.span(start), name, value)
        if following == "+=":
            name, value = self._target(), self._assigned()
            return AddAssign(self.span(start), name, value)
        if following == "." and self.peek(2) in (NAME, "match") and self.peek(3) == "=":
            return self._member_assignment(start)
        if following == "[":
            closer = self.partners.get(self.index + 1)
            if closer is not None and self.tokens[closer + 1].kind == "=":
                return self._index_assignment(start)
        return None

    def _target(self) -> Ident:
        token = self.advance()
        return Ident(self.span(token.start), token.text)

    def _assigned(self) -> Expr:
        """The value after `=` or `+=`, the current token, and the `;`."""
        self.advance()
        value = self.expression()
        self.expect(";", "the assignment")
        return value

    def _member_assignment(self, start: int) -> Statement:
        name = self._target()
        self.advance()
        member = self.member_name()
        value = self._assigned()
        return MemberAssign(self.span(start), name, member, value)

    def _index_assignment(self, start: int) -> Statement:
        name = self._target()
        self.advance()
        index = self.expression()
        height = self.height
        self.expect("]", "the index")
        value = self._assigned()
        self.height = max(self.height, height)
        return IndexAssign(self.span(start), name, index, value)

    def _check_import(self) -> None:
        """A line that begins with `import ` is rejected although `import` is a plain name (8.2)."""
        gap = self.file.text[self.last_end : self.token.start]
        first = (not self.index or "\n" in gap) and not gap.rpartition("\n")[2].strip()
        if first and self.file.text[self.token.end : self.token.end + 1] == " ":
            title = "modules are not imported with `import`"
            self.fail("E_IMPORT_KEYWORD", title, help="write `use path::module;`")

    # -- let, if, loops --------------------------------------------------------------------

    def _let(self) -> Statement:
        first = self.index
        start = self.advance().start
        mutable = self.accept_word("mut")
        name = self.expect_name("a variable name")
        annotation = self.annotation()
        value = self._initializer(first, name)
        return Let(self.span(start), name, mutable, annotation, value)

    def _equals(self, name: Ident) -> None:
        if self.kind != "=":
            title = f"expected `=` and a value after `{name.name}`, found {describe(self.token)}"
            self.fail("E_MISSING_INITIALIZER", title, help="every variable begins with a value")
        self.advance()

    def _initializer(self, first: int, name: Ident) -> Expr:
        """The value and the `;` of the statement that begins at token `first`; a broken value
        does not lose the variable."""
        start, nesting = self.last_end, self._nesting()
        try:
            self._equals(name)
            value = self.expression()
            self.expect(";", "the `let` statement")
        except TooDeep:
            raise
        except SyntaxStop:
            self._resume(first, nesting)
            return ErrorExpr(self.span(start))
        return value

    def _if(self) -> Statement:
        """A chain of `if c {…} else if d {…} else {…}`, read without recursion."""
        branches: list[tuple[int, Expr, Block, int]] = []
        orelse: Block | If | None = None
        while True:
            start = self.advance().start
            condition = self.expression()
            height = self.height
            then = self.block("the condition of `if`")
            branches.append((start, condition, then, max(height, self.height)))
            self.height = 0
            if not self.accept("else"):
                break
            if self.kind != "if":
                orelse = self.block("`else`")
                break
        return self._if_chain(branches, orelse)

    def _if_chain(
        self, branches: list[tuple[int, Expr, Block, int]], orelse: Block | If | None
    ) -> If:
        start, condition, then, height = branches.pop()
        self.raise_height(height)
        result = If(self.span(start), condition, then, orelse)
        for start, condition, then, height in reversed(branches):
            self.raise_height(height)
            result = If(self.span(start), condition, then, result)
        return result


_READERS: Final[dict[str, Callable[[StatementParser], Statement]]] = {
    "let": StatementParser._let,
    "if": StatementParser._if,
    "while": LoopParser.while_statement,
    "for": LoopParser.for_statement,
    "break": LoopParser.break_statement,
    "continue": LoopParser.continue_statement,
    "fn": DeclarationParser.function,
    "pub": DeclarationParser.public_function,
    "struct": DeclarationParser.struct,
    "use": DeclarationParser.use,
}
