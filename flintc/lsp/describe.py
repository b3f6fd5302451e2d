"""Symbols in words: the signatures and texts that hover, completion and signature help show."""

from __future__ import annotations

from bisect import bisect_right

from flintc.analysis.symbols import BuiltinTarget, FunctionSymbol, Module, Variable
from flintc.analysis.type_names import type_name
from flintc.analysis.types import UNKNOWN, Callable, Type
from flintc.catalogue import HostFunction
from flintc.lsp.occurrences import Namespace, Symbol
from flintc.syntax import nodes


def markdown(symbol: Symbol) -> str:
    """What hovering over a symbol shows: its declaration as code, then its documentation."""
    head = f"```rustscript\n{declaration(symbol)}\n```"
    doc = documentation(symbol)
    return f"{head}\n\n{doc}" if doc else head


def declaration(symbol: Symbol) -> str:
    """The declaration of a symbol with the types that were inferred for it."""
    match symbol:
        case Variable(name=name, kind=kind, mutable=mutable):
            word = {"let": "let ", "loop": "for "}.get(kind, "")
            mut = "mut " if mutable and word else ""
            return f"{word}{mut}{name}: {type_name(symbol.type)}"
        case FunctionSymbol() | HostFunction():
            return f"fn {signature(symbol)[0]}"
        case nodes.Struct():
            return symbol.span.text
        case nodes.Field():
            return symbol.span.text
        case BuiltinTarget(name):
            return f"fn {name}"
        case Module(name=name):
            return f"use {name.replace('.', '::')}"
        case Namespace(path=path):
            return f"use {path}"


def signature(symbol: FunctionSymbol | HostFunction) -> tuple[str, list[str]]:
    """The whole signature, and the part of each parameter in it."""
    if isinstance(symbol, HostFunction):
        params = [f"{param.name}: {_shown(param.type)}" for param in symbol.params]
        name, result = symbol.path, _shown(symbol.result)
    else:
        params = _params(symbol)
        generics = ", ".join(param.name for param in symbol.node.type_params)
        name = f"{symbol.name}<{generics}>" if generics else symbol.name
        result = _written(symbol.node.result) or type_name(symbol.result)
    return f"{name}({', '.join(params)}) -> {result}", params


def callable_signature(name: str, type_: Callable) -> tuple[str, list[str]]:
    """As `signature`, for a variable that holds a function."""
    params = [type_name(param) for param in type_.params or ()]
    return f"{name}({', '.join(params)}) -> {type_name(type_.result)}", params


def documentation(symbol: Symbol) -> str:
    """The docstring of a host function, or the comment lines above a declaration."""
    match symbol:
        case HostFunction(doc=doc):
            return doc
        case FunctionSymbol(node=node, module=module):
            return _comment_above(node, module.program)
        case Module(file=file):
            return file.path
        case _:
            return ""


def _params(symbol: FunctionSymbol) -> list[str]:
    inferred = [variable.type for variable in symbol.params] or [UNKNOWN] * len(symbol.node.params)
    pairs = zip(symbol.node.params, inferred, strict=True)
    return [f"{p.name.name}: {_written(p.annotation) or type_name(type_)}" for p, type_ in pairs]


def _written(annotation: nodes.TypeExpr | None) -> str | None:
    return None if annotation is None else annotation.span.text


def _shown(type_: Type) -> str:
    return "any" if type_ is UNKNOWN else type_name(type_)


def _comment_above(node: nodes.Node, program: nodes.Program) -> str:
    """The text of the comment lines that end in the line before a node."""
    lines: list[str] = []
    line = node.span.line
    first = bisect_right(program.comments, node.span.start, key=lambda each: each.span.start)
    for at in range(first - 1, -1, -1):
        comment = program.comments[at]
        if not comment.own_line or comment.span.file.position(comment.span.end).line != line - 1:
            break
        line = comment.span.line
        lines.append(comment.text.strip("/* \t"))
    return "\n".join(reversed(lines))
