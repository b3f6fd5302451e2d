"""The parser's place in the tokens: looking, expecting, reporting, and resuming after errors."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, NoReturn, TypeVar

from flintc.problems import Label, Phase, Problems
from flintc.source import SourceFile, Span
from flintc.syntax import hints
from flintc.syntax.brackets import match_brackets
from flintc.syntax.nodes import Declaration, Ident
from flintc.syntax.tokens import END, KEYWORDS, NAME, STATEMENT_KEYWORDS, Token, describe

# Height of a tree (passes over it recurse, `flintc.stack`) and nesting of blocks of statements.
MAX_DEPTH: Final = 4000
MAX_BLOCK_DEPTH: Final = 60
MAX_ITEMS: Final = 255

_T = TypeVar("_T")
_BLOCK_STATEMENTS: Final = frozenset({"if", "while", "for", "fn", "struct", "pub"})


class SyntaxStop(Exception):
    """The rest of the current statement cannot be read; the problem has been reported."""


class TooDeep(SyntaxStop):
    """The same for everything around: nested that deep, statements are given up as a whole."""


class Cursor:
    """Tokens with a current one, and the depth of what is being read.

    `height` is that of the tree the latest expression or type method returned.
    """

    def __init__(self, file: SourceFile, tokens: Sequence[Token], problems: Problems) -> None:
        self.file = file
        self.tokens = tokens
        self.problems = problems
        self.partners = match_brackets(tokens)
        self.index = 0
        self.token = tokens[0]
        self.kind = tokens[0].kind
        self.last_end = 0
        self.depth = 0
        self.blocks = 0
        self.loops = 0
        self.height = 0
        self.declarations: list[Declaration] = []
        self._reported_at = -1
        self._rebound: dict[str, bool] = {}

    # -- moving ----------------------------------------------------------------------------

    def advance(self) -> Token:
        """Step over the current token and return it; the end of the file is never passed."""
        token = self.token
        if token.kind != END:
            self.index += 1
            self.token = self.tokens[self.index]
            self.kind = self.token.kind
            self.last_end = token.end
        return token

    def jump(self, index: int) -> None:
        """Make `index` the current token."""
        self.index = index
        self.token = self.tokens[index]
        self.kind = self.token.kind
        self.last_end = self.tokens[index - 1].end if index else 0

    def peek(self, distance: int = 1) -> str:
        """The kind of a later token."""
        return self.tokens[min(self.index + distance, len(self.tokens) - 1)].kind

    def accept(self, kind: str) -> bool:
        """Step over the current token if it is of this kind."""
        if self.kind != kind:
            return False
        self.advance()
        return True

    def accept_word(self, word: str) -> bool:
        """Step over a contextual keyword."""
        if self.kind != NAME or self.token.text != word:
            return False
        self.advance()
        return True

    def at_pair(self, first: str, second: str) -> bool:
        """Whether `->`, `::` or `?.`, two tokens each, stands here."""
        return self.kind == first and self.peek() == second

    def expect(self, kind: str, after: str) -> Token:
        """Step over a token that must stand here; `after` says after what."""
        if self.kind != kind:
            code = "E_EXPECTED_SEMICOLON" if kind == ";" else "E_EXPECTED_TOKEN"
            self._fail_expected(code, f"expected `{kind}` after {after}", kind)
        return self.advance()

    def expect_name(self, what: str) -> Ident:
        """A name; `what` says of what."""
        token = self.token
        if token.kind == NAME:
            self.advance()
            return Ident(self.span(token.start), token.text)
        if token.kind in KEYWORDS:
            title = f"`{token.text}` is a keyword and cannot be {what}"
            self.fail("E_RESERVED_WORD", title, help="choose another name")
        self._fail_expected("E_EXPECTED_NAME", f"expected {what}", NAME)

    def member_name(self) -> Ident:
        """A name after `.`, `?.` or `::`, where the word `match` is one too (1.2)."""
        if self.kind == "match":
            token = self.advance()
            return Ident(self.span(token.start), token.text)
        return self.expect_name("a member name")

    def span(self, start: int) -> Span:
        """From `start` to the end of the latest token."""
        end = self.last_end
        return Span(self.file, start, end if end > start else start)

    # -- problems --------------------------------------------------------------------------

    def report(
        self, code: str, title: str, span: Span, *labels: Label, help: str | None = None
    ) -> None:
        """Report a problem that does not stop the parser."""
        self.problems.error(code, title, span, Phase.PARSE, *labels, help=help)

    def fail(self, code: str, title: str, *labels: Label, help: str | None = None) -> NoReturn:
        """Report a problem at the current token and give up on the statement.

        A second problem at the same token is a consequence of the first and is not reported.
        """
        if self.index != self._reported_at:
            self._reported_at = self.index
            token = self.token
            span = Span(self.file, token.start, token.end)
            self.report(code, title, span, *labels, help=help)
        raise SyntaxStop

    def _fail_expected(self, code: str, title: str, kind: str) -> NoReturn:
        if kind == ";" and self.kind == END:
            self._fail_if_unclosed()
        hint = hints.unexpected_token(self.tokens, self.index, kind)
        labels = self._after_previous() if kind == ";" and not hint else ()
        self.fail(code, f"{title}, found {describe(self.token)}", *labels, help=hint)

    def _fail_if_unclosed(self) -> None:
        """At the end of the file a missing `}` is likelier than a missing `;`."""
        for index in range(self.index - 1, -1, -1):
            if self.tokens[index].kind == "{" and index not in self.partners:
                self.fail_unclosed("block", self.tokens[index])

    def fail_unclosed(self, what: str, opening: Token) -> NoReturn:
        """The file ends before the `}` of what `opening` opens."""
        label = Label(Span(self.file, opening.start, opening.end), "opened here")
        self.fail("E_UNCLOSED_BLOCK", f"the file ends inside a {what}", label)

    def _after_previous(self) -> tuple[Label, ...]:
        """Points behind the previous token where that is on another line."""
        end = self.last_end
        if not end or self.file.line_at(end) == self.file.line_at(self.token.start):
            return ()
        return (Label(Span(self.file, end - 1, end), "put `;` after this"),)

    def enter(self) -> None:
        """One level deeper; the caller must `leave`, unless the statement is given up."""
        self.depth += 1
        if self.depth > MAX_DEPTH:
            self._fail_too_deep()

    def leave(self) -> None:
        self.depth -= 1

    def raise_height(self, others: int = 0) -> None:
        """The latest tree got a parent, whose other children have at most this height."""
        self.height = (others if others > self.height else self.height) + 1
        if self.height > MAX_DEPTH:
            self._fail_too_deep()

    def _fail_too_deep(self) -> NoReturn:
        title = f"this is nested more than {MAX_DEPTH} levels deep"
        self.fail_nesting(title, "name parts of it with `let`, or move them into functions")

    def fail_nesting(self, title: str, help: str) -> NoReturn:
        """Report nesting, and give up on the outermost statement."""
        span = Span(self.file, self.token.start, self.token.end)
        self.report("E_NESTING_TOO_DEEP", title, span, help=help)
        raise TooDeep

    # -- lists -----------------------------------------------------------------------------

    def comma_list(self, close: str, item: Callable[[], _T], what: str) -> tuple[_T, ...]:
        """Items up to `close`, which is stepped over; no trailing comma. `what`: "argument"…

        Leaves the greatest height of an item.
        """
        items: list[_T] = []
        height = 0
        while self.kind != close or items:
            self.height = 0
            items.append(item())
            height = max(height, self.height)
            if self.kind != ",":
                break
            comma = self.advance()
            if self.kind == close:
                self._fail_trailing_comma(comma, what)
        self.expect(close, f"{what}s")
        self.height = height
        return tuple(items)

    def _fail_trailing_comma(self, comma: Token, what: str) -> NoReturn:
        label = Label(Span(self.file, comma.start, comma.end), "remove this comma")
        title = f"expected another {what}, found {describe(self.token)}"
        self.fail("E_TRAILING_COMMA", title, label, help="no comma may end this list")

    def check_distinct(self, names: Sequence[Ident], what: str) -> None:
        """Report each name that occurs again in a list of parameters."""
        seen: dict[str, Ident] = {}
        for ident in names:
            first = seen.setdefault(ident.name, ident)
            if first is not ident:
                label = Label(first.span, "first used here")
                self.report(
                    "E_DUPLICATE_NAME", f"duplicate {what} `{ident.name}`", ident.span, label
                )

    def check_count(self, items: Sequence[object], what: str, span: Span) -> None:
        if len(items) > MAX_ITEMS:
            title = f"{len(items)} {what}s, but at most {MAX_ITEMS} are possible"
            self.report("E_TOO_MANY_ITEMS", title, span, help="pass an array or a map instead")

    # -- resuming --------------------------------------------------------------------------

    def resynchronize(self, start: int) -> None:
        """After an error in the statement whose first token has index `start`: go behind its
        `;` or block, or to the `}` or statement keyword that ends it."""
        if self.kind == END:
            return
        at, index = start, self.index
        while True:
            kind = self.tokens[at].kind
            partner = self.partners.get(at)
            if partner is not None:
                at = partner
                if kind == "{" and at >= index and self._ends_statement(start, at + 1):
                    break
            elif at >= index and self._stops(at, start):
                at -= kind != ";"
                break
            at += 1
        self.jump(max(at + 1, start))

    def _stops(self, at: int, start: int) -> bool:
        kind = self.tokens[at].kind
        if kind not in STATEMENT_KEYWORDS:
            return kind in (";", "}", END)
        if kind == "fn" and self.tokens[at + 1].kind != NAME:  # a type, or meant as a closure
            return False
        # A keyword that is itself the error begins a statement only if it begins a line.
        return at > start and (at != self.index or self._begins_line(at))

    def _begins_line(self, at: int) -> bool:
        return "\n" in self.file.text[self.tokens[at - 1].end : self.tokens[at].start]

    def _ends_statement(self, start: int, after: int) -> bool:
        """Whether a statement ends with the `}` before token `after`."""
        following = self.tokens[after]
        if following.kind in ("else", ";"):
            return False
        return self.tokens[start].kind in _BLOCK_STATEMENTS or following.kind == NAME
