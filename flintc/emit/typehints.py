"""Static types as Python annotations."""

from __future__ import annotations

import ast
from typing import Final, TypeGuard

from flintc.analysis.symbols import FunctionSymbol, Module
from flintc.analysis.types import (
    NUMBER,
    Array,
    Callable,
    Handle,
    Map,
    Object,
    Optional,
    Primitive,
    StructRef,
    Tuple,
    Type,
    TypeParameter,
)
from flintc.emit import structs, tree
from flintc.emit.context import ModuleContext
from flintc.source import Span
from flintc.syntax import nodes

_MAX_DEPTH: Final = 60  # CPython refuses 200 brackets, and a callable takes two
_PRIMITIVES: Final = {
    "int": "int",
    "float": "float",
    "number": "float",  # an int is accepted where a float is declared (PEP 484)
    "bool": "bool",
    "string": "str",
    "bytes": "bytes",
}


def annotation(context: ModuleContext, type_: Type, span: Span) -> ast.expr:
    """The annotation for a value of this type; `Any` where the type is not known, and further in
    than Python takes nested brackets.
    """
    if context.annotation_depth == _MAX_DEPTH or _is_unsure(context, type_):
        return any_(context, span)
    context.annotation_depth += 1
    try:
        return _annotation(context, type_, span)
    finally:
        context.annotation_depth -= 1


def _is_unsure(context: ModuleContext, type_: Type) -> bool:
    """Whether compiled code, which converts values to what annotations say, could change a value:
    an int where any number may be, and all that comes from values whose types nobody checked.
    """
    if not context.options.checked:
        return False
    return type_ == NUMBER or bool(context.facts.typing.trusted)


def _annotation(context: ModuleContext, type_: Type, span: Span) -> ast.expr:
    match type_:
        case Primitive("null"):
            return tree.constant(None, span)
        case Primitive(name):
            return tree.name(_PRIMITIVES[name], span)
        case Array(element):
            return _generic("list", [annotation(context, element, span)], span)
        case Tuple(items, rest):
            kinds = {*items, *([rest] if rest is not None else [])}
            one_kind = len(kinds) == 1
            item = annotation(context, kinds.pop(), span) if one_kind else any_(context, span)
            return _generic("list", [item], span)
        case Map(value):
            return _generic("dict", [any_(context, span), annotation(context, value, span)], span)
        case Object() | StructRef():
            return _struct(context, type_, span)
        case Callable(params, result):
            return _callable(context, params, result, span)
        case Optional(inner):
            return _or_none(annotation(context, inner, span), span)
        case Handle():
            return _handle(context, type_, span)
        case TypeParameter(name):
            variable = context.type_variable(name)
            return any_(context, span) if variable is None else tree.name(variable, span)
        case _:
            return any_(context, span)


def any_(context: ModuleContext, span: Span) -> ast.expr:
    return tree.name(context.imports.use("typing", "Any"), span)


def _generic(name: str, args: list[ast.expr], span: Span) -> ast.expr:
    key = args[0] if len(args) == 1 else tree.at(ast.Tuple(args, tree.LOAD), span)
    return tree.subscript(tree.name(name, span), key, span)


def _or_none(inner: ast.expr, span: Span) -> ast.expr:
    return tree.binary(inner, ast.BitOr(), tree.constant(None, span), span)


def shown(context: ModuleContext, declared: Type | None, inferred: Type, span: Span) -> ast.expr:
    """The annotation of a variable: a struct by the name that the script gives it, otherwise what
    is known of the value (host objects among ints).
    """
    return annotation(context, declared if _is_telling(declared) else inferred, span)


def _is_telling(type_: Type | None) -> TypeGuard[Type]:
    """Whether a declared type names a struct or a type parameter."""
    match type_:
        case StructRef() | TypeParameter():
            return True
        case Array(inner) | Map(inner) | Optional(inner):
            return _is_telling(inner)
        case Tuple(items, rest):
            return any(map(_is_telling, items)) or _is_telling(rest)
        case Callable(params, result):
            return any(map(_is_telling, params or ())) or _is_telling(result)
        case _:
            return False


def _struct(context: ModuleContext, type_: Object | StructRef, span: Span) -> ast.expr:
    found = _declaration(context, type_.name) if isinstance(type_, StructRef) else None
    if found is None or not isinstance(type_, StructRef):
        return _generic("dict", [tree.name("str", span), any_(context, span)], span)
    module, struct = found
    if module is context.module:
        name: ast.expr = tree.name(context.names.structs[struct], span)
    else:
        alias = tree.name(context.import_module(module), span)
        name = tree.attribute(alias, context.names_of(module).structs[struct.name.name], span)
    args = [annotation(context, arg, span) for arg in type_.args] if struct.type_params else []
    return tree.subscript(name, tree.one_or_tuple(args, span), span) if args else name


def _declaration(context: ModuleContext, name: str) -> tuple[Module, nodes.Struct] | None:
    """The struct of that name, of this module or of one that it gets values from (8.4)."""
    others = reversed(context.facts.resolution.modules)
    for module in (context.module, *others):
        struct = module.structs.get(name)
        if struct is not None and structs.is_class(struct):
            return module, struct
    return None


def _callable(
    context: ModuleContext, params: tuple[Type, ...] | None, result: Type, span: Span
) -> ast.expr:
    kinds = None if params is None else [annotation(context, param, span) for param in params]
    return callable_of(context, kinds, annotation(context, result, span), span)


def callable_of(
    context: ModuleContext, params: list[ast.expr] | None, result: ast.expr, span: Span
) -> ast.expr:
    """`Callable[[…], result]`; `Callable[..., result]` for unknown parameters."""
    name = tree.name(context.imports.use("collections.abc", "Callable"), span)
    unknown = tree.at(ast.Constant(...), span)
    arguments = unknown if params is None else tree.at(ast.List(params, tree.LOAD), span)
    key = tree.at(ast.Tuple([arguments, result], tree.LOAD), span)
    return tree.subscript(name, key, span)


def of_function(context: ModuleContext, symbol: FunctionSymbol) -> ast.expr:
    """A variable that gets a declared function; its type parameters mean nothing out there."""
    span, node = symbol.node.name.span, symbol.node
    if node.type_params:
        return callable_of(context, None, any_(context, span), span)
    declared = context.facts.resolution.annotation(node.result)
    result = shown(context, declared, symbol.result, span)
    if node in context.names.depths:  # a parameter that callers need not give
        return callable_of(context, None, result, span)
    params = [shown(context, param.declared, param.type, span) for param in symbol.params]
    return callable_of(context, params, result, span)


def _handle(context: ModuleContext, type_: Handle, span: Span) -> ast.expr:
    if type_.namespace == "torch":
        inner: ast.expr = tree.name(context.imports.use("torch", type_.name), span)
    elif type_.user_module is not None:
        inner = tree.name(context.imports.use(type_.user_module, type_.name), span)
    else:
        namespace = tree.name(context.imports.use("flint.runtime", type_.namespace), span)
        inner = tree.attribute(namespace, type_.name, span)
    return _or_none(inner, span) if type_.optional else inner
