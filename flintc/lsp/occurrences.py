"""Which names of a file stand for what: variables, functions, structs, fields, host functions."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

from flintc.analysis.symbols import (
    BuiltinTarget,
    FunctionSymbol,
    FunctionTarget,
    HostTarget,
    Module,
    NamespaceTarget,
    Target,
    Variable,
    VariableTarget,
)
from flintc.analysis.types import StructRef, Type, strip_optional
from flintc.analysis.walk import children
from flintc.catalogue import HostFunction
from flintc.driver import Analysis
from flintc.modules import BuiltinNamespace, HostNamespace
from flintc.source import Span
from flintc.syntax import nodes


@dataclass(frozen=True, slots=True)
class Namespace:
    """What a `use` or the path of a call names, where Python has its functions: `flint::tensor`."""

    path: str


Symbol: TypeAlias = (
    Variable
    | FunctionSymbol
    | nodes.Struct
    | nodes.Field
    | HostFunction
    | BuiltinTarget
    | Module
    | Namespace
)


class Occurrence(NamedTuple):
    """A name where it is written, from `start` to `end`, and what it stands for."""

    start: int
    end: int
    symbol: Symbol


class Occurrences:
    """The names of one module in the order of its text."""

    def __init__(self, module: Module, facts: Analysis) -> None:
        found = {(item.start, item.end): item for item in _Finder(module, facts).run()}
        self.items = sorted(found.values(), key=lambda item: item.start)
        self._starts = [item.start for item in self.items]

    def at(self, offset: int) -> Occurrence | None:
        """The name that contains `offset`, or ends there."""
        for before in (1, 2):
            at = bisect_right(self._starts, offset) - before
            if at >= 0 and self.items[at].start <= offset <= self.items[at].end:
                return self.items[at]
        return None

    def of(self, symbol: Symbol) -> Iterator[Occurrence]:
        return (item for item in self.items if item.symbol is symbol)


def declared_at(symbol: Symbol) -> Span | None:
    """The name in the declaration of a symbol; None for those that no script declares."""
    match symbol:
        case Variable(span=span):
            return span
        case FunctionSymbol(node=node):
            return node.name.span
        case nodes.Struct(name=name) | nodes.Field(name=name):
            return name.span
        case Module(file=file):
            return Span(file, 0, 0)
        case _:
            return None


class _Finder:
    def __init__(self, module: Module, facts: Analysis) -> None:
        self.program = module.program
        self.resolution = facts.resolution
        self.typing = facts.typing
        self.uses = next(item.uses for item in facts.loaded if item.module is module)
        modules = self.resolution.modules
        self.structs = {name: node for each in modules for name, node in each.structs.items()}
        self.namespaces = {
            (use.alias or use.path[-1]).name: target
            for use, target in self.uses.items()
            if isinstance(target, Module) and use.items is None
        }

    def run(self) -> Iterator[Occurrence]:
        stack: list[nodes.Node] = [self.program]
        while stack:
            node = stack.pop()
            yield from self._names(node)
            stack.extend(children(node))

    def _names(self, node: nodes.Node) -> Iterator[Occurrence]:
        match node:
            case nodes.Ident() | nodes.ForMap() | nodes.BindPattern() | nodes.Param():
                yield from self._bound(node)
            case nodes.Let() | nodes.ForRange():
                yield from self._bound(node)
            case nodes.Assign() | nodes.AddAssign() | nodes.MemberAssign() | nodes.IndexAssign():
                yield from self._bound(node)
                yield from self._assigned_field(node)
            case nodes.Name(span=span, name=name):
                symbol = self._meaning(node)
                if symbol is not None:
                    yield Occurrence(span.start, span.start + len(name), symbol)
            case nodes.Call():
                yield from self._call(node)
            case nodes.MapLiteral() if node in self.typing.literals:
                for entry in node.entries:
                    yield from self._key(self.typing.literals[node], entry.key)
            case nodes.Member(container=container, name=ident):
                yield from self._field(self.typing.of(container), ident.name, ident.span)
            case nodes.Index(container=container, key=key) | nodes.Has(value=container, key=key):
                yield from self._key(self.typing.of(container), key)
            case _:
                yield from self._declared(node)

    def _declared(self, node: nodes.Node) -> Iterator[Occurrence]:
        match node:
            case nodes.Function(name=ident):
                yield _occurrence(ident, self.resolution.functions[node])
            case nodes.Struct(name=ident) | nodes.Field(name=ident):
                yield _occurrence(ident, node)
            case nodes.NamedType(span=span, name=name) if name in self.structs:
                yield Occurrence(span.start, span.start + len(name), self.structs[name])
            case nodes.Use():
                yield from self._use(node)

    def _bound(self, node: nodes.Node) -> Iterator[Occurrence]:
        variable = self.resolution.variables.get(node)
        if variable is None:
            return
        if isinstance(node, nodes.ForMap):
            yield _occurrence(node.source, variable)
        elif isinstance(node, nodes.Ident):
            yield _occurrence(node, variable)
        else:
            ident = getattr(node, "name", None)
            if isinstance(ident, nodes.Ident):
                yield _occurrence(ident, variable)

    def _meaning(self, node: nodes.Name | nodes.Call) -> Symbol | None:
        variable = self.resolution.variables.get(node)
        return variable or _symbol(self.resolution.targets.get(node))

    def _call(self, node: nodes.Call) -> Iterator[Occurrence]:
        symbol = self._meaning(node)
        if symbol is not None:
            yield _occurrence(node.path[-1], symbol)
        if isinstance(symbol, HostFunction):
            namespace = symbol.path
            for ident in reversed(node.path[:-1]):
                namespace = namespace.rpartition("::")[0]
                yield _occurrence(ident, Namespace(namespace))
        elif len(node.path) == 2 and node.path[0].name in self.namespaces:
            yield _occurrence(node.path[0], self.namespaces[node.path[0].name])

    def _assigned_field(self, node: nodes.Node) -> Iterator[Occurrence]:
        variable = self.resolution.variables.get(node)
        if isinstance(node, nodes.MemberAssign) and variable is not None:
            yield from self._field(variable.type, node.member.name, node.member.span)
        elif isinstance(node, nodes.IndexAssign) and variable is not None:
            yield from self._key(variable.type, node.index)

    def _key(self, container: Type, key: nodes.Expr) -> Iterator[Occurrence]:
        """A field that is written as a map's key, with quotes or without."""
        span = key_span(key)
        if span is not None:
            yield from self._field(container, span.text, span)

    def _field(self, container: Type, name: str, span: Span) -> Iterator[Occurrence]:
        type_ = strip_optional(container)
        struct = self.structs.get(type_.name) if isinstance(type_, StructRef) else None
        for field in struct.fields if struct is not None else ():
            if field.name.name == name:
                yield Occurrence(span.start, span.end, field)

    def _use(self, node: nodes.Use) -> Iterator[Occurrence]:
        target = self.uses.get(node)
        match target:
            case Module():
                symbol: Symbol = target
            case HostNamespace(root=name) | BuiltinNamespace(name=name):
                symbol = Namespace(name)
            case _:
                return
        yield Occurrence(node.path[0].span.start, node.path[-1].span.end, symbol)
        if node.alias is not None:
            yield _occurrence(node.alias, symbol)
        if isinstance(target, Module):
            for item in node.items or ():
                yield from _imported(item, target)


def key_span(key: nodes.Expr) -> Span | None:
    """The name in a map's key, without its quotes; None where the text is another one."""
    if not isinstance(key, nodes.StringLiteral):
        return None
    span = key.span
    if span.text != key.value:
        span = Span(span.file, span.start + 1, span.end - 1)
    return span if span.text == key.value else None


def _imported(item: nodes.ImportItem, module: Module) -> Iterator[Occurrence]:
    function = module.functions.get(item.name.name)
    if function is not None:
        yield _occurrence(item.name, function)
        if item.alias is not None:
            yield _occurrence(item.alias, function)


def _occurrence(ident: nodes.Ident, symbol: Symbol) -> Occurrence:
    return Occurrence(ident.span.start, ident.span.end, symbol)


def _symbol(target: Target | None) -> Symbol | None:
    match target:
        case VariableTarget(variable):
            return variable
        case FunctionTarget(function):
            return function
        case NamespaceTarget(function=host) | HostTarget(function=host):
            return host
        case BuiltinTarget():
            return target
        case _:
            return None
