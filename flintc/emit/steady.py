"""What cannot change while a loop runs, so that evaluating it once is enough."""

from __future__ import annotations

from typing import Final

from flintc.analysis.symbols import HostTarget, NamespaceTarget, Variable
from flintc.emit.body import Body
from flintc.syntax import nodes

_STEADY_NAMESPACE: Final = "math"
_STEADY_HOSTS: Final = frozenset({"flint::tensor::size"})  # no host function reshapes in place


def is_steady(body: Body, loop: nodes.ForRange, node: nodes.Node) -> bool:
    """Whether the value of an expression stays the same."""
    match node:
        case nodes.IntLiteral() | nodes.StringLiteral():
            return True
        case nodes.Name():
            variable = body.variable(node)
            return variable is not None and is_kept(body, loop, variable)
        case nodes.Length(value=nodes.Name() as name):
            variable = body.variable(name)
            return variable is not None and is_kept(body, loop, variable, in_place=True)
        case nodes.Length(value=value):
            return _is_steady_part(body, loop, value)
        case nodes.Operation(operands=operands):
            return all(is_steady(body, loop, operand) for operand in operands)
        case nodes.Copy(value=value) | nodes.Unary(operand=value):
            return is_steady(body, loop, value)
        case nodes.Call(args=args) if _is_steady_function(body, node):
            return all(is_steady(body, loop, argument) for argument in args)
        case _:
            return False


def is_kept(body: Body, loop: nodes.ForRange, variable: Variable, in_place: bool = False) -> bool:
    """Whether the loop's body leaves a variable alone (with `in_place`: its length too)."""
    uses = body.context.facts.usage.of(variable)
    if uses.shared and (len(uses.bindings) > 1 or uses.mutations):
        return False
    if in_place and body.context.facts.ranges.may_grow_inside(variable, loop.body.span):
        return False
    return not uses.is_bound_inside(loop.body.span)


def _is_steady_part(body: Body, loop: nodes.ForRange, node: nodes.Node) -> bool:
    """Whether `node` is a part of a variable, like `tree.children[0]`, that nothing replaces."""
    match node:
        case nodes.Name():
            variable = body.variable(node)
            if variable is None or not is_kept(body, loop, variable):
                return False
            return not body.context.facts.usage.of(variable).is_mutated_inside(loop.body.span)
        case nodes.Member(container=container, optional=False):
            return _is_steady_part(body, loop, container)
        case nodes.Index(container=container, key=key, optional=False):
            return _is_steady_part(body, loop, container) and is_steady(body, loop, key)
        case nodes.Copy(value=value) | nodes.Unary(operand=value):
            return _is_steady_part(body, loop, value)
        case _:
            return False


def _is_steady_function(body: Body, node: nodes.Call) -> bool:
    match body.context.facts.resolution.targets.get(node):
        case NamespaceTarget(namespace=namespace):
            return namespace == _STEADY_NAMESPACE
        case HostTarget(name=name):
            return name in _STEADY_HOSTS
        case _:
            return False
