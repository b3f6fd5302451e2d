"""Which expressions give the values of each int: of a variable, of a function's result, of the
elements of an array or map.

The parameters of a function have the arguments of its calls in the program, if all are known;
generated functions rely on that.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final, TypeAlias

from flintc.analysis.callees import Callees, Owner
from flintc.analysis.symbols import Resolution, Typing, Variable
from flintc.analysis.types import INT, Array, Map, Object, Tuple, Type
from flintc.analysis.usage import Usage
from flintc.syntax import nodes


@dataclass(frozen=True, slots=True)
class Elements:
    """All elements of the array or map that a variable holds."""

    of: Variable


Slot: TypeAlias = Variable | Owner | Elements  # the owner of a body: what it returns
# An expression, `v += …`, a range loop over the variable, or None for a value of any origin.
Source: TypeAlias = nodes.Node | None

_FOLLOWED: Final = ("let", "loop", "param", "closure_param")


@dataclass(slots=True)
class Flows:
    """The sources of every slot that is followed, and the calls of each function to itself."""

    sources: dict[Slot, list[Source]] = field(default_factory=dict)
    self_calls: dict[Owner, list[nodes.Call]] = field(default_factory=dict)


def find_flows(resolution: Resolution, typing: Typing, usage: Usage, callees: Callees) -> Flows:
    return _Collector(resolution, typing, usage, callees).run()


class _Collector:
    def __init__(
        self, resolution: Resolution, typing: Typing, usage: Usage, callees: Callees
    ) -> None:
        self.resolution = resolution
        self.typing = typing
        self.usage = usage
        self.callees = callees
        self.borrowed: set[Variable] = set()  # `&mut v`
        self.flows = Flows()

    def run(self) -> Flows:
        for owner, scope in self.resolution.scopes.items():
            for call in scope.parts_of(nodes.Call):
                if owner in (self.callees.of_call(call) or ()):
                    self.flows.self_calls.setdefault(owner, []).append(call)  # type: ignore[arg-type]
            for unary in scope.parts_of(nodes.Unary):
                self._note_borrow(unary)
            if isinstance(owner, (nodes.Function, nodes.Closure)) and owner.body is not None:
                self._function(owner, owner.body)
        for variable in self.usage.of_variable:
            self._variable(variable)
        return self.flows

    def _note_borrow(self, node: nodes.Unary) -> None:
        if node.operator == "&mut":
            variable = self.resolution.variables.get(_root(node.operand))
            if variable is not None:
                self.borrowed.add(variable)

    def _function(self, owner: Owner, body: nodes.Node) -> None:
        if self.typing.of(body) is INT:
            self.flows.sources[owner] = [body]
        calls = self.callees.calls_of(owner) or ()
        for number, param in enumerate(owner.params):
            variable = self.resolution.variables.get(param)
            if variable is not None and variable.type is INT:
                self.flows.sources[variable] = [
                    call.args[number] if number < len(call.args) else None for call in calls
                ] or [None]

    def _variable(self, variable: Variable) -> None:
        if variable.kind not in _FOLLOWED:
            return
        if variable.type is INT:
            sources = self.flows.sources.setdefault(variable, [])
            sources.extend(map(_bound_value, self.usage.of(variable).bindings))
        elif variable.kind == "let" and _holds_ints(variable.type):
            self.flows.sources[Elements(variable)] = list(self._elements(variable))

    def _elements(self, variable: Variable) -> list[Source]:
        uses = self.usage.of(variable)
        if uses.shared or variable in self.borrowed:
            return [None]
        sources: list[Source] = []
        for mutation in uses.mutations:
            known = isinstance(mutation, (nodes.IndexAssign, nodes.MemberAssign))
            sources.append(mutation.value if known else None)  # type: ignore[attr-defined]
        for binding in uses.bindings:
            sources.extend(self._initial(_bound_value(binding)))
        return sources

    def _initial(self, value: Source) -> list[Source]:
        """The elements of what a variable is bound to."""
        match value:
            case nodes.ArrayLiteral(items=items):
                return list(items)
            case nodes.MapLiteral(entries=entries):
                return [entry.value for entry in entries]
            case _:
                return [None]


def _bound_value(binding: nodes.Node) -> Source:
    match binding:
        case nodes.Let() | nodes.Assign():
            return binding.value
        case nodes.AddAssign() | nodes.ForRange():
            return binding
        case _:
            return None


def _root(place: nodes.Node) -> nodes.Node:
    while isinstance(place, (nodes.Index, nodes.Member)):
        place = place.container
    return place


def _holds_ints(type_: Type) -> bool:
    match type_:
        case Array(element) | Map(element):
            return element is INT
        case Tuple(items, rest):
            return all(item is INT for item in items) and rest in (None, INT)
        case Object(fields):
            return all(kind is INT for _, kind in fields)
        case _:
            return False
