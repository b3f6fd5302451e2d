"""Where a literal `0` stands for "no handle": it gets the type of the handle it takes the place of.

Types flow down from what a value is bound to, passed to, compared with or merged with.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias

from flintc.analysis.expectations import result_parts
from flintc.analysis.lattice import inner_types, item_at
from flintc.analysis.symbols import (
    FunctionTarget,
    HostTarget,
    Resolution,
    Typing,
    Variable,
    VariableTarget,
)
from flintc.analysis.types import (
    UNKNOWN,
    Array,
    Handle,
    Map,
    Object,
    StructRef,
    Tuple,
    Type,
    strip_optional,
)
from flintc.analysis.types import Callable as CallableType
from flintc.syntax import nodes

_Value: TypeAlias = nodes.Expr | nodes.ValueBlock


def place_zeros(resolution: Resolution, typing: Typing) -> None:
    """Give the literals `0` of a program that stand for "no handle" the handle's type."""
    for symbol in resolution.functions.values():
        if symbol.node.body is not None:
            _place(symbol.node.body, symbol.result, typing)
    for node, variable in resolution.variables.items():
        if isinstance(node, (nodes.Let, nodes.Assign)):
            _place(node.value, variable.type, typing)
        elif isinstance(node, nodes.IndexAssign):
            _place(node.value, _item(variable.type, None, typing), typing)
        elif isinstance(node, nodes.MemberAssign):
            _place(node.value, _item(variable.type, node.member.name, typing), typing)
    for node, type_ in list(typing.types.items()):
        for part, wanted in _inner(node, type_, resolution, typing):
            _place(part, wanted, typing)


def _inner(
    node: nodes.Node, type_: Type, resolution: Resolution, typing: Typing
) -> Iterator[tuple[_Value, Type]]:
    """The parts of an expression, with what is wanted there."""
    match node:
        case nodes.Call():
            yield from zip(node.args, _params(node, resolution), strict=False)
        case nodes.Operation(operands=(left, right), operators=("==" | "!=",)):
            yield left, typing.of(right)
            yield right, typing.of(left)
        case nodes.ArrayLiteral() | nodes.MapLiteral():
            yield from _items(node, type_, typing)
        case _:
            for part in result_parts(node):
                yield part, type_


def _params(node: nodes.Call, resolution: Resolution) -> list[Type]:
    match resolution.targets.get(node):
        case FunctionTarget(function):
            return [param.type for param in function.params]
        case HostTarget(_, function) if function is not None:
            return [param.type for param in function.params]
        case VariableTarget(variable):
            type_ = strip_optional(variable.type)
            return list(type_.params or ()) if isinstance(type_, CallableType) else []
        case _:
            return []


def find_untyped(resolution: Resolution, typing: Typing) -> None:
    """Fill `typing.untyped`: variables that hold a handle at one place and a number at another, or
    perhaps no handle where one is needed."""
    for node, target in resolution.targets.items():
        if isinstance(node, nodes.Call) and isinstance(target, (HostTarget, FunctionTarget)):
            for arg, wanted in zip(node.args, _params(node, resolution), strict=False):
                variable = resolution.variables.get(arg)
                if variable is not None and may_be_none(variable.type, wanted):
                    typing.untyped.add(variable)
    first: dict[Variable, Type] = {}
    for node, variable in resolution.variables.items():
        if isinstance(node, (nodes.Let, nodes.Assign)) and variable.type is UNKNOWN:
            type_ = typing.of(node.value)
            if first.setdefault(variable, type_) != type_:
                typing.untyped.add(variable)


def may_be_none(actual: Type, wanted: Type) -> bool:
    """Whether a value may be no handle where one is needed."""
    if not isinstance(actual, Handle) or not isinstance(wanted, Handle):
        return False
    return actual.optional and not wanted.optional


def has_handle(type_: Type) -> bool:
    """Whether a value of the type is a handle, or has one in it."""
    return isinstance(type_, Handle) or any(map(has_handle, inner_types(type_)))


def _place(node: _Value, wanted: Type, typing: Typing) -> None:
    wanted = strip_optional(wanted)
    if isinstance(wanted, Handle):
        _place_handle(node, wanted, typing)
    elif isinstance(node, (nodes.ArrayLiteral, nodes.MapLiteral)):
        for part, type_ in _items(node, wanted, typing):
            _place(part, type_, typing)
    elif isinstance(wanted, (Array, Tuple, Map, Object, StructRef)):
        for part in result_parts(node):
            _place(part, wanted, typing)


def _place_handle(node: _Value, wanted: Handle, typing: Typing) -> None:
    parts = result_parts(node)
    is_zero = isinstance(node, nodes.IntLiteral) and node.value == 0
    if is_zero or (parts and not isinstance(typing.of(node), Handle)):
        typing.types[node] = Handle(wanted.namespace, wanted.name, optional=True)
    for part in parts:
        _place_handle(part, wanted, typing)


def _items(
    node: nodes.ArrayLiteral | nodes.MapLiteral, wanted: Type, typing: Typing
) -> Iterator[tuple[_Value, Type]]:
    if isinstance(node, nodes.MapLiteral):
        for entry in node.entries:
            key = entry.key.value if isinstance(entry.key, nodes.StringLiteral) else None
            yield entry.value, _item(wanted, key, typing)
    elif isinstance(wanted, (Array, Tuple)):
        for at, item in enumerate(node.items):
            yield item, item_at(wanted, at)


def _item(container: Type, field: str | None, typing: Typing) -> Type:
    """The type of what is stored in a container, under a literal field or any key."""
    match strip_optional(container):
        case Array(item) | Map(item):
            return item
        case Object() as known if field is not None:
            return known.field(field) or UNKNOWN
        case StructRef(name) if field is not None:
            return typing.fields.get((name, field), UNKNOWN)
        case _:
            return UNKNOWN
