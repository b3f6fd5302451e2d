"""The parts of a node that are evaluated: expressions, statements, blocks and patterns, in order.

`walk.children` gives every node below another; here names and types are left out. Every pass asks
for the parts of every node, so they come from a table by the kind of node.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from operator import attrgetter
from typing import Any, Final, TypeAlias

from flintc.syntax import nodes

_Parts: TypeAlias = tuple[nodes.Node, ...]


def parts(node: nodes.Node) -> _Parts:
    """The direct expressions, statements, patterns and blocks of a node, in evaluation order."""
    find = _PARTS.get(type(node))
    return () if find is None else find(node)


def _one(field: str) -> Callable[[Any], _Parts]:
    get = attrgetter(field)
    return lambda node: (get(node),)


def _present(*fields: str) -> Callable[[Any], _Parts]:
    """The fields that are there."""
    get = attrgetter(*fields)
    return lambda node: tuple(part for part in get(node) if part is not None)


def _entry_parts(node: nodes.MapLiteral) -> _Parts:
    return tuple(part for entry in node.entries for part in (entry.key, entry.value))


_PARTS: Final[dict[type[nodes.Node], Callable[[Any], _Parts]]] = {
    nodes.Call: attrgetter("args"),
    nodes.Operation: attrgetter("operands"),
    nodes.Unary: _one("operand"),
    nodes.ValueBlock: lambda node: (*node.statements, node.value),
    nodes.IfExpr: attrgetter("condition", "then", "orelse"),
    nodes.Match: lambda node: (node.scrutinee, *node.arms),
    nodes.Arm: attrgetter("pattern", "body"),
    nodes.Closure: _one("body"),
    nodes.ArrayLiteral: attrgetter("items"),
    nodes.MapLiteral: _entry_parts,
    nodes.Member: _one("container"),
    nodes.Index: attrgetter("container", "key"),
    nodes.Slice: _present("container", "start", "end"),
    nodes.Copy: _one("value"),
    nodes.Length: _one("value"),
    nodes.Keys: _one("value"),
    nodes.UnwrapOr: attrgetter("value", "default"),
    nodes.Has: attrgetter("value", "key"),
    nodes.Program: attrgetter("statements"),
    nodes.Block: attrgetter("statements"),
    nodes.ExprStatement: _one("value"),
    nodes.Let: _one("value"),
    nodes.Assign: _one("value"),
    nodes.AddAssign: _one("value"),
    nodes.MemberAssign: _one("value"),
    nodes.IndexAssign: attrgetter("index", "value"),
    nodes.If: _present("condition", "then", "orelse"),
    nodes.While: attrgetter("condition", "body"),
    nodes.ForRange: attrgetter("start", "end", "body"),
    nodes.ForMap: _one("body"),
    nodes.Function: lambda node: () if node.body is None else (node.body,),
}


def body_parts(owner: nodes.Node) -> Iterator[nodes.Node]:
    """Everything evaluated below `owner`, depth first, in order; functions and closures below it
    are yielded, but not what is inside them.
    """
    table = _PARTS
    stack = list(parts(owner)[::-1])
    while stack:
        node = stack.pop()
        yield node
        kind = type(node)
        if kind is nodes.Function or kind is nodes.Closure or kind not in table:
            continue
        stack.extend(table[kind](node)[::-1])


def choices(node: nodes.Node) -> tuple[nodes.Node, ...]:
    """The expressions of which one gives the value of `node`."""
    match node:
        case nodes.Copy(value=value) | nodes.ValueBlock(value=value):
            return (value,)
        case nodes.IfExpr(then=then, orelse=orelse):
            return (then, orelse)
        case nodes.Match(arms=arms):
            return tuple(arm.body for arm in arms)
        case _:
            return ()


def flat_operands(node: nodes.Operation) -> list[nodes.Expr]:
    """The operands of a `&&` or `||` chain, and those of the chains of that operator in it."""
    flat: list[nodes.Expr] = []
    pending: list[nodes.Expr] = [node]
    while pending:
        operand = pending.pop()
        if isinstance(operand, nodes.Operation) and continues(node, operand):
            pending.extend(reversed(operand.operands))
        else:
            flat.append(operand)
    return flat


def continues(chain: nodes.Node, operand: nodes.Node) -> bool:
    """Whether an operand of a `&&` or `||` chain is a chain of that operator itself."""
    return (
        isinstance(operand, nodes.Operation)
        and isinstance(chain, nodes.Operation)
        and operand.operators[0] == chain.operators[0]
        and operand.operators[0] in ("&&", "||")
    )
