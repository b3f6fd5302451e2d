"""Which parameters a function keeps: stores, returns, captures, or passes on to one that does.

An argument for any other parameter is only looked at, so sharing it can never be seen.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from flintc.analysis.parts import parts
from flintc.analysis.symbols import (
    BuiltinTarget,
    FunctionSymbol,
    FunctionTarget,
    NamespaceTarget,
    Resolution,
    Variable,
)
from flintc.analysis.usage import Usage
from flintc.syntax import nodes

_Passed = dict[Variable, list[Variable]]


_STORING: Final[frozenset[type[nodes.Node]]] = frozenset(
    {
        *(nodes.ArrayLiteral, nodes.MapLiteral, nodes.ExprStatement),
        *(nodes.Let, nodes.Assign, nodes.MemberAssign, nodes.IndexAssign),
    }
)
_GIVING: Final[frozenset[type[nodes.Node]]] = frozenset(  # the value of a part
    {nodes.Match, nodes.Arm, nodes.Copy, nodes.Unary, nodes.UnwrapOr}
)


class KeptParameters:
    """Found once for a program: from what each body does, then backward over the calls."""

    def __init__(self, resolution: Resolution, usage: Usage) -> None:
        self.resolution = resolution
        self.kept: set[Variable] = set()
        passed_from: _Passed = {}
        for function in resolution.functions.values():
            self._body(function, usage, passed_from)
        pending = list(self.kept)
        while pending:
            for variable in passed_from.get(pending.pop(), ()):
                if variable not in self.kept:
                    self.kept.add(variable)
                    pending.append(variable)

    def is_kept(self, function: FunctionSymbol, number: int) -> bool:
        """Whether argument `number` of a function may outlive the call."""
        return number >= len(function.params) or function.params[number] in self.kept

    def _body(self, function: FunctionSymbol, usage: Usage, passed_from: _Passed) -> None:
        if function.node.body is None:
            self.kept.update(function.params)
            return
        # what a function changes in place it copies first, so it keeps none of the argument
        parameters = {p for p in function.params if not usage.is_mutated(p)}
        self.kept.update(p for p in parameters if usage.of(p).captured)
        for _, variable, receiver in self._uses(function.node.body, keeps=True):
            if variable not in parameters:
                continue
            if receiver is None:
                self.kept.add(variable)
            else:
                passed_from.setdefault(receiver, []).append(variable)

    def reads(self, owner: nodes.Node) -> Iterator[tuple[nodes.Name, Variable]]:
        """The names at which a body may keep the value of a variable."""
        for part in parts(owner):
            for node, variable, receiver in self._uses(part, keeps=True):
                if receiver is None or receiver in self.kept:
                    yield node, variable

    def _uses(
        self, root: nodes.Node, keeps: bool
    ) -> Iterator[tuple[nodes.Name, Variable, Variable | None]]:
        """Variables that are kept, or passed as the argument for another function's parameter."""
        stack: list[tuple[nodes.Node, bool, Variable | None]] = [(root, keeps, None)]
        while stack:
            node, kept, receiver = stack.pop()
            variable = self.resolution.variables.get(node)
            if isinstance(node, nodes.Name) and variable is not None:
                if kept:
                    yield node, variable, receiver
            elif isinstance(node, nodes.Call):
                stack.extend(self._arguments(node, kept, receiver))
            elif not isinstance(node, (nodes.Function, nodes.Closure)):
                for part in parts(node):
                    stack.append((part, self._keeps(node, part, kept), receiver))

    def _arguments(
        self, node: nodes.Call, kept: bool, receiver: Variable | None
    ) -> Iterator[tuple[nodes.Node, bool, Variable | None]]:
        target = self.resolution.targets.get(node)
        for number, argument in enumerate(node.args):
            match target:
                case BuiltinTarget("print"):  # its value is what it prints
                    yield argument, kept, receiver
                case BuiltinTarget() | NamespaceTarget():
                    yield argument, False, None
                case FunctionTarget(function) if number < len(function.params):
                    yield argument, True, function.params[number]
                case _:
                    yield argument, True, None

    def _keeps(self, node: nodes.Node, part: nodes.Node, kept: bool) -> bool:
        """Whether `node`, whose own value is kept or not, keeps the value of its part."""
        if type(node) in _STORING:
            return True
        if isinstance(node, nodes.ValueBlock):
            return kept and part is node.value
        if isinstance(node, nodes.IfExpr):
            return kept and part is not node.condition
        if isinstance(node, nodes.Match) and part is node.scrutinee:
            return binds(node)  # by another name
        return kept and type(node) in _GIVING


def binds(node: nodes.Match) -> bool:
    """Whether an arm gives the scrutinee a name: `Some(name)`."""
    return any(isinstance(arm.pattern, nodes.BindPattern) for arm in node.arms)
