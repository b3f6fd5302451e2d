"""Backward flow: may a variable be mutated in place after a point, before it is bound anew?

Mutations are statements, so the answer is found per statement: a set of variables (a bit mask)
flows backward through the statements of one body; loops use a summary of their body that is
computed once, which keeps the pass linear in the nesting as well.
"""

from __future__ import annotations

from collections.abc import Sequence

from flintc.analysis.parts import body_parts, parts
from flintc.analysis.symbols import Resolution, Scope, Variable
from flintc.analysis.usage import Usage
from flintc.syntax import nodes

_Loop = nodes.While | nodes.ForRange | nodes.ForMap


def may_mutate_after(
    resolution: Resolution, usage: Usage, scope: Scope, mutated: Sequence[Variable]
) -> set[tuple[Variable, nodes.Node]]:
    """The pairs (variable, reading node) of a scope's body where a later mutation is possible.

    Reading nodes are names, and closures and functions that capture the variable.
    """
    if not mutated:
        return set()
    flow = _Flow(resolution, usage, scope, mutated)
    flow.body(scope.owner)
    return flow.found


class _Flow:
    def __init__(
        self, resolution: Resolution, usage: Usage, scope: Scope, mutated: Sequence[Variable]
    ) -> None:
        self.resolution = resolution
        self.bit = {variable: 1 << number for number, variable in enumerate(mutated)}
        self.found: set[tuple[Variable, nodes.Node]] = set()
        # a shared cell, or one that outlives the body, may be mutated from elsewhere at any time
        self.always = 0
        for variable in mutated:
            if usage.of(variable).shared or variable.scope is not scope:
                self.always |= self.bit[variable]
        self.gains: dict[nodes.Node, int] = {}  # what a loop may mutate
        self.exposures: dict[nodes.Node, int] = {}  # the same, before it binds the variable anew

    def body(self, owner: nodes.Node) -> None:
        if isinstance(owner, nodes.Closure):
            self.leaf(owner.body, 0)
        elif isinstance(owner, nodes.Function) and owner.body is not None:
            self.value_block(owner.body, 0)
        else:
            self.block(list(parts(owner)), 0, 0, 0)

    def value_block(self, node: nodes.ValueBlock, after: int) -> int:
        after = self.leaf(node.value, after)
        return self.block(list(node.statements), after, 0, 0)

    def block(self, body: list[nodes.Node], after: int, on_break: int, on_continue: int) -> int:
        """The variables that may be mutated from the start of `body` on."""
        for node in reversed(body):
            after = self.statement(node, after, on_break, on_continue)
        return after

    def statement(self, node: nodes.Node, after: int, on_break: int, on_continue: int) -> int:
        match node:
            case nodes.Break():
                return on_break
            case nodes.Continue():
                return on_continue
            case nodes.Block():
                return self.block(list(node.statements), after, on_break, on_continue)
            case nodes.If():
                then = self.statement(node.then, after, on_break, on_continue)
                orelse = after
                if node.orelse is not None:
                    orelse = self.statement(node.orelse, after, on_break, on_continue)
                return self.leaf(node.condition, then | orelse)
            case nodes.While() | nodes.ForRange() | nodes.ForMap():
                return self.loop(node, after)
            case _:
                return self.leaf(node, after)

    def loop(self, node: _Loop, after: int) -> int:
        head = after | self.exposure(node)
        self.block(list(node.body.statements), head, after, head)
        for part in parts(node):
            if part is not node.body:
                self.reads(part, head)
        if isinstance(node, nodes.ForMap):
            self.reads(node, head)
        return head

    def exposure(self, node: _Loop) -> int:
        """The variables that a turn of the loop may mutate as they were before it."""
        found = self.exposures.get(node)
        if found is None:
            found = self.exposed(node.body, 0)
            for part in parts(node):
                if part is not node.body:
                    found |= self.mutations(part)
            self.exposures[node] = found
        return found

    def exposed(self, node: nodes.Node, after: int) -> int:
        """As `statement`, without a look at the reads; a turn that ends early mutates no more."""
        match node:
            case nodes.Break() | nodes.Continue():
                return 0
            case nodes.Block():
                for statement in reversed(node.statements):
                    after = self.exposed(statement, after)
                return after
            case nodes.If():
                then = self.exposed(node.then, after)
                orelse = after if node.orelse is None else self.exposed(node.orelse, after)
                return then | orelse | self.mutations(node.condition)
            case nodes.While() | nodes.ForRange() | nodes.ForMap():
                return after | self.exposure(node)
            case _:
                return (after & ~self.bound(node)) | self.mutations(node)

    def gain(self, node: _Loop) -> int:
        """Every variable that the loop mutates anywhere."""
        gained = self.gains.get(node)
        if gained is None:
            gained = 0
            for part in parts(node):
                gained |= self.mutations(part)
            self.gains[node] = gained
        return gained

    def mutations(self, node: nodes.Node) -> int:
        if isinstance(node, (nodes.Function, nodes.Closure)):
            return 0
        if isinstance(node, (nodes.While, nodes.ForRange, nodes.ForMap)):
            return self.gain(node)
        gained = self.own_mutation(node)
        for child in parts(node):
            gained |= self.mutations(child)
        return gained

    def own_mutation(self, node: nodes.Node) -> int:
        if isinstance(node, (nodes.IndexAssign, nodes.MemberAssign)):
            variable = self.resolution.variables.get(node)
            return self.bit.get(variable, 0) if variable is not None else 0
        return 0

    def leaf(self, node: nodes.Node, after: int) -> int:
        """A statement without statement parts, or an expression (blocks inside it included)."""
        before = (after & ~self.bound(node)) | self.mutations(node)
        self.reads(node, before)
        return before

    def bound(self, node: nodes.Node) -> int:
        """The variable that a statement binds anew."""
        if not isinstance(node, (nodes.Let, nodes.Assign)):
            return 0
        variable = self.resolution.variables.get(node)
        return self.bit.get(variable, 0) if variable is not None else 0

    def reads(self, node: nodes.Node, after: int) -> None:
        dangerous = after | self.always
        if not dangerous:
            return
        inside = () if isinstance(node, (nodes.Function, nodes.Closure)) else body_parts(node)
        for part in (node, *inside):
            variable = self.resolution.variables.get(part)
            if variable is not None and self.bit.get(variable, 0) & dangerous:
                self.found.add((variable, part))
            if isinstance(part, (nodes.Function, nodes.Closure)):
                self.captured(part, dangerous)

    def captured(self, node: nodes.Node, dangerous: int) -> None:
        scope = self.resolution.scopes.get(node)
        for variable in scope.captures if scope is not None else ():
            if self.bit.get(variable, 0) & dangerous:
                self.found.add((variable, node))
