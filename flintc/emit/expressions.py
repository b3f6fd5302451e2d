"""Expressions: one function a kind of node, chosen by `lower`."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any, Final

from flintc.analysis.symbols import (
    BuiltinTarget,
    FunctionSymbol,
    FunctionTarget,
    HostTarget,
    NamespaceTarget,
    Target,
)
from flintc.emit import (
    access,
    branches,
    calls,
    checks,
    closures,
    lifting,
    literals,
    operators,
    tree,
)
from flintc.emit.body import Body
from flintc.emit.existence import Existing
from flintc.emit.shape import MAX_HEIGHT
from flintc.source import Span
from flintc.syntax import nodes


def lower(body: Body, node: nodes.Node) -> ast.expr:
    """The Python expression of `node`; what has to run before it goes to `body.statements`."""
    if lifting.should_lift(body, node):
        lowered: ast.expr = body.keep(lifting.lifted(body, node), "part", node.span)
    else:
        lowered = _LOWERINGS[type(node)](body, node)
    facts = body.context.facts
    if node in facts.typing.operand_checks:
        lowered = checks.checked_operand(body, node, lowered)
    if node in facts.sharing.copies:
        lowered = body.copy_of(lowered, body.type_of(node), node.span)
    if body.context.shape.height(node) >= MAX_HEIGHT:
        lowered = body.keep(lowered, "part", node.span)
    return lowered


def _literal(
    body: Body, node: nodes.StringLiteral | nodes.BytesLiteral | nodes.BoolLiteral
) -> ast.expr:
    return tree.constant(node.value, node.span)


def _nothing(body: Body, node: nodes.Node) -> ast.expr:
    return tree.constant(None, node.span)


def _name(body: Body, node: nodes.Name) -> ast.expr:
    variable = body.variable(node)
    if variable is not None:
        return tree.name(body.python(variable), node.span)
    return function_value(body, body.context.facts.resolution.targets.get(node), node.span)


def function_value(body: Body, target: Target | None, span: Span) -> ast.expr:
    """A function as a value: the thing to call, or to pass on."""
    match target:
        case FunctionTarget(function):
            return _declared(body, function, span)
        case BuiltinTarget(name):
            return tree.name(body.context.lang(calls.BUILTINS.get(name, name)), span)
        case NamespaceTarget(_, _, function):
            return calls.host_reference(body, function, span)
        case HostTarget(name, None):
            return body.helper("unbound", span, tree.constant(name, span))
        case HostTarget(_, function) if function is not None:
            return calls.host_reference(body, function, span)
        case _:
            return tree.constant(None, span)


def _declared(body: Body, function: FunctionSymbol, span: Span) -> ast.expr:
    """A declared function, null where it does not exist yet."""
    existing = calls.existing(body, function, span)
    if existing is Existing.NO:
        return tree.constant(None, span)
    reference = calls.function_reference(body, function, span)
    if existing is Existing.YES:
        return reference
    read = tree.at(ast.Lambda(tree.parameters([], [], span), reference), span)
    return body.helper("if_declared", span, read)


_LOWERINGS: Final[dict[type[nodes.Node], Callable[[Body, Any], ast.expr]]] = {
    nodes.IntLiteral: literals.number,
    nodes.FloatLiteral: literals.number,
    nodes.StringLiteral: _literal,
    nodes.BytesLiteral: _literal,
    nodes.BoolLiteral: _literal,
    nodes.NullLiteral: _nothing,
    nodes.ErrorExpr: _nothing,
    nodes.ArrayLiteral: literals.array,
    nodes.MapLiteral: literals.map_,
    nodes.Name: _name,
    nodes.Call: calls.call,
    nodes.Operation: operators.operation,
    nodes.Unary: operators.unary,
    nodes.IfExpr: branches.value,
    nodes.Match: branches.value,
    nodes.ValueBlock: branches.value,
    nodes.Closure: closures.value,
    nodes.Index: access.index,
    nodes.Member: access.member,
    nodes.Slice: access.slice_,
    nodes.Length: access.length,
    nodes.Has: access.has,
    nodes.Keys: access.keys,
    nodes.UnwrapOr: access.unwrap_or,
    nodes.Copy: lambda body, node: body.expr(node.value),
}
