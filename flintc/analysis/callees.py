"""Which functions and closures a call of a value may run.

Function values are followed through variables, parameters and results. One that goes anywhere else
(into an array, to a host function) has escaped: every call of a value of unknown origin may run it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final, TypeAlias

from flintc.analysis.parts import choices, parts
from flintc.analysis.symbols import (
    FunctionTarget,
    Resolution,
    Scope,
    Typing,
    Variable,
    VariableTarget,
)
from flintc.analysis.types import Primitive
from flintc.analysis.usage import Usage
from flintc.syntax import nodes

Owner: TypeAlias = nodes.Function | nodes.Closure


@dataclass(frozen=True, slots=True)
class _Result:
    """What a function or closure returns."""

    of: Owner


_ESCAPED: Final = "escaped"  # where function values go that nobody follows
_ANYTHING: Final = "anything"  # a value of unknown origin
_Place: TypeAlias = Variable | _Result | str
_Value: TypeAlias = Owner | str
_MOST: Final = 16  # functions in one place; more of them have escaped
_FOLLOWED: Final[frozenset[type[nodes.Node]]] = frozenset(  # by whoever has the value, or not
    {
        *(nodes.Copy, nodes.IfExpr, nodes.ValueBlock, nodes.Match, nodes.Arm),
        *(nodes.Closure, nodes.Function, nodes.ExprStatement),
    }
)


class Callees:
    """`of_call` and `escaped` are what there is to know; None stands for any escaped function."""

    def __init__(self, resolution: Resolution, typing: Typing, usage: Usage) -> None:
        self._resolution = resolution
        self._typing = typing
        self._held: dict[_Place, set[_Value]] = {}
        self._edges: dict[_Place, list[_Place]] = {}
        self._calls: dict[Variable, list[nodes.Call]] = {}
        self._calls_of: dict[Owner, list[nodes.Call]] = {}
        self._pending: list[tuple[_Place, _Value]] = []
        for scope in resolution.scopes.values():
            self._body(scope)
        for variable, uses in usage.of_variable.items():
            if not all(isinstance(b, (nodes.Let, nodes.Assign)) for b in uses.bindings):
                self._add(variable, _ANYTHING)
        self._spread()

    @property
    def escaped(self) -> set[Owner]:
        return {v for v in self._held.get(_ESCAPED, ()) if not isinstance(v, str)}

    def of_call(self, node: nodes.Call) -> list[Owner] | None:
        """What a call may run; empty for builtins and host functions."""
        known, complete = self.known_of_call(node)
        return known if complete else None

    def known_of_call(self, node: nodes.Call) -> tuple[list[Owner], bool]:
        """What a call is known to run, and whether it cannot run an escaped function as well."""
        target = self._resolution.targets.get(node)
        if isinstance(target, FunctionTarget):
            return [target.function.node], True
        if isinstance(target, VariableTarget):
            held = self._held.get(target.variable, set())
            known = [value for value in held if not isinstance(value, str)]
            return known, bool(known) and _ANYTHING not in held
        return [], True

    def calls_of(self, owner: Owner) -> list[nodes.Call] | None:
        """All calls that may run a function; None if it has escaped, or is public: another program
        that uses its module may call it with anything, and they share what is emitted for it.
        """
        if owner in self.escaped or (isinstance(owner, nodes.Function) and owner.public):
            return None
        return self._calls_of.get(owner, [])

    # -- what flows where ----------------------------------------------------------------

    def _body(self, scope: Scope) -> None:
        owner = scope.owner
        if isinstance(owner, (nodes.Function, nodes.Closure)) and owner.body is not None:
            self._flow(owner.body, _Result(owner))
        for node in scope.parts:
            if isinstance(node, (nodes.Let, nodes.Assign)):
                variable = self._resolution.variables.get(node)
                self._flow(node.value, _ESCAPED if variable is None else variable)
            elif isinstance(node, nodes.Call):
                self._call(node)
            elif isinstance(node, nodes.Match):
                self._flow(node.scrutinee, _ESCAPED)
            elif type(node) not in _FOLLOWED:
                for part in parts(node):
                    self._flow(part, _ESCAPED)

    def _call(self, node: nodes.Call) -> None:
        target = self._resolution.targets.get(node)
        if isinstance(target, FunctionTarget):
            self._run(target.function.node, node)
        elif isinstance(target, VariableTarget):
            self._calls.setdefault(target.variable, []).append(node)
        else:
            self._flow_all(node.args)

    def _run(self, owner: Owner, node: nodes.Call) -> None:
        """A call may run this function."""
        self._calls_of.setdefault(owner, []).append(node)
        params = self._params(owner)
        for number, argument in enumerate(node.args):
            self._flow(argument, params[number] if number < len(params) else _ESCAPED)

    def _params(self, owner: Owner) -> list[_Place]:
        variables = self._resolution.variables
        return [variables.get(param, _ESCAPED) for param in owner.params]

    def _flow(self, node: nodes.Node, place: _Place) -> None:
        """What `node` gives goes to `place`."""
        if isinstance(self._typing.of(node), Primitive):
            return
        target = self._resolution.targets.get(node)
        variable = self._resolution.variables.get(node)
        if isinstance(node, nodes.Closure):
            self._add(place, node)
        elif isinstance(node, nodes.Name) and variable is not None:
            self._link(variable, place)
        elif isinstance(node, nodes.Name) and isinstance(target, FunctionTarget):
            self._add(place, target.function.node)
        elif isinstance(node, nodes.Call) and isinstance(target, FunctionTarget):
            self._link(_Result(target.function.node), place)
        elif options := choices(node):
            for option in options:
                self._flow(option, place)
        elif place != _ESCAPED:
            self._add(place, _ANYTHING)

    # -- solving -------------------------------------------------------------------------

    def _add(self, place: _Place, value: _Value) -> None:
        held = self._held.setdefault(place, set())
        if value not in held:
            held.add(value)
            self._pending.append((place, value))

    def _link(self, source: _Place, target: _Place) -> None:
        self._edges.setdefault(source, []).append(target)
        for value in list(self._held.get(source, ())):
            self._add(target, value)

    def _spread(self) -> None:
        while self._pending:
            place, value = self._pending.pop()
            for target in self._edges.get(place, ()):
                self._add(target, value)
            if place == _ESCAPED and not isinstance(value, str):
                self._escape(value)
            if isinstance(place, Variable):
                self._arrived(place, value)

    def _arrived(self, variable: Variable, value: _Value) -> None:
        """The calls of a variable may run what it holds."""
        held = self._held[variable]
        many = len(held) > _MOST
        if many and _ANYTHING not in held:
            self._add(variable, _ANYTHING)
            self._link(variable, _ESCAPED)
        for node in self._calls.get(variable, ()):
            if isinstance(value, str):
                self._flow_all(node.args)
            elif not many:
                self._run(value, node)

    def _flow_all(self, arguments: Iterable[nodes.Node]) -> None:
        for argument in arguments:
            self._flow(argument, _ESCAPED)

    def _escape(self, owner: Owner) -> None:
        """Anybody may call it, with anything, and has what it returns."""
        for param in self._params(owner):
            if isinstance(param, Variable):
                self._add(param, _ANYTHING)
        self._link(_Result(owner), _ESCAPED)
