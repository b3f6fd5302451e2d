"""Which expressions give an array or map that nothing else refers to.

Only the outermost one counts: elements are never changed in place where they are.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from flintc.analysis.keeping import KeptParameters
from flintc.analysis.symbols import (
    BuiltinTarget,
    FunctionSymbol,
    FunctionTarget,
    HostTarget,
    NamespaceTarget,
    Resolution,
    Typing,
    Variable,
)
from flintc.analysis.types import Handle, Primitive, Type, strip_optional
from flintc.analysis.usage import Usage
from flintc.syntax import nodes


def can_share(type_: Type) -> bool:
    """Whether a value of this type may be a list or dict."""
    return not isinstance(strip_optional(type_), (Primitive, Handle))


class Freshness:
    """Which expressions give a list or dict that nothing else refers to."""

    def __init__(
        self, resolution: Resolution, typing: Typing, usage: Usage, kept: KeptParameters
    ) -> None:
        self.resolution = resolution
        self.typing = typing
        self.usage = usage
        self.kept = kept
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
            self.functions[function] = body is not None and self._gives_fresh(function.node, body)
        return self.functions[function]

    def _gives_fresh(self, owner: nodes.Function, body: nodes.ValueBlock) -> bool:
        returned: dict[Variable, int] = {}
        for result in _results(body):
            variable = self.resolution.variables.get(result)
            if variable is not None and self.is_owner(variable):
                returned[variable] = returned.get(variable, 0) + 1
            elif not self.is_fresh(result):
                return False
        if not returned:
            return True
        # looked at elsewhere, what is returned takes nothing else along
        kept = Counter(variable for _, variable in self.kept.reads(owner))
        return all(kept[variable] == count for variable, count in returned.items())

    def is_owner(self, variable: Variable) -> bool:
        """Whether a variable of the body that binds it holds its value alone at first."""
        if self.usage.of(variable).captured:
            return False
        is_local = variable.kind == "let"
        return self.usage.is_mutated(variable) or (is_local and self.is_bound_fresh(variable))

    def is_bound_fresh(self, variable: Variable) -> bool:
        """Whether all that is assigned to a variable is fresh, and no closure has it."""
        uses = self.usage.of(variable)
        return not uses.captured and all(
            isinstance(node, (nodes.Let, nodes.Assign)) and self.is_fresh(node.value)
            for node in uses.bindings
        )


def _results(node: nodes.Node) -> Iterator[nodes.Node]:
    """The expressions of which one gives the value of a block, `if` or `match`."""
    pending = [node]
    while pending:
        node = pending.pop()
        if isinstance(node, nodes.ValueBlock):
            pending.append(node.value)
        elif isinstance(node, nodes.IfExpr):
            pending += [node.then, node.orelse]
        elif isinstance(node, nodes.Match):
            pending += [arm.body for arm in node.arms]
        else:
            yield node
