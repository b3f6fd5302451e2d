"""Reading from containers: indices, members, slices, lengths, `has`, `keys`, `unwrap_or`."""

from __future__ import annotations

import ast

from flintc.analysis.types import (
    BYTES,
    INT,
    STRING,
    Optional,
    StructRef,
    Type,
    is_array,
    is_map,
)
from flintc.emit import order, tree
from flintc.emit.body import Body
from flintc.emit.literals import is_plain_key
from flintc.syntax import nodes


def index(body: Body, node: nodes.Index) -> ast.expr:
    if node.optional:
        return _optional(body, node)
    container, key = body.exprs((node.container, node.key))
    type_ = body.type_of(node.container)
    if _may_be_absent(body, node.container, node.key):
        return _present(body, node, tree.method(container, "get", node.span, key))
    if is_in_bounds(body, node.container, node.key) or _is_plain_index(body, node, type_):
        return tree.subscript(container, key, node.span)
    if is_map(type_) and is_plain_key(body.type_of(node.key)):
        return tree.subscript(container, key, node.span)
    return body.helper(_index_helper(type_), node.span, container, key)


def _index_helper(type_: Type) -> str:
    if is_array(type_):
        return "array_item"
    if is_map(type_):
        return "map_item"
    if type_ is STRING:
        return "string_item"
    return "bytes_item" if type_ is BYTES else "item"


def _is_plain_index(body: Body, node: nodes.Index, type_: Type) -> bool:
    """Python counts negative indices from the end; one beyond it fails there too, and the run time
    finds the index again if it is a simple expression."""
    if not (is_array(type_) or type_ in (STRING, BYTES)) or body.type_of(node.key) is not INT:
        return False
    if body.context.options.checked:
        return False
    return _is_replayable(body, node.key) and body.context.facts.ranges.is_non_negative(node.key)


def _is_replayable(body: Body, node: nodes.Node) -> bool:
    match node:
        case nodes.IntLiteral():
            return True
        case nodes.Name():
            return body.variable(node) is not None
        case nodes.Length(value=value):
            return isinstance(value, nodes.Name)
        case nodes.Operation(operators=operators, operands=operands):
            simple = all(operator in ("+", "-", "*") for operator in operators)
            return simple and all(_is_replayable(body, operand) for operand in operands)
        case nodes.Unary(operator="&", operand=operand) | nodes.Copy(value=operand):
            return _is_replayable(body, operand)
        case _:
            return False


def is_in_bounds(body: Body, items: nodes.Node, key: nodes.Node) -> bool:
    """`a[i]` inside `for i in 0..a.length`, where neither can change."""
    index = body.variable(_plain(key))
    container = body.variable(_plain(items))
    return index is not None and container is not None and body.in_bounds.get(index) is container


def _plain(node: nodes.Node) -> nodes.Node:
    while isinstance(node, nodes.Unary) and node.operator == "&":
        node = node.operand
    return node


def member(body: Body, node: nodes.Member) -> ast.expr:
    if node.optional:
        return _optional(body, node)
    container = body.expr(node.container)
    key = tree.constant(node.name.name, node.name.span)
    if _declares_optional(body, node.container, node.name.name):
        return _present(body, node, tree.method(container, "get", node.span, key))
    if is_map(body.type_of(node.container)):
        return tree.subscript(container, key, node.span)
    return body.helper("item", node.span, container, key)


def _present(body: Body, node: nodes.Member | nodes.Index, value: ast.expr) -> ast.expr:
    """An optional field where the script declares a plain value."""
    if node not in body.context.facts.typing.present:
        return value
    return body.helper("present", node.span, value)


def _may_be_absent(body: Body, container: nodes.Node, key: nodes.Node) -> bool:
    return isinstance(key, nodes.StringLiteral) and _declares_optional(body, container, key.value)


def _declares_optional(body: Body, container: nodes.Node, field: str) -> bool:
    """Whether a struct declares the field optional: null is not stored (2.9), yet reads as null."""
    type_ = body.type_of(container)
    if not isinstance(type_, StructRef):
        return False
    schema = body.context.facts.resolution.structs.get(type_.name)
    return schema is not None and isinstance(schema.fields.get(field), Optional)


def _optional(body: Body, node: nodes.Index | nodes.Member) -> ast.expr:
    if isinstance(node, nodes.Member):
        container = body.expr(node.container)
        key = tree.constant(node.name.name, node.name.span)
        plain = True
    else:
        container, key = body.exprs((node.container, node.key))
        plain = body.type_of(node.key) is STRING
    if plain and is_map(body.type_of(node.container)):
        return tree.method(container, "get", node.span, key)
    return body.helper("optional_item", node.span, container, key)


def slice_(body: Body, node: nodes.Slice) -> ast.expr:
    """Python's slice does the same unless the start is negative (then the result is empty)."""
    bounds = [bound for bound in (node.start, node.end) if bound is not None]
    container, *lowered = body.exprs((node.container, *bounds))
    start = lowered[0] if node.start is not None else None
    end = lowered[-1] if node.end is not None else None
    type_ = body.type_of(node.container)
    known = is_array(type_) or type_ in (STRING, BYTES)
    ranges = body.context.facts.ranges
    if known and (node.start is None or ranges.is_non_negative(node.start)):
        return tree.subscript(container, tree.at(ast.Slice(start, end), node.span), node.span)
    nothing = tree.constant(None, node.span)
    return body.helper("slice_", node.span, container, start or nothing, end or nothing)


def length(body: Body, node: nodes.Length) -> ast.expr:
    value = body.expr(node.value)
    type_ = body.type_of(node.value)
    if is_array(type_) or is_map(type_) or type_ in (STRING, BYTES):
        return tree.call(tree.name("len", node.span), [value], node.span)
    return body.helper("length", node.span, value)


def keys(body: Body, node: nodes.Keys) -> ast.expr:
    return body.helper("keys", node.span, body.expr(node.value))


def has(body: Body, node: nodes.Has) -> ast.expr:
    container, key = body.exprs((node.value, node.key))
    plain = is_map(body.type_of(node.value)) and is_plain_key(body.type_of(node.key))
    if plain and order.commutes(body, container, key):
        return tree.compare(key, ast.In(), container, node.span)
    return body.helper("has", node.span, container, key)


def unwrap_or(body: Body, node: nodes.UnwrapOr) -> ast.expr:
    value = body.simple(body.expr(node.value), "found", node.value.span)
    with body.block() as fallback:
        default = body.expr(node.default)
    present = tree.is_none(value, node.span, negate=True)
    if not fallback:
        return tree.at(ast.IfExp(present, value, default), node.span)
    result = body.temporary("chosen")
    target = tree.store(result, node.span)
    fallback.append(tree.assign(target, default, node.span))
    chosen = tree.assign(tree.store(result, node.span), value, node.span)
    body.emit(tree.at(ast.If(present, [chosen], fallback), node.span))
    return tree.name(result, node.span)
