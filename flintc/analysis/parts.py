"""The parts of a node that are evaluated: expressions, statements, blocks and patterns, in order.

`walk.children` gives every node below another; here names and types are left out. Every pass asks
for the parts of every node, so they come from a table by the kind of node.
"""

from __future__ import annotations

from collections.abc import Callable
from operator import attrgetter
from typing import Any, Final, TypeAlias

from flintc.syntax import nodes

_Parts: TypeAlias = tuple[nodes.Node, ...]


def parts(node: nodes.Node) -> _Parts:
    """The direct expressions, statements, patterns and blocks of a node, in evaluation order."""
    find = _PARTS.get(type(node))
    return () if find is None else find(node)


def _value(node: Any) -> _Parts:
    return (node.value,)


def _slice_parts(node: nodes.Slice) -> _Parts:
    return tuple(part for part in (node.container, node.start, node.end) if part is not None)


def _if_parts(node: nodes.If) -> _Parts:
    if node.orelse is None:
        return (node.condition, node.then)
    return (node.condition, node.then, node.orelse)


def _entry_parts(node: nodes.MapLiteral) -> _Parts:
    return tuple(part for entry in node.entries for part in (entry.key, entry.value))


_PARTS: Final[dict[type[nodes.Node], Callable[[Any], _Parts]]] = {
    nodes.Call: attrgetter("args"),
    nodes.Operation: attrgetter("operands"),
    nodes.Unary: lambda node: (node.operand,),
    nodes.ValueBlock: lambda node: (*node.statements, node.value),
    nodes.IfExpr: attrgetter("condition", "then", "orelse"),
    nodes.Match: lambda node: (node.scrutinee, *node.arms),
    nodes.Arm: attrgetter("pattern", "body"),
    nodes.Closure: lambda node: (node.body,),
    nodes.ArrayLiteral: attrgetter("items"),
    nodes.MapLiteral: _entry_parts,
    nodes.Member: lambda node: (node.container,),
    nodes.Index: attrgetter("container", "key"),
    nodes.Slice: _slice_parts,
    nodes.Copy: _value,
    nodes.Length: _value,
    nodes.Keys: _value,
    nodes.UnwrapOr: attrgetter("value", "default"),
    nodes.Has: attrgetter("value", "key"),
    nodes.Program: attrgetter("statements"),
    nodes.Block: attrgetter("statements"),
    nodes.ExprStatement: _value,
    nodes.Let: _value,
    nodes.Assign: _value,
    nodes.AddAssign: _value,
    nodes.MemberAssign: _value,
    nodes.IndexAssign: attrgetter("index", "value"),
    nodes.If: _if_parts,
    nodes.While: attrgetter("condition", "body"),
    nodes.ForRange: attrgetter("start", "end", "body"),
    nodes.ForMap: lambda node: (node.body,),
    nodes.Function: lambda node: () if node.body is None else (node.body,),
}


def body_parts(owner: nodes.Node) -> list[nodes.Node]:
    """Everything evaluated below `owner`, depth first, in order; functions and closures below it
    are there, but not what is inside them. For whole bodies `Scope.parts` has it already.
    """
    table = _PARTS
    found: list[nodes.Node] = []
    stack = list(parts(owner)[::-1])
    while stack:
        node = stack.pop()
        found.append(node)
        kind = type(node)
        if kind is nodes.Function or kind is nodes.Closure:
            continue
        find = table.get(kind)
        if find is not None:
            stack.extend(find(node)[::-1])
    return found


def choices(node: nodes.Node) -> tuple[nodes.Node, ...]:
    """The expressions of which one gives the value of `node`."""
    if isinstance(node, (nodes.Copy, nodes.ValueBlock)):
        return (node.value,)
    if isinstance(node, nodes.IfExpr):
        return (node.then, node.orelse)
    return tuple(arm.body for arm in node.arms) if isinstance(node, nodes.Match) else ()


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
