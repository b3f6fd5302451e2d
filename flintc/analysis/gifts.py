"""Arguments that are given away, so that a function may change them in place without a copy.

A function copies a parameter that it changes. That is for nothing where every caller can do without
the value: it is fresh, or that of a variable which holds it alone and is not read again. Such
parameters are *taken*; calls that cannot give the value away copy it instead. Only functions whose
calls are all known can take: private ones that are no values.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from flintc.analysis import backward
from flintc.analysis.freshness import Freshness
from flintc.analysis.keeping import KeptParameters
from flintc.analysis.parts import parts
from flintc.analysis.symbols import FunctionTarget, Resolution, Scope, Variable
from flintc.analysis.usage import Usage
from flintc.syntax import nodes

_ROUNDS = 3  # of finding parameters that are passed on to taken ones


@dataclass(eq=False, slots=True)
class Gifts:
    """What is handed over without a copy.

    `taken`: parameters that own what they get. `given`: names in calls whose value goes to one.
    `passed_on`: parameters that are not changed in place, but given away in a loop: where they are
    not taken, one copy at the start of the function stands for those in the loop.
    """

    taken: set[Variable] = field(default_factory=set)
    given: set[nodes.Node] = field(default_factory=set)
    passed_on: set[Variable] = field(default_factory=set)


@dataclass(frozen=True, slots=True)
class _Offer:
    """A variable as the argument for a parameter that may be taken."""

    call: nodes.Call
    argument: nodes.Expr
    variable: Variable
    parameter: Variable


class GiftFinder:
    """Finds the gifts of a program: once for the functions that change their parameters in place,
    then for those that pass theirs on to such functions.
    """

    def __init__(
        self,
        resolution: Resolution,
        usage: Usage,
        kept: KeptParameters,
        freshness: Freshness,
    ) -> None:
        self.resolution = resolution
        self.usage = usage
        self.kept = kept
        self.freshness = freshness
        self.gifts = Gifts()

    def find(self) -> Gifts:
        for _ in range(_ROUNDS):
            known = len(self.gifts.passed_on)
            candidates = self._candidates()
            if candidates:
                for scope in self._with_calls(candidates):
                    offers = list(self._offers(scope, candidates))
                    if offers:
                        self._accept(scope, offers)
            if len(self.gifts.passed_on) == known:
                break
        return self.gifts

    def _with_calls(self, candidates: set[Variable]) -> Iterator[Scope]:
        """The bodies that call a function with such a parameter."""
        takers = {
            symbol
            for symbol in self.resolution.functions.values()
            if not candidates.isdisjoint(symbol.params)
        }
        for scope in self.resolution.scopes.values():
            targets = map(self.resolution.targets.get, scope.parts_of(nodes.Call))
            if any(isinstance(t, FunctionTarget) and t.function in takers for t in targets):
                yield scope

    def _candidates(self) -> set[Variable]:
        changed = {
            parameter: function
            for function in self.resolution.functions.values()
            if function.node.body is not None and not function.node.public
            for parameter in function.params
            if self._is_changed(parameter) and not self.usage.of(parameter).captured
        }
        if not changed:
            return set()
        targets = self.resolution.targets.items()
        values = {
            target.function
            for node, target in targets
            if isinstance(node, nodes.Name) and isinstance(target, FunctionTarget)
        }
        return {parameter for parameter, function in changed.items() if function not in values}

    def _is_changed(self, parameter: Variable) -> bool:
        return self.usage.is_mutated(parameter) or parameter in self.gifts.passed_on

    def _offers(self, scope: Scope, candidates: set[Variable]) -> Iterator[_Offer]:
        for node, in_loop in _with_loops(scope.owner):
            target = self.resolution.targets.get(node)
            if not isinstance(node, nodes.Call) or not isinstance(target, FunctionTarget):
                continue
            for argument, parameter in zip(node.args, target.function.params, strict=False):
                if parameter not in candidates:
                    continue
                variable = self.resolution.variables.get(argument)
                if self.freshness.is_fresh(argument):
                    self.gifts.taken.add(parameter)
                elif variable is not None and self._owns(variable, scope, in_loop):
                    yield _Offer(node, argument, variable, parameter)

    def _owns(self, variable: Variable, scope: Scope, in_loop: bool) -> bool:
        """Whether a variable holds its value alone when it is bound, or can do so: a parameter that
        is not changed in place gets a copy if that saves those of a loop.
        """
        if variable.scope is not scope:
            return False
        if variable.kind == "param" and not self.usage.is_mutated(variable):
            can_own = in_loop or variable in self.gifts.passed_on
            return can_own and self.freshness.is_bound_fresh(variable)
        return self.freshness.is_owner(variable)

    # -- one body ------------------------------------------------------------------------

    def _accept(self, scope: Scope, offers: list[_Offer]) -> None:
        """Take the offers of variables that are not read again, and kept nowhere else."""
        variables = dict.fromkeys(offer.variable for offer in offers)
        bits = {variable: 1 << number for number, variable in enumerate(variables)}
        calls = {offer.call for offer in offers}
        reads = self._reads(scope, bits)
        later = backward.after(self.resolution, scope.owner, bits, reads, calls)
        holds = _Holds(self.resolution, bits, calls)
        holds.visit(scope.owner, 0)
        possible = [
            offer
            for offer in offers
            if not bits[offer.variable] & (later[offer.call] | holds.beside(offer))
        ]
        for offer in self._kept_nowhere(scope, possible):
            self.gifts.given.add(offer.argument)
            self.gifts.taken.add(offer.parameter)
            if offer.variable.kind == "param" and not self.usage.is_mutated(offer.variable):
                self.gifts.passed_on.add(offer.variable)

    def _reads(self, scope: Scope, bits: Mapping[Variable, int]) -> dict[nodes.Node, int]:
        found: dict[nodes.Node, int] = {}
        for node in scope.parts:
            if isinstance(node, (nodes.Let, nodes.Assign)):
                continue
            variable = self.resolution.variables.get(node)
            if variable is not None and variable in bits:
                found[node] = bits[variable]
        return found

    def _kept_nowhere(self, scope: Scope, offers: list[_Offer]) -> list[_Offer]:
        """The offers of values that nothing before them has kept."""
        bits: dict[Variable, int] = {}
        events: dict[nodes.Node, int] = {}
        for number, offer in enumerate(offers):
            bits[offer.variable] = bits.get(offer.variable, 0) | 1 << number
            events[offer.call] = events.get(offer.call, 0) | 1 << number
        kept = {name: v for name, v in self.kept.reads(scope.owner) if v in bits}
        later = backward.after(self.resolution, scope.owner, bits, events, kept.keys())
        bad = 0
        for name, variable in kept.items():
            bad |= later.get(name, 0) & bits[variable]
        return [offer for number, offer in enumerate(offers) if not bad >> number & 1]


def _with_loops(owner: nodes.Node) -> Iterator[tuple[nodes.Node, bool]]:
    """What is evaluated in a body, and whether it is in a loop of it."""
    stack = [(part, False) for part in parts(owner)]
    while stack:
        node, in_loop = stack.pop()
        yield node, in_loop
        if not isinstance(node, (nodes.Function, nodes.Closure)):
            inside = in_loop or isinstance(node, (nodes.While, nodes.ForRange, nodes.ForMap))
            stack.extend((part, inside) for part in parts(node))


class _Holds:
    """The variables whose value an operation holds while one of its later operands is evaluated."""

    def __init__(
        self, resolution: Resolution, bits: Mapping[Variable, int], calls: set[nodes.Call]
    ) -> None:
        self.resolution = resolution
        self.bits = bits
        self.calls = calls
        self.found: dict[nodes.Node, int] = {}
        self._references: dict[nodes.Node, int] = {}

    def beside(self, offer: _Offer) -> int:
        """The variables whose value is held during a call, or is in another of its arguments."""
        held = self.found[offer.call]
        for argument in offer.call.args:
            if argument is not offer.argument:
                held |= self.references(argument)
        return held

    def visit(self, node: nodes.Node, held: int) -> None:
        if node in self.calls:
            self.found[node] = held
        in_turn = isinstance(node, _DONE_BEFORE_THE_NEXT)
        for part in parts(node):
            if not isinstance(part, (nodes.Function, nodes.Closure)):
                self.visit(part, held)
                held |= 0 if in_turn else self.references(part)

    def references(self, node: nodes.Node) -> int:
        """The variables whose array or map may be the value of an expression, or be in it."""
        known = self._references.get(node)
        if known is None:
            known = self._references[node] = self._find(node)
        return known

    def _find(self, node: nodes.Node) -> int:
        found = 0
        if isinstance(node, nodes.Name):
            variable = self.resolution.variables.get(node)
            found = self.bits.get(variable, 0) if variable is not None else 0
        elif not isinstance(node, _LOOKS):
            for part in parts(node):
                found |= self.references(part)
        return found


# Nodes whose parts are statements, or of which only one gives the value.
_DONE_BEFORE_THE_NEXT = (
    nodes.Program,
    nodes.Function,
    nodes.Block,
    nodes.ValueBlock,
    nodes.If,
    nodes.IfExpr,
    nodes.While,
    nodes.ForRange,
    nodes.ForMap,
    nodes.Match,
    nodes.Arm,
)
# Nodes whose value is none of the arrays and maps that they look into.
_LOOKS = (
    nodes.Operation,
    nodes.Length,
    nodes.Has,
    nodes.Keys,
    nodes.Index,
    nodes.Member,
    nodes.Slice,
    nodes.Function,
    nodes.Closure,
)
