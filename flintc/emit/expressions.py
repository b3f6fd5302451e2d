"""Expressions: one function a kind of node, chosen by `lower`."""

from __future__ import annotations

import ast

from flintc.analysis.symbols import (
    BuiltinTarget,
    FunctionTarget,
    HostTarget,
    NamespaceTarget,
    Target,
)
from flintc.emit import access, branches, calls, closures, literals, operators, tree
from flintc.emit.body import Body
from flintc.emit.shape import MAX_HEIGHT
from flintc.source import Span
from flintc.syntax import nodes


def lower(body: Body, node: nodes.Node) -> ast.expr:
    """The Python expression of `node`; what has to run before it goes to `body.statements`."""
    lowered = _lower(body, node)
    if node in body.context.facts.sharing.copies:
        lowered = body.copy_of(lowered, body.type_of(node), node.span)
    if body.context.shape.height(node) >= MAX_HEIGHT:
        lowered = body.keep(lowered, "part", node.span)
    return lowered


def _lower(body: Body, node: nodes.Node) -> ast.expr:
    match node:
        case nodes.IntLiteral() | nodes.FloatLiteral():
            return literals.number(body, node)
        case nodes.StringLiteral() | nodes.BytesLiteral() | nodes.BoolLiteral():
            return tree.constant(node.value, node.span)
        case nodes.NullLiteral() | nodes.ErrorExpr():
            return tree.constant(None, node.span)
        case nodes.ArrayLiteral():
            return literals.array(body, node)
        case nodes.MapLiteral():
            return literals.map_(body, node)
        case nodes.Name():
            return _name(body, node)
        case nodes.Call():
            return calls.call(body, node)
        case nodes.Operation():
            return operators.operation(body, node)
        case nodes.Unary():
            return operators.unary(body, node)
        case nodes.IfExpr() | nodes.Match() | nodes.ValueBlock():
            return branches.value(body, node)
        case nodes.Closure():
            return closures.value(body, node)
        case nodes.Copy():
            return body.expr(node.value)
        case _:
            return access.lower(body, node)


def _name(body: Body, node: nodes.Name) -> ast.expr:
    variable = body.variable(node)
    if variable is not None:
        return tree.name(body.python(variable), node.span)
    return function_value(body, body.context.facts.resolution.targets.get(node), node.span)


def function_value(body: Body, target: Target | None, span: Span) -> ast.expr:
    """A function as a value: the thing to call, or to pass on."""
    match target:
        case FunctionTarget(function):
            return calls.function_reference(body, function, span)
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
