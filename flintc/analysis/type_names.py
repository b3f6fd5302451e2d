"""Types as people write them, for messages."""

from __future__ import annotations

from typing import Final

from flintc.analysis.types import (
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
    Unknown,
)

_SHOWN: Final = 6  # parts of one type that a message lists


def type_name(type_: Type) -> str:
    """The type in RustScript's notation; handles are `namespace.Class`."""
    match type_:
        case Primitive(name) | TypeParameter(name):
            return name
        case Unknown():
            return "unknown"
        case Array(item):
            return f"array<{type_name(item)}>"
        case Tuple(items, rest):
            names = _list(items) if rest is None else f"{_list(items)}, {type_name(rest)}..."
            return f"[{names}]"
        case Map(value):
            return f"map<{type_name(value)}>"
        case Object(fields):
            inner = [f"{name}: {type_name(field)}" for name, field in fields[:_SHOWN]]
            return f"{{{_joined(inner, len(fields))}}}"
        case StructRef(name, args):
            return f"{name}<{_list(args)}>" if args else name
        case Callable(params, result):
            known = "…" if params is None else _list(params)
            return f"fn({known}) -> {type_name(result)}"
        case Optional(item):
            return f"{type_name(item)}?"
        case Handle(namespace, name, optional):
            return f"{namespace}.{name}".lstrip(".") + ("?" if optional else "")


def _list(types: tuple[Type, ...]) -> str:
    return _joined([type_name(type_) for type_ in types[:_SHOWN]], len(types))


def _joined(names: list[str], count: int) -> str:
    return ", ".join(names if len(names) == count else [*names, "…"])
