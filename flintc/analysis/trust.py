"""Values whose type only an annotation vouches for, and where they are operands.

What comes from JSON, or from a host function without a result type, is taken for what its variable
declares (language reference 3.5, 5.12). An operation on such a value must not take a bool for an
int, or write a null into a text, so its operands are checked when it runs.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from flintc.analysis.symbols import NamespaceTarget, Resolution, Scope, Typing, Variable
from flintc.analysis.types import BOOL, INT, STRING, UNKNOWN, Primitive
from flintc.syntax import nodes

_CHECKED: Final = (INT, BOOL, STRING)  # Python refuses the others by itself
_EQUALITY: Final = ("==", "!=")


def find_trusted(resolution: Resolution, typing: Typing) -> None:
    """Fill `typing.trusted` and `typing.operand_checks`."""
    for node, variable in resolution.variables.items():
        if isinstance(node, (nodes.Let, nodes.Assign)) and _is_trusted(
            node.value, variable.declared is not None, resolution, typing
        ):
            typing.trusted.add(variable)
    if not typing.trusted:
        return
    for scope in resolution.scopes.values():
        for operand in _operands(scope):
            type_ = typing.of(operand)
            if type_ in _CHECKED and is_trusted(operand, resolution, typing):
                assert isinstance(type_, Primitive)
                typing.operand_checks[operand] = type_.name


def _is_trusted(value: nodes.Expr, declared: bool, resolution: Resolution, typing: Typing) -> bool:
    """Whether a variable with this value is one whose type nothing has checked."""
    if declared and typing.of(value) is UNKNOWN:
        return True
    target = resolution.targets.get(value)
    if isinstance(target, NamespaceTarget) and (target.namespace, target.name) == (
        "json",
        "decode",
    ):
        return True
    return is_trusted(value, resolution, typing)


def is_trusted(node: nodes.Node, resolution: Resolution, typing: Typing) -> bool:
    """Whether an expression reads a trusted variable, or a part of one."""
    while isinstance(node, (nodes.Member, nodes.Index, nodes.Copy, nodes.Unary)):
        if isinstance(node, nodes.Unary):
            if node.operator not in ("&", "&mut"):
                return False
            node = node.operand
        else:
            node = node.value if isinstance(node, nodes.Copy) else node.container
    variable = resolution.variables.get(node) if isinstance(node, nodes.Name) else None
    return isinstance(variable, Variable) and variable in typing.trusted


def _operands(scope: Scope) -> Iterator[nodes.Node]:
    """The parts of the nodes of a body that have to be of one type when it runs."""
    for operation in scope.parts_of(nodes.Operation):
        if not any(operator in _EQUALITY for operator in operation.operators):
            yield from operation.operands
    for unary in scope.parts_of(nodes.Unary):
        if unary.operator in ("-", "!"):
            yield unary.operand
    yield from (branch.condition for branch in scope.parts_of(nodes.IfExpr))
    yield from (branch.condition for branch in scope.parts_of(nodes.If))
    yield from (branch.condition for branch in scope.parts_of(nodes.While))
    for loop in scope.parts_of(nodes.ForRange):
        yield from (loop.start, loop.end)
    yield from (assignment.value for assignment in scope.parts_of(nodes.AddAssign))
