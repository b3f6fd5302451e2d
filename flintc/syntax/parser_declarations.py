"""Functions, structs and `use` (language reference 2.5 to 2.7)."""

from __future__ import annotations

from typing import Final

from flintc.syntax.nodes import (
    Field,
    Function,
    Ident,
    ImportItem,
    OptionalType,
    Param,
    Statement,
    Struct,
    TypeExpr,
    Use,
    ValueBlock,
)
from flintc.syntax.parser_expressions import ExpressionParser
from flintc.syntax.tokens import describe

BUILTIN_NAMESPACES: Final = frozenset({"bytes", "io", "json", "jit", "math", "re"})
_QUALIFIERS: Final = frozenset({"self", "super"})


class DeclarationParser(ExpressionParser):
    # -- functions -------------------------------------------------------------------------

    def public_function(self) -> Statement:
        """`pub fn …`."""
        start = self.advance().start
        if self.kind != "fn":
            title = f"expected `fn` after `pub`, found {describe(self.token)}"
            self.fail("E_PUB_WITHOUT_FN", title, help="only functions can be public")
        return self._function(start, public=True)

    def function(self) -> Statement:
        """`fn name<T>(params) -> result body`."""
        return self._function(self.token.start, public=False)

    def _function(self, start: int, *, public: bool) -> Statement:
        self.advance()
        name = self.expect_name("a function name")
        type_params = self.type_parameters()
        self.expect("(", "the function name")
        params = self.comma_list(")", self._parameter, "parameter")
        self.check_distinct([param.name for param in params], "parameter")
        self.check_count(params, "parameter", name.span)
        result = self._result()
        loops, self.loops = self.loops, 0
        body = self._body()
        self.loops = loops
        span = self.span(start)
        if body is not None:
            self.accept(";")  # allowed after a body, and no part of the function
        self.raise_height()
        return Function(span, name, public, type_params, params, result, body)

    def _parameter(self) -> Param:
        name = self.expect_name("a parameter name")
        annotation = self.annotation()
        return Param(self.span(name.span.start), name, annotation)

    def _result(self) -> TypeExpr | None:
        if not self.at_pair("-", ">"):
            return None
        self.advance()
        self.advance()
        result = self.type()
        if isinstance(result, OptionalType):
            self.accept("?")  # the header allows one more, which means nothing (2.5)
        return result

    def _body(self) -> ValueBlock | None:
        self.height = 0
        if self.accept(";"):
            return None
        if self.kind == "{":
            return self.value_block("function body")
        if self.kind != "=":
            title = f"expected a function body, found {describe(self.token)}"
            hint = "write `{ … }` or `= expression;`, or `;` for a host function"
            self.fail("E_EXPECTED_TOKEN", title, help=hint)
        self.advance()
        value = self.expression()
        body = ValueBlock(value.span, (), value)
        self.expect(";", "the function body")
        return body

    # -- structs ---------------------------------------------------------------------------

    def struct(self) -> Statement:
        """`struct Name<T> { field: type, … }`."""
        start = self.advance().start
        name = self.expect_name("a struct name")
        type_params = self.type_parameters()
        self.expect("{", "the struct name")
        fields: list[Field] = []
        while self.kind != "}":
            fields.append(self._field())
            if not self.accept(","):
                break
        if self.kind != "}":
            title = f"expected `,` or `}}` after a field, found {describe(self.token)}"
            self.fail("E_EXPECTED_TOKEN", title, help="separate the fields with commas")
        self.advance()
        self.height = 1
        return Struct(self.span(start), name, type_params, tuple(fields))

    def _field(self) -> Field:
        name = self.expect_name("a field name")
        self.expect(":", "the field name")
        type_ = self.type()
        return Field(self.span(name.span.start), name, type_)

    # -- use -------------------------------------------------------------------------------

    def use(self) -> Statement:
        """`use path;`, `use path as name;`, `use path::*;` or `use path::{f, g as h};`."""
        start = self.advance().start
        path = [self._first_segment()]
        alias: Ident | None = None
        wildcard, items = False, None
        while self.at_pair(":", ":"):
            self.advance()
            self.advance()
            if self.kind == "{":
                items = self._import_list()
                break
            wildcard = self.accept("*")
            if wildcard:
                break
            path.append(self.member_name())
        if not wildcard and items is None and self.accept("as"):
            alias = self.expect_name("an alias")
        self._check_path(path, wildcard or items is not None)
        self.expect(";", "`use`")
        self.height = 1
        return Use(self.span(start), tuple(path), alias, wildcard, items)

    def _first_segment(self) -> Ident:
        segment = self.expect_name("a module name")
        if segment.name == "crate":
            title = "paths do not begin with `crate`"
            hint = "paths are relative to this file: write `use name;` or `use super::name;`"
            self.report("E_USE_FORM", title, segment.span, help=hint)
        return segment

    def _import_list(self) -> tuple[ImportItem, ...]:
        """`{f, g as h}`; a trailing comma is allowed."""
        self.advance()
        if self.kind in ("}", "*"):
            hint = "write `::*` without braces for all public functions"
            self.fail("E_USE_FORM", "expected a name to import", help=hint)
        items: list[ImportItem] = []
        while self.kind != "}":
            items.append(self._import_item())
            if not self.accept(","):
                break
        self.expect("}", "the imported names")
        return tuple(items)

    def _import_item(self) -> ImportItem:
        name = self.expect_name("a name to import")
        alias = self.expect_name("an alias") if self.accept("as") else None
        return ImportItem(self.span(name.span.start), name, alias)

    def _check_path(self, path: list[Ident], selects: bool) -> None:
        span = path[0].span.to(path[-1].span)
        if all(segment.name in _QUALIFIERS for segment in path):
            title = "this path names no module"
            self.report("E_USE_FORM", title, span, help="add the name of a module")
        elif selects and len(path) == 1 and path[0].name in BUILTIN_NAMESPACES:
            name = path[0].name
            title = f"the builtin namespace `{name}` can only be imported as a whole"
            hint = f"write `use {name};` and call `{name}::function(…)`"
            self.report("E_USE_FORM", title, span, help=hint)
