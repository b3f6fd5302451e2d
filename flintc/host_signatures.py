"""The functions of a user's own Python module that scripts may call, read from its source text.

Annotations are the RustScript signature. A function that scripts cannot call keeps the reason,
which is reported where one calls it: a module may have other functions as well.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from typing import Final

from flintc.analysis.types import (
    BOOL,
    BYTES,
    FLOAT,
    INT,
    NULL,
    STRING,
    UNKNOWN,
    Array,
    Callable,
    Handle,
    Map,
    Optional,
    Type,
)
from flintc.catalogue import HostFunction, HostParam

_PRIMITIVES: Final[Mapping[str, Type]] = {
    "int": INT,
    "float": FLOAT,
    "bool": BOOL,
    "str": STRING,
    "bytes": BYTES,
    "None": NULL,
    "object": UNKNOWN,
    "Any": UNKNOWN,
}


class Unsupported(Exception):
    """An annotation, or a kind of function, that scripts have no counterpart for."""


def read_functions(module: str, text: str) -> dict[str, HostFunction]:
    """The public functions of the module named `module` that have annotations, by name.

    `SyntaxError` if the text is not Python.
    """
    tree = ast.parse(text)
    reader = _Annotations(module, tree)
    functions = {}
    for node in tree.body:
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and _is_offered(node):
            functions[node.name] = _function(module, node, reader)
    return functions


def _is_offered(node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    arguments = node.args
    every = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
    annotated = node.returns is not None or any(argument.annotation for argument in every)
    return annotated and not node.name.startswith("_")


def _function(
    module: str, node: ast.FunctionDef | ast.AsyncFunctionDef, reader: _Annotations
) -> HostFunction:
    path = f"{module.replace('.', '::')}::{node.name}"
    doc = ast.get_docstring(node) or ""
    try:
        params = tuple(_params(node, reader))
        result = reader.result(node.returns)
    except Unsupported as error:
        return HostFunction(
            path, module, node.name, (), UNKNOWN, doc, module, user=True, fault=str(error)
        )
    return HostFunction(path, module, node.name, params, result, doc, module, user=True)


def _params(
    node: ast.FunctionDef | ast.AsyncFunctionDef, reader: _Annotations
) -> Iterator[HostParam]:
    arguments = node.args
    if isinstance(node, ast.AsyncFunctionDef):
        raise Unsupported("it is `async`")
    for name, extra in (("*", arguments.vararg), ("**", arguments.kwarg)):
        if extra is not None:
            raise Unsupported(f"it takes `{name}{extra.arg}`")
    for keyword, default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True):
        if default is None:
            raise Unsupported(f"its parameter `{keyword.arg}` can only be given by name")
    plain = [*arguments.posonlyargs, *arguments.args]
    required = len(plain) - len(arguments.defaults)
    for at, argument in enumerate(plain):
        yield HostParam(argument.arg, reader.parameter(argument), at >= required)


class _Annotations:
    """What annotations mean in one module."""

    def __init__(self, module: str, tree: ast.Module) -> None:
        self.module = module
        self.classes = {node.name for node in tree.body if isinstance(node, ast.ClassDef)}

    def parameter(self, argument: ast.arg) -> Type:
        what = f"its parameter `{argument.arg}`"
        if argument.annotation is None:
            raise Unsupported(f"{what} has no annotation")
        return self._read(what, argument.annotation)

    def result(self, annotation: ast.expr | None) -> Type:
        if annotation is None:
            raise Unsupported("its result has no annotation")
        return self._read("its result", annotation)

    def _read(self, what: str, annotation: ast.expr) -> Type:
        try:
            return self.type(annotation)
        except Unsupported as error:
            raise Unsupported(f"{what} is annotated `{ast.unparse(annotation)}`: {error}") from None

    def type(self, annotation: ast.expr) -> Type:
        match annotation:
            case ast.Constant(value=None):
                return NULL
            case ast.Constant(value=str(text)):
                return self._quoted(text)
            case ast.Name(id=name) | ast.Attribute(attr=name):
                return self._named(name, isinstance(annotation, ast.Name))
            case ast.BinOp(left=left, op=ast.BitOr(), right=right):
                return _union([self.type(left), self.type(right)])
            case ast.Subscript(value=ast.Name(id=name) | ast.Attribute(attr=name), slice=inner):
                return self._generic(name, inner)
            case _:
                raise Unsupported("scripts have no such type")

    def _quoted(self, text: str) -> Type:
        try:
            return self.type(ast.parse(text, mode="eval").body)
        except SyntaxError:
            raise Unsupported("this is no type") from None

    def _named(self, name: str, plain: bool) -> Type:
        if plain and name in self.classes:
            return Handle(f".{self.module}", name)
        if name == "Callable":
            return Callable(None, UNKNOWN)
        if name in ("list", "dict", "List", "Dict"):
            raise Unsupported("name the type of its items, as in `list[int]` or `dict[str, int]`")
        known = _PRIMITIVES.get(name)
        if known is None:
            raise Unsupported("scripts have no such type, and the module defines no such class")
        return known

    def _generic(self, name: str, inner: ast.expr) -> Type:
        match name, inner:
            case "list" | "List", _:
                return Array(self.type(inner))
            case "dict" | "Dict", ast.Tuple(elts=[key, value]):
                if self.type(key) is not STRING:
                    raise Unsupported("the keys of a map are strings here")
                return Map(self.type(value))
            case "Optional", _:
                return _union([self.type(inner), NULL])
            case "Union", ast.Tuple(elts=members):
                return _union([self.type(member) for member in members])
            case "Callable", ast.Tuple(elts=[ast.List(elts=params), result]):
                return Callable(tuple(map(self.type, params)), self.type(result))
            case "Callable", ast.Tuple(elts=[ast.Constant(value=builtins_ellipsis), result]):
                if builtins_ellipsis is ...:
                    return Callable(None, self.type(result))
        raise Unsupported("scripts have no such type")


def _union(members: list[Type]) -> Type:
    """`X | None`: scripts have no other unions."""
    others = [member for member in members if member is not NULL]
    if len(others) != 1 or len(members) != 2:
        raise Unsupported("of the unions, scripts have only those with `None`")
    if isinstance(others[0], Handle):
        return Handle(others[0].namespace, others[0].name, optional=True)
    return UNKNOWN if others[0] is UNKNOWN else Optional(others[0])
