"""Values of a struct are plain maps: where one may be read or made without a type that says so."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias

from flintc.analysis.symbols import FunctionTarget
from flintc.analysis.types import UNKNOWN, Map, Object, StructRef, Type, strip_optional
from flintc.analysis.walk import children
from flintc.lsp.occurrences import key_span
from flintc.lsp.snapshot import Snapshot
from flintc.source import Span
from flintc.syntax import nodes

_Use: TypeAlias = tuple[Type, Span]  # the type of a map, and the name of its field


def owner_of(snapshot: Snapshot, field: nodes.Field) -> nodes.Struct | None:
    """The struct that declares a field."""
    modules = snapshot.facts.resolution.modules
    structs = (struct for module in modules for struct in module.structs.values())
    return next((struct for struct in structs if field in struct.fields), None)


def unclear_uses(
    snapshot: Snapshot, program: nodes.Program, owner: nodes.Struct, name: str
) -> Iterator[Span]:
    """Where the field `name` of `owner` may be meant, or a value of `owner` becomes a `map<T>`."""
    siblings = {field.name.name for field in owner.fields}
    stack: list[nodes.Node] = [program]
    while stack:
        node = stack.pop()
        stack.extend(children(node))
        for type_, span in _uses(snapshot, node, siblings):
            if span.text == name and _may_be(type_, siblings):
                yield span
        for value, declared in _declared(snapshot, node):
            type_ = strip_optional(snapshot.facts.typing.of(value))
            is_owner = isinstance(type_, StructRef) and type_.name == owner.name.name
            if is_owner and isinstance(strip_optional(declared or UNKNOWN), Map):
                yield value.span


def _uses(snapshot: Snapshot, node: nodes.Node, siblings: set[str]) -> list[_Use]:
    typing, variables = snapshot.facts.typing, snapshot.facts.resolution.variables
    match node:
        case nodes.Member(container=container, name=ident):
            return [(typing.of(container), ident.span)]
        case nodes.MemberAssign(member=ident) if node in variables:
            return [(variables[node].type, ident.span)]
        case nodes.Index(container=container, key=key) | nodes.Has(value=container, key=key):
            return _key_uses(typing.of(container), key)
        case nodes.IndexAssign(index=key) if node in variables:
            return _key_uses(variables[node].type, key)
        case nodes.MapLiteral(entries=entries) if node not in typing.literals:
            written = [use for entry in entries for use in _key_uses(UNKNOWN, entry.key)]
            return written if siblings <= {span.text for _, span in written} else []
        case _:
            return []


def _key_uses(container: Type, key: nodes.Expr) -> list[_Use]:
    span = key_span(key)
    return [] if span is None else [(container, span)]


def _may_be(container: Type, fields: set[str]) -> bool:
    """Whether values of a type may be of a struct with these fields, though nothing says so."""
    container = strip_optional(container)
    if isinstance(container, Object):
        return fields <= {name for name, _ in container.fields}
    return container == UNKNOWN


def _declared(snapshot: Snapshot, node: nodes.Node) -> list[tuple[nodes.Expr, Type | None]]:
    """Values of a node that a declared type awaits."""
    resolution = snapshot.facts.resolution
    match node:
        case nodes.Let(value=value, annotation=written):
            return [(value, resolution.annotation(written))]
        case nodes.Assign(value=value) if node in resolution.variables:
            return [(value, resolution.variables[node].declared)]
        case nodes.Function(body=body, result=written) if body is not None:
            return [(body.value, resolution.annotation(written))]
        case nodes.Call(args=args):
            target = resolution.targets.get(node)
            params = target.function.params if isinstance(target, FunctionTarget) else []
            return [(arg, param.declared) for arg, param in zip(args, params, strict=False)]
        case _:
            return []
