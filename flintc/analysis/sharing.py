"""Value semantics of arrays and maps without copying where there is one owner.

Generated code uses plain lists and dicts. Only variables that the program mutates in place
(`x[i] = v`, `x.f = v`) matter: each must be the one holder of its list or dict whenever it is
mutated. Two rules give that, and this pass finds the few places where they need a copy:

1. what is bound to a mutated variable is fresh (a literal, a concatenation, …) or copied;
2. a mutated variable that is read where the value may be kept (stored, passed on, returned,
   captured) is copied if the variable may be mutated again before it is bound anew.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum

from flintc.analysis.keeping import KeptParameters
from flintc.analysis.mutation import may_mutate_after
from flintc.analysis.parts import parts
from flintc.analysis.symbols import (
    BuiltinTarget,
    Capture,
    FunctionSymbol,
    FunctionTarget,
    HostTarget,
    NamespaceTarget,
    Resolution,
    Scope,
    Typing,
    Variable,
)
from flintc.analysis.types import Handle, Primitive, Type, strip_optional
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

    LOOK = "look"  # only looked at
    KEEP = "keep"  # may be stored somewhere
    OWN = "own"  # becomes the value of a mutated variable


def find_copies(resolution: Resolution, typing: Typing, usage: Usage) -> Sharing:
    """Decide every copy of a program. Linear in its size."""
    sharing = Sharing()
    freshness = _Freshness(resolution, typing, usage)
    kept = KeptParameters(resolution, usage)
    for scope in resolution.scopes.values():
        _ScopeSharing(resolution, typing, usage, freshness, kept, sharing, scope).run()
    return sharing


def can_share(type_: Type) -> bool:
    """Whether a value of this type may be a list or dict."""
    return not isinstance(strip_optional(type_), Primitive | Handle)


class _Freshness:
    """Which expressions give a list or dict that nothing else refers to."""

    def __init__(self, resolution: Resolution, typing: Typing, usage: Usage) -> None:
        self.resolution = resolution
        self.typing = typing
        self.usage = usage
        self.functions: dict[FunctionSymbol, bool] = {}

    def is_fresh(self, node: nodes.Node) -> bool:
        match node:
            case nodes.ArrayLiteral() | nodes.MapLiteral() | nodes.Operation():
                return True
            case nodes.Slice() | nodes.Keys() | nodes.Closure() | nodes.NullLiteral():
                return True
            case nodes.Call():
                return self._is_fresh_call(node)
            case _:
                return not can_share(self.typing.of(node))

    def _is_fresh_call(self, node: nodes.Call) -> bool:
        match self.resolution.targets.get(node):
            case FunctionTarget(function):
                return self._returns_fresh(function)
            case NamespaceTarget() | HostTarget():
                return True
            case BuiltinTarget(name):
                return name.startswith("string_")
            case _:
                return False

    def _returns_fresh(self, function: FunctionSymbol) -> bool:
        if function not in self.functions:
            self.functions[function] = False  # a cycle is not fresh
            body = function.node.body
            self.functions[function] = body is not None and self._is_fresh_result(body.value)
        return self.functions[function]

    def _is_fresh_result(self, node: nodes.Node) -> bool:
        match node:
            case nodes.IfExpr():
                return self._is_fresh_result(node.then.value) and self._is_fresh_result(
                    node.orelse.value if isinstance(node.orelse, nodes.ValueBlock) else node.orelse
                )
            case nodes.Match():
                return all(self._is_fresh_result(arm.body) for arm in node.arms)
            case nodes.Name():
                return self._is_only_returned(node)
            case _:
                return self.is_fresh(node)

    def _is_only_returned(self, node: nodes.Name) -> bool:
        """A mutated local owns its value; looked at only here, it takes nothing else along."""
        variable = self.resolution.variables.get(node)
        if variable is None or not self.usage.is_mutated(variable):
            return False
        uses = self.usage.of(variable)
        return not uses.shared and len(uses.reads) == 1


class _ScopeSharing:
    def __init__(
        self,
        resolution: Resolution,
        typing: Typing,
        usage: Usage,
        freshness: _Freshness,
        kept: KeptParameters,
        sharing: Sharing,
        scope: Scope,
    ) -> None:
        self.kept = kept
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
        for variable in self.mutated:
            if variable.kind in ("param", "closure_param") and variable.scope is self.scope:
                self.sharing.parameters.add(variable)
        if isinstance(owner, nodes.Closure):
            self.visit(owner.body, _Use.KEEP)
        elif isinstance(owner, nodes.Function) and owner.body is not None:
            self.block(owner.body, _Use.KEEP)
        else:
            for statement in parts(owner):
                self.visit(statement, _Use.LOOK)

    def block(self, node: nodes.ValueBlock, use: _Use) -> None:
        for statement in node.statements:
            self.visit(statement, _Use.LOOK)
        self.visit(node.value, use)

    def visit(self, node: nodes.Node, use: _Use) -> None:
        match node:
            case nodes.Name():
                self.name(node, use)
            case nodes.IfExpr():
                self.visit(node.condition, _Use.LOOK)
                self.visit(node.then, use)
                self.visit(node.orelse, use)
            case nodes.ValueBlock():
                self.block(node, use)
            case nodes.Match():
                self.visit(node.scrutinee, use)
                for arm in node.arms:
                    self.visit(arm.body, use)
            case nodes.Copy():
                self.visit(node.value, use)
            case nodes.Unary():
                self.visit(node.operand, use)
            case nodes.UnwrapOr():
                self.visit(node.value, use)
                self.visit(node.default, use)
            case nodes.Function() | nodes.Closure():
                self.capture(node)
            case nodes.Let() | nodes.Assign():
                variable = self.resolution.variables.get(node)
                owns = variable is not None and self.usage.is_mutated(variable)
                self.visit(node.value, _Use.OWN if owns else _Use.KEEP)
            case nodes.MemberAssign() | nodes.ExprStatement():
                self.visit(node.value, _Use.KEEP)
            case nodes.IndexAssign():
                self.visit(node.index, _Use.KEEP)
                self.visit(node.value, _Use.KEEP)
            case _:
                self.expression(node, use)

    def expression(self, node: nodes.Node, use: _Use) -> None:
        if isinstance(node, nodes.Call):
            self.arguments(node)
        else:
            keeps = isinstance(node, nodes.ArrayLiteral | nodes.MapLiteral)
            for child in parts(node):
                self.visit(child, _Use.KEEP if keeps else _Use.LOOK)
        if use is _Use.OWN and not self.freshness.is_fresh(node):
            self.sharing.copies.add(node)

    def arguments(self, node: nodes.Call) -> None:
        target = self.resolution.targets.get(node)
        for number, argument in enumerate(node.args):
            match target:
                case BuiltinTarget() | NamespaceTarget():
                    keeps = False
                case FunctionTarget(function):
                    keeps = self.kept.is_kept(function, number)
                case _:
                    keeps = True
            self.visit(argument, _Use.KEEP if keeps else _Use.LOOK)

    def name(self, node: nodes.Name, use: _Use) -> None:
        variable = self.resolution.variables.get(node)
        if variable is None or use is _Use.LOOK or not can_share(self.typing.of(node)):
            return
        if use is _Use.OWN or (variable, node) in self.dangerous:
            self.sharing.copies.add(node)

    def capture(self, node: nodes.Function | nodes.Closure) -> None:
        inner = self.resolution.scopes.get(node)
        if inner is None:
            return
        for variable, mode in inner.captures.items():
            if mode is not Capture.SHARED and (variable, node) in self.dangerous:
                self.sharing.captures.add((node, variable))
