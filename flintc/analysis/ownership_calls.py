"""What named functions do with their parameters: consume them, or give one back as it is.

Language reference 4.3 and 4.7.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TypeAlias

from flintc.analysis.symbols import FunctionSymbol, FunctionTarget, Resolution, Variable
from flintc.syntax import nodes

_Parameter: TypeAlias = tuple[FunctionSymbol, int]


class Calls:
    """The facts about all functions of a program, found in one walk over their bodies."""

    def __init__(self, resolution: Resolution) -> None:
        self.resolution = resolution
        self.consuming: set[_Parameter] = set()
        self.returned: dict[FunctionSymbol, int] = {}  # functions like `fn id(x) { x }`
        self.passed: dict[_Parameter, list[_Parameter]] = defaultdict(list)
        for symbol in resolution.functions.values():
            if symbol.scope is not None and symbol.params:
                self._read(symbol)
        self._propagate()

    def consumes(self, call: nodes.Call, argument: int) -> FunctionSymbol | None:
        """The function that takes an argument for itself, if the called one does."""
        target = self.resolution.targets.get(call)
        if isinstance(target, FunctionTarget) and (target.function, argument) in self.consuming:
            return target.function
        return None

    def given_back(self, call: nodes.Call) -> nodes.Expr | None:
        """The argument that is the call's result as it is."""
        target = self.resolution.targets.get(call)
        if not isinstance(target, FunctionTarget):
            return None
        at = self.returned.get(target.function)
        return call.args[at] if at is not None and at < len(call.args) else None

    def _read(self, symbol: FunctionSymbol) -> None:
        numbers = {param: at for at, param in enumerate(symbol.params)}
        body = symbol.node.body
        assert body is not None
        assert symbol.scope is not None
        for call in symbol.scope.parts_of(nodes.Call):
            self._pass(symbol, numbers, call)
        for node in symbol.scope.parts:
            if isinstance(node, (nodes.Let, nodes.Assign, nodes.ExprStatement)):
                self._take(symbol, numbers, node)
        if isinstance(body.value, nodes.Name):
            self._give_back(symbol, numbers, body, body.value)

    def _used(self, node: nodes.Node) -> list[Variable]:
        if isinstance(node, (nodes.Function, nodes.Closure)):
            scope = self.resolution.scopes.get(node)
            return [] if scope is None else list(scope.captures)
        variable = self.resolution.variables.get(node)
        return [] if variable is None else [variable]

    def _take(
        self,
        symbol: FunctionSymbol,
        numbers: dict[Variable, int],
        node: nodes.Let | nodes.Assign | nodes.ExprStatement,
    ) -> None:
        """`let a = p.k;`, `a = p[0];` and `p.k;` take the field out of the parameter (4.6)."""
        if isinstance(node.value, (nodes.Member, nodes.Index)) and is_literal_field(node.value):
            at = self._parameter(node.value.container, numbers)
            if at is not None:
                self.consuming.add((symbol, at))

    def _pass(self, symbol: FunctionSymbol, numbers: dict[Variable, int], node: nodes.Call) -> None:
        target = self.resolution.targets.get(node)
        if not isinstance(target, FunctionTarget):
            return
        for number, argument in enumerate(node.args):
            at = self._parameter(argument, numbers)
            if at is not None:
                self.passed[target.function, number].append((symbol, at))

    def _give_back(
        self,
        symbol: FunctionSymbol,
        numbers: dict[Variable, int],
        body: nodes.ValueBlock,
        result: nodes.Name,
    ) -> None:
        """The function is `{ p }`, or `{ let t = p; … t }` without another use of `p`."""
        at = self._parameter(result, numbers)
        if at is not None and not body.statements:
            self.returned[symbol] = at
        returned = self.resolution.variables.get(result)
        rebinds = {
            at: statement.value
            for statement in body.statements
            if isinstance(statement, (nodes.Let, nodes.Assign))
            and self.resolution.variables.get(statement) is returned
            and (at := self._parameter(statement.value, numbers)) is not None
        }
        if rebinds:
            last_use = self._last_uses(symbol)
            for at, value in rebinds.items():
                if last_use[symbol.params[at]] <= value.span.start:
                    self.consuming.add((symbol, at))

    def _last_uses(self, symbol: FunctionSymbol) -> dict[Variable, int]:
        """Where in the text a function uses each variable last."""
        last: dict[Variable, int] = {}
        assert symbol.scope is not None
        for node in symbol.scope.parts:
            for variable in self._used(node):
                last[variable] = max(last.get(variable, 0), node.span.start)
        return last

    def _parameter(self, value: nodes.Node, numbers: dict[Variable, int]) -> int | None:
        variable = self.resolution.variables.get(value) if isinstance(value, nodes.Name) else None
        return None if variable is None else numbers.get(variable)

    def _propagate(self) -> None:
        """A parameter that is passed on to be consumed is consumed."""
        waiting = list(self.consuming)
        while waiting:
            for parameter in self.passed.get(waiting.pop(), ()):
                if parameter not in self.consuming:
                    self.consuming.add(parameter)
                    waiting.append(parameter)


def is_literal_field(node: nodes.Member | nodes.Index) -> bool:
    """Whether a field is named by a literal: `x.f`, `x["f"]`, `x[0]`."""
    if isinstance(node, nodes.Index):
        literal = isinstance(node.key, (nodes.StringLiteral, nodes.IntLiteral))
        return literal and not node.optional
    return not node.optional
