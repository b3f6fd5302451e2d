"""Value semantics of arrays and maps without copying where there is one owner.

Generated code uses plain lists and dicts. Only variables that the program mutates in place
(`x[i] = v`, `x.f = v`) matter: each must be the one holder of its list or dict whenever it is
mutated. Two rules give that, and this pass finds the few places where they need a copy:

1. what is bound to a mutated variable is fresh (a literal, a concatenation, …) or copied;
2. a mutated variable that is read where the value may be kept (stored, passed on, returned,
   captured) is copied if the variable may be mutated again before it is bound anew; where it is
   only looked at, if the operands after it, or the function it is passed to, may mutate it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from enum import Enum

from flintc.analysis.effects import NOTHING, Effect, Effects
from flintc.analysis.freshness import Freshness, can_share
from flintc.analysis.gifts import GiftFinder, Gifts
from flintc.analysis.keeping import KeptParameters, binds
from flintc.analysis.mutation import may_mutate_after
from flintc.analysis.parts import parts
from flintc.analysis.symbols import (
    BuiltinTarget,
    Capture,
    FunctionSymbol,
    FunctionTarget,
    NamespaceTarget,
    Resolution,
    Scope,
    Typing,
    Variable,
)
from flintc.analysis.usage import Usage
from flintc.syntax import nodes


@dataclass(eq=False, slots=True)
class Sharing:
    """Where copies go: around expressions, at function entry, and at the capture of a variable."""

    copies: set[nodes.Node] = field(default_factory=set)
    parameters: set[Variable] = field(default_factory=set)
    captures: set[tuple[nodes.Node, Variable]] = field(default_factory=set)


class _Use(Enum):
    """What happens to the value of an expression."""

    LOOK = "look"  # only looked at, at once
    HOLD = "hold"  # only looked at, after other things were evaluated
    KEEP = "keep"  # may be stored somewhere
    OWN = "own"  # becomes the value of a mutated variable


def find_copies(resolution: Resolution, typing: Typing, usage: Usage) -> Sharing:
    """Decide every copy of a program. Linear in its size."""
    sharing = Sharing()
    kept = KeptParameters(resolution, usage)
    freshness = Freshness(resolution, typing, usage, kept)
    effects = Effects(resolution)
    gifts = GiftFinder(resolution, usage, kept, freshness).find()
    for scope in resolution.scopes.values():
        _ScopeSharing(
            resolution, typing, usage, freshness, kept, effects, gifts, sharing, scope
        ).run()
    return sharing


class _ScopeSharing:
    def __init__(
        self,
        resolution: Resolution,
        typing: Typing,
        usage: Usage,
        freshness: Freshness,
        kept: KeptParameters,
        effects: Effects,
        gifts: Gifts,
        sharing: Sharing,
        scope: Scope,
    ) -> None:
        self.kept = kept
        self.effects = effects
        self.gifts = gifts
        self.held_over = NOTHING  # what happens before a held value is looked at
        self.resolution = resolution
        self.typing = typing
        self.usage = usage
        self.freshness = freshness
        self.sharing = sharing
        self.scope = scope
        self.mutated = [v for v in self._variables() if usage.is_mutated(v)]
        self.dangerous = may_mutate_after(resolution, usage, scope, self.mutated)

    def _variables(self) -> list[Variable]:
        return [*self.scope.variables, *self.scope.captures]

    def run(self) -> None:
        owner = self.scope.owner
        for variable in self.scope.variables:
            if variable.kind in ("param", "closure_param") and self.changes(variable):
                self.sharing.parameters.add(variable)
        if isinstance(owner, nodes.Closure):
            self.visit(owner.body, _Use.KEEP)
        elif isinstance(owner, nodes.Function) and owner.body is not None:
            self.block(owner.body, _Use.KEEP)
        else:
            for statement in parts(owner):
                self.visit(statement, _Use.LOOK)

    def changes(self, parameter: Variable) -> bool:
        """Whether a parameter is changed, and has to hold a copy for that."""
        is_changed = self.usage.is_mutated(parameter) or parameter in self.gifts.passed_on
        return is_changed and parameter not in self.gifts.taken

    def block(self, node: nodes.ValueBlock, use: _Use) -> None:
        for statement in node.statements:
            self.visit(statement, _Use.LOOK)
        self.visit(node.value, use)

    def visit(self, node: nodes.Node, use: _Use) -> None:
        if isinstance(node, nodes.Name):
            self.name(node, use)
        elif isinstance(node, (nodes.Let, nodes.Assign)):
            variable = self.resolution.variables.get(node)
            owns = variable is not None and self.usage.is_mutated(variable)
            self.visit(node.value, _Use.OWN if owns else _Use.KEEP)
        elif isinstance(node, (nodes.MemberAssign, nodes.ExprStatement)):
            self.visit(node.value, _Use.KEEP)
        elif isinstance(node, nodes.IndexAssign):
            self.visit(node.index, _Use.KEEP)
            self.visit(node.value, _Use.KEEP)
        elif isinstance(node, (nodes.Function, nodes.Closure)):
            self.capture(node)
        elif not self.passes_on(node, use):
            self.expression(node, use)

    def passes_on(self, node: nodes.Node, use: _Use) -> bool:
        """Visit a node whose value is that of a part; False for all others."""
        if isinstance(node, nodes.ValueBlock):
            self.block(node, use)
        elif isinstance(node, (nodes.Copy, nodes.Unary)):
            self.visit(node.operand if isinstance(node, nodes.Unary) else node.value, use)
        elif isinstance(node, nodes.IfExpr):
            self.visit(node.condition, _Use.LOOK)
            self.visit(node.then, use)
            self.visit(node.orelse, use)
        elif isinstance(node, nodes.Match):
            self.visit(node.scrutinee, _Use.KEEP if binds(node) else _Use.LOOK)
            for arm in node.arms:
                self.visit(arm.body, use)
        elif isinstance(node, nodes.UnwrapOr):
            self.visit(node.value, use)
            self.visit(node.default, use)
        else:
            return False
        return True

    def expression(self, node: nodes.Node, use: _Use) -> None:
        if isinstance(node, nodes.Call):
            self.arguments(node, use)
        elif isinstance(node, (nodes.Operation, nodes.Index, nodes.Slice, nodes.Has)):
            self.operands([(part, _Use.LOOK) for part in parts(node)])
        else:
            keeps = isinstance(node, (nodes.ArrayLiteral, nodes.MapLiteral))
            for child in parts(node):
                self.visit(child, _Use.KEEP if keeps else _Use.LOOK)
        if use is _Use.OWN and not self.freshness.is_fresh(node):
            self.sharing.copies.add(node)

    def operands(self, uses: Sequence[tuple[nodes.Node, _Use]], finally_: Effect = NOTHING) -> None:
        """Operands of one operation: it looks at them when all of them are evaluated."""
        if not self.mutated:  # by then they are still the same
            for node, use in uses:
                self.visit(node, use)
            return
        later = finally_
        effects: list[Effect] = []
        for node, _ in reversed(uses):
            effects.append(later)
            later |= self.effects.of(node)
        outer = self.held_over
        for (node, use), self.held_over in zip(uses, reversed(effects), strict=True):
            self.visit(node, _Use.HOLD if use is _Use.LOOK else use)
        self.held_over = outer

    def arguments(self, node: nodes.Call, use: _Use) -> None:
        uses = list(zip(node.args, self.argument_uses(node), strict=True))
        if self.resolution.targets.get(node) == BuiltinTarget("print") and use is _Use.KEEP:
            uses[0] = (node.args[0], use)  # its value is what it prints
        self.operands(uses, self.effects.of_callee(node))

    def argument_uses(self, node: nodes.Call) -> Iterable[_Use]:
        match self.resolution.targets.get(node):
            case BuiltinTarget() | NamespaceTarget():
                return [_Use.LOOK] * len(node.args)
            case FunctionTarget(function):
                return [
                    self.argument_use(function, number, argument)
                    for number, argument in enumerate(node.args)
                ]
            case _:
                return [_Use.KEEP] * len(node.args)

    def argument_use(self, function: FunctionSymbol, number: int, argument: nodes.Node) -> _Use:
        params = function.params
        if number < len(params) and params[number] in self.gifts.taken:
            return _Use.LOOK if argument in self.gifts.given else _Use.OWN
        return _Use.KEEP if self.kept.is_kept(function, number) else _Use.LOOK

    def name(self, node: nodes.Name, use: _Use) -> None:
        variable = self.resolution.variables.get(node)
        if variable is None or use is _Use.LOOK or not can_share(self.typing.of(node)):
            return
        if use is _Use.HOLD:
            copied = self.changes_while_held(variable)
        else:
            copied = use is _Use.OWN or (variable, node) in self.dangerous
        if copied:
            self.sharing.copies.add(node)

    def changes_while_held(self, variable: Variable) -> bool:
        uses = self.usage.of(variable)
        if variable in self.held_over.changed:
            return True
        shared = uses.shared or variable.scope is not self.scope
        return self.held_over.calls and shared and bool(uses.mutations)

    def capture(self, node: nodes.Function | nodes.Closure) -> None:
        inner = self.resolution.scopes.get(node)
        if inner is None:
            return
        for variable, mode in inner.captures.items():
            if mode is not Capture.SHARED and (variable, node) in self.dangerous:
                self.sharing.captures.add((node, variable))
