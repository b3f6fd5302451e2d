"""Types and type parameters (language reference 2.8)."""

from __future__ import annotations

from typing import Final

from flintc.syntax.cursor import Cursor
from flintc.syntax.nodes import FunctionType, Ident, NamedType, OptionalType, TupleType, TypeExpr
from flintc.syntax.tokens import NAME, describe

_CONTAINERS: Final = frozenset({"array", "map"})
_PLAIN: Final = frozenset({"int", "float", "number", "bool", "string", "bytes", "null", "unknown"})


class TypeParser(Cursor):
    def type(self) -> TypeExpr:
        """base { "[" "]" } [ "?" ]"""
        start = self.token.start
        self.enter()
        result = self._type_base()
        while self.at_pair("[", "]"):
            self.advance()
            self.advance()
            result = NamedType(self.span(start), "array", (result,))
            self.raise_height()
        if self.accept("?"):
            result = OptionalType(self.span(start), result)
            self.raise_height()
            if self.at_pair("[", "]"):
                hint = "an array of optional values is `array<T?>`, an optional array `T[]?`"
                self.fail("E_TYPE_SYNTAX", "a type ends with its `?`, found `[`", help=hint)
        self.leave()
        return result

    def annotation(self) -> TypeExpr | None:
        """`: type`, or nothing."""
        return self.type() if self.accept(":") else None

    def type_arguments(self) -> tuple[TypeExpr, ...]:
        """`<A, B>` with the current token at `<`."""
        self.advance()
        if self.kind == ">":
            self.fail("E_TYPE_SYNTAX", "expected a type between `<` and `>`")
        return self.comma_list(">", self.type, "type argument")

    def type_parameters(self) -> tuple[Ident, ...]:
        """`<T, U>` of a declaration, or nothing."""
        if not self.accept("<"):
            return ()
        if self.kind == ">":
            self.fail("E_TYPE_SYNTAX", "expected a type parameter between `<` and `>`")
        names = self.comma_list(">", self._type_parameter, "type parameter")
        self.check_distinct(names, "type parameter")
        return names

    def _type_parameter(self) -> Ident:
        return self.expect_name("a type parameter")

    def _type_base(self) -> TypeExpr:
        kind = self.kind
        self.height = 1
        if kind == NAME:
            return self._named_type()
        if kind == "[":
            return self._bracket_type()
        if kind == "fn":
            return self._function_type()
        if kind == "null":
            token = self.advance()
            return NamedType(self.span(token.start), "null", ())
        hint = None
        if kind == "{":
            hint = "declare a struct and name it here"
        self.fail("E_TYPE_SYNTAX", f"expected a type, found {describe(self.token)}", help=hint)

    def _named_type(self) -> TypeExpr:
        token = self.advance()
        name = token.text
        args: tuple[TypeExpr, ...] = ()
        if self.kind == "<":
            if name in _PLAIN:
                self.fail("E_TYPE_SYNTAX", f"the type `{name}` takes no type arguments")
            args = self._container_argument(name) if name in _CONTAINERS else self.type_arguments()
            self.raise_height()
        span = self.span(token.start)
        if name == "unknown":
            title = "the type `unknown` cannot be written"
            hint = "give a concrete type, or leave the annotation out"
            self.report("E_STRICT_UNKNOWN_TYPE", title, span, help=hint)
        return NamedType(span, name, args)

    def _container_argument(self, name: str) -> tuple[TypeExpr, ...]:
        self.advance()
        argument = self.type()
        self.expect(">", f"the element type of `{name}`")
        return (argument,)

    def _function_type(self) -> TypeExpr:
        start = self.advance().start
        self.expect("(", "`fn`")
        params = self.comma_list(")", self.type, "parameter type")
        height = self.height
        if not self.at_pair("-", ">"):
            hint = "a function type is written `fn(int) -> int`"
            self.fail("E_TYPE_SYNTAX", "expected `->` and a result type", help=hint)
        self.advance()
        self.advance()
        result = self.type()
        self.raise_height(height)
        return FunctionType(self.span(start), params, result)

    def _bracket_type(self) -> TypeExpr:
        """`[T]`, `[T...]`, `[A, B]` or `[A, R...]`; a trailing comma is allowed."""
        start = self.advance().start
        if self.kind == "]":
            hint = "write the element type: `[int]`"
            self.fail("E_TYPE_SYNTAX", "`[]` alone is no type", help=hint)
        items: list[TypeExpr] = []
        rest: TypeExpr | None = None
        height = 0
        while self.kind != "]" or not items:
            item = self.type()
            height = max(height, self.height)
            if self.accept("..."):
                rest = item
                self.accept(",")
                break
            items.append(item)
            if not self.accept(","):
                break
        self._close_bracket_type(rest)
        self.height = height
        self.raise_height()
        return _tuple_or_array(self, start, items, rest)

    def _close_bracket_type(self, rest: TypeExpr | None) -> None:
        if rest is not None and self.kind != "]":
            self.fail("E_TYPE_SYNTAX", "the `...` item must be the last of a tuple type")
        self.expect("]", "the item types")


def _tuple_or_array(
    parser: Cursor, start: int, items: list[TypeExpr], rest: TypeExpr | None
) -> TypeExpr:
    span = parser.span(start)
    if rest is None and len(items) == 1:
        return NamedType(span, "array", (items[0],))
    if rest is not None and not items:
        return NamedType(span, "array", (rest,))
    return TupleType(span, tuple(items), rest)
