"""The parts of a node that are evaluated: expressions, statements, blocks and patterns, in order.

`walk.children` gives every node below another; here names and types are left out.
"""

from __future__ import annotations

from collections.abc import Iterator

from flintc.syntax import nodes


def parts(node: nodes.Node) -> Iterator[nodes.Node]:
    """The direct expressions, statements, patterns and blocks of a node, in evaluation order."""
    match node:
        case nodes.Call():
            yield from node.args
        case nodes.Operation():
            yield from node.operands
        case nodes.Unary():
            yield node.operand
        case nodes.ValueBlock():
            yield from node.statements
            yield node.value
        case nodes.IfExpr():
            yield node.condition
            yield node.then
            yield node.orelse
        case nodes.Match():
            yield node.scrutinee
            yield from node.arms
        case nodes.Arm():
            yield node.pattern
            yield node.body
        case nodes.Closure():
            yield node.body
        case nodes.ArrayLiteral():
            yield from node.items
        case nodes.MapLiteral():
            for entry in node.entries:
                yield entry.key
                yield entry.value
        case nodes.Member():
            yield node.container
        case nodes.Index() | nodes.Slice():
            yield from _access_parts(node)
        case nodes.Copy() | nodes.Length() | nodes.Keys() | nodes.ExprStatement():
            yield node.value
        case nodes.UnwrapOr():
            yield node.value
            yield node.default
        case nodes.Has():
            yield node.value
            yield node.key
        case _:
            yield from _statement_parts(node)


def _access_parts(node: nodes.Index | nodes.Slice) -> Iterator[nodes.Node]:
    yield node.container
    if isinstance(node, nodes.Index):
        yield node.key
        return
    if node.start is not None:
        yield node.start
    if node.end is not None:
        yield node.end


def _statement_parts(node: nodes.Node) -> Iterator[nodes.Node]:
    match node:
        case nodes.Program() | nodes.Block():
            yield from node.statements
        case nodes.Let() | nodes.Assign() | nodes.AddAssign() | nodes.MemberAssign():
            yield node.value
        case nodes.IndexAssign():
            yield node.index
            yield node.value
        case nodes.If():
            yield node.condition
            yield node.then
            if node.orelse is not None:
                yield node.orelse
        case nodes.While():
            yield node.condition
            yield node.body
        case nodes.ForRange():
            yield node.start
            yield node.end
            yield node.body
        case nodes.ForMap():
            yield node.body
        case nodes.Function():
            if node.body is not None:
                yield node.body
        case _:
            return


def body_parts(owner: nodes.Node) -> Iterator[nodes.Node]:
    """Everything evaluated below `owner`, depth first, in order; functions and closures below it
    are yielded, but not what is inside them.
    """
    stack = list(parts(owner))
    stack.reverse()
    while stack:
        node = stack.pop()
        yield node
        if isinstance(node, nodes.Function | nodes.Closure):
            continue
        below = list(parts(node))
        below.reverse()
        stack.extend(below)
