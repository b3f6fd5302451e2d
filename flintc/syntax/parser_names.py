"""Expressions that begin with a name: values, calls, paths and macros (language reference 2.9)."""

from __future__ import annotations

from typing import Final

from flintc.syntax.nodes import Call, Expr, Ident, Name, TypeExpr
from flintc.syntax.parser_literals import LiteralParser
from flintc.syntax.tokens import NAME

# Builtins whose number of arguments is a matter of syntax (2.15).
_NEEDS_ARGUMENT: Final = "print"
_ONE_ARGUMENT: Final = "type"


class NameParser(LiteralParser):
    def name_expression(self) -> Expr:
        """`name`, `name(…)`, `name::<T>`, `name::<T>(…)` or `a::b::name(…)`."""
        token = self.advance()
        name = Ident(self.span(token.start), token.text)
        self.height = 1
        if self.kind == "(":
            return self._call((name,), ())
        if self.at_pair(":", ":"):
            return self._path(name)
        if self.at_pair("!", "("):
            return self._macro(name)
        return Name(name.span, name.name)

    def _call(self, path: tuple[Ident, ...], type_args: tuple[TypeExpr, ...]) -> Call:
        self.advance()
        args = self.comma_list(")", self.expression, "argument")
        self.raise_height()
        call = Call(self.span(path[0].span.start), path, type_args, args)
        self.check_count(args, "argument", call.span)
        if len(path) == 1:
            self._check_builtin(call)
        return call

    def _path(self, first: Ident) -> Expr:
        parts = [first]
        type_args: tuple[TypeExpr, ...] = ()
        while not type_args and self.at_pair(":", ":"):
            self.advance()
            self.advance()
            if self.kind == "<":
                type_args = self.type_arguments()
            else:
                parts.append(self.member_name())
        if self.kind == "(":
            return self._call(tuple(parts), type_args)
        if len(parts) == 1:
            return Name(self.span(first.span.start), first.name, type_args)
        path = "::".join(part.name for part in parts)
        hint = "a function of a namespace is no value here; import it by name, or wrap it: `|x| …`"
        self.fail("E_EXPECTED_TOKEN", f"expected `(` after `{path}`", help=hint)

    def _macro(self, name: Ident) -> Expr:
        mark = self.advance()
        span = self.span(name.span.start)
        hint = f"write `{name.name}(…)` without the `{mark.text}`"
        self.report("E_UNKNOWN_MACRO", f"there is no macro `{name.name}!`", span, help=hint)
        return self._call((name,), ())

    def _check_builtin(self, call: Call) -> None:
        name, count = call.path[0].name, len(call.args)
        if name == _NEEDS_ARGUMENT and count == 0:
            title = "`print` expects at least one argument"
            hint = "write `println()` for an empty line"
        elif name == _ONE_ARGUMENT and count != 1:
            title, hint = "`type` expects exactly one argument", None
        else:
            return
        if not self._is_rebound(name):
            self.report("E_ARGUMENT_COUNT", title, call.span, help=hint)

    def _is_rebound(self, name: str) -> bool:
        """Whether the file might declare a function or variable of this name: it occurs as
        something else than the name of a call."""
        if name not in self._rebound:
            self._rebound[name] = any(
                token.kind == NAME
                and token.text == name
                and (self.tokens[index + 1].kind != "(" or self.tokens[index - 1].kind == "fn")
                for index, token in enumerate(self.tokens)
            )
        return self._rebound[name]
