"""Ownership in statements: bindings, mutations, branches and loops of one body.

A loop's head holds what comes in and what comes round; the outermost loop is visited until the
heads of all loops in it stay the same, which does not depend on how deep they are nested.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

from flintc.analysis import ownership_report as report
from flintc.analysis.ownership_facts import DYNAMIC, OTHER, Facts, Value, join
from flintc.analysis.ownership_report import Event
from flintc.analysis.ownership_store import Changes, Meeting, Store
from flintc.analysis.ownership_uses import Shared
from flintc.analysis.ownership_values import ExpressionOwnership
from flintc.analysis.symbols import Scope, Variable
from flintc.source import Span
from flintc.syntax import nodes

_Loop = nodes.While | nodes.ForRange | nodes.ForMap

# A variable remembers this many names that share its value: a message gives one of them.
_MOST_ALIASES = 8

# Facts go round a loop once or twice. What takes longer is a chain of copies against the order of
# the text; the problems at its far end may go unreported.
_MOST_ROUNDS = 8


class _LoopPaths:
    """Where the paths of a loop's body lead: out of it, or round."""

    def __init__(self, store: Store) -> None:
        self.leaving = Meeting(store)
        self.repeating = Meeting(store)


class BodyOwnership(ExpressionOwnership):
    """Visits the body of a file, function or closure once its captures are known."""

    def __init__(self, shared: Shared, scope: Scope, inherited: Mapping[Variable, Facts]) -> None:
        super().__init__(shared, scope, inherited)
        self.loops: list[_LoopPaths] = []
        self.heads: dict[nodes.Node, Changes] = {}  # what comes round, by loop
        self.grown = False

    def run(self) -> None:
        owner = self.scope.owner
        if isinstance(owner, nodes.Program):
            self.statements(owner.statements)
        elif owner.body is not None:
            self.value(owner.body)

    def value_block(self, block: nodes.ValueBlock) -> Value:
        self.statements(block.statements)
        return self.value(block.value) if self.store.reachable else OTHER

    def statements(self, statements: Iterable[nodes.Statement]) -> None:
        for statement in statements:
            if not self.store.reachable:
                return
            handler = _STATEMENTS.get(type(statement))
            if handler is not None:
                handler(self, statement)

    # -- bindings ------------------------------------------------------------------------

    def let(self, node: nodes.Let) -> None:
        self._bind(node, node.value)

    def assign(self, node: nodes.Assign) -> None:
        self._bind(node, node.value)

    def _bind(self, node: nodes.Let | nodes.Assign, expression: nodes.Expr) -> None:
        variable = self.resolution.variables.get(node)
        if isinstance(node, nodes.Let) and isinstance(expression, nodes.Closure):
            self.being_bound = variable
        value = self.value(expression)
        self.being_bound = None
        if variable is None:
            return
        if isinstance(node, nodes.Assign):
            self._check_assigned(variable, node.name.span)
        source = self._source(expression)
        if source is variable:
            return
        if value.movable:
            self.move_name(expression, expression.span, "bound")
        self.bind(variable, value)
        if source is not None and value.collection:
            self._share(variable, source, expression.span)

    def bind(self, variable: Variable, value: Value) -> None:
        self.store.detach(variable)
        facts = Facts(
            movable=value.movable,
            collection=value.collection,
            plain=value.plain,
            literal=value.literal,
            copyable=value.copyable,
        )
        self.store.set(variable, facts)

    def _check_assigned(self, variable: Variable, span: Span) -> None:
        facts = self.store.get(variable)
        if not facts.available:
            self.found((variable, None), lambda: report.unavailable(variable, span, assigns=True))
            self.store.set(variable, facts._replace(available=True))

    def _source(self, node: nodes.Expr) -> Variable | None:
        """The variable whose value a binding takes over: `p`, `&p` and `id(p)` (4.7)."""
        if isinstance(node, nodes.Name):
            return self.resolution.variables.get(node)
        if isinstance(node, nodes.Unary) and node.operator == "&":
            return self._source(node.operand)
        if isinstance(node, nodes.Call):
            argument = self.shared.calls.given_back(node)
            return None if argument is None else self._source(argument)
        return None

    def _share(self, variable: Variable, source: Variable, span: Span) -> None:
        self.history.note((variable, variable), span, "shared")
        for other in (source, *self.store.get(source).aliases):
            facts, others = self.store.get(variable), self.store.get(other)
            if max(len(facts.aliases), len(others.aliases)) < _MOST_ALIASES:
                self.store.set(variable, facts._replace(aliases=facts.aliases | {other}))
                self.store.set(other, others._replace(aliases=others.aliases | {variable}))

    def add_assign(self, node: nodes.AddAssign) -> None:
        value = self.summand(node.value)
        variable = self.resolution.variables.get(node)
        if variable is not None:
            self._check_assigned(variable, node.name.span)
            before = self.use(variable, node.name.span)
            self.bind(variable, Value(plain=before.plain and value.plain))

    # -- mutations -----------------------------------------------------------------------

    def member_assign(self, node: nodes.MemberAssign) -> None:
        value = self.value(node.value)
        self._mutate(node, self.field_number(node.member), value)

    def index_assign(self, node: nodes.IndexAssign) -> None:
        self.value(node.index)
        value = self.value(node.value)
        self._mutate(node, self.field_number(node.index), value)

    def _mutate(
        self, node: nodes.MemberAssign | nodes.IndexAssign, number: int, value: Value
    ) -> None:
        variable = self.resolution.variables.get(node)
        if variable is None:
            return
        self._check_assigned(variable, node.name.span)
        facts = self.touch(variable, node.name.span)
        if facts.aliases:
            self._aliased(variable, facts, node.name.span)
            facts = self.store.get(variable)
        if number == DYNAMIC:
            facts = facts._replace(taken=0, copyable=0)
        elif self.has_fields(variable):
            bit = 1 << number
            is_copyable = value.plain and facts.literal
            copyable = facts.copyable | bit if is_copyable else facts.copyable & ~bit
            facts = facts._replace(taken=facts.taken & ~bit, copyable=copyable)
        self.store.set(variable, facts)

    def _aliased(self, variable: Variable, facts: Facts, span: Span) -> None:
        other = min(facts.aliases, key=lambda alias: alias.span.start)
        self.found(
            (variable, other),
            lambda: report.aliased(variable, other, span, self._shared_at(variable, other, span)),
        )
        self.store.detach(variable)

    def _shared_at(self, one: Variable, other: Variable, span: Span) -> Event | None:
        events = (self.history.before((variable, variable), span) for variable in (other, one))
        return next((event for event in events if event is not None), None)

    # -- control flow --------------------------------------------------------------------

    def expression(self, node: nodes.ExprStatement) -> None:
        self.value(node.value)

    def function(self, node: nodes.Function) -> None:
        self.capture(node, node.name.span)

    def if_(self, node: nodes.If) -> None:
        self.value(node.condition)
        self.store.begin()
        self.statements(node.then.statements)
        then = self.store.end()
        self.store.begin()
        if node.orelse is not None:
            inside = (
                node.orelse.statements if isinstance(node.orelse, nodes.Block) else (node.orelse,)
            )
            self.statements(inside)
        self.store.merge([then, self.store.end()])

    def break_(self, node: nodes.Break) -> None:
        if self.loops:  # else reported by the parser
            self.loops[-1].leaving.add()
            self.store.reachable = False

    def continue_(self, node: nodes.Continue) -> None:
        if self.loops:
            self.loops[-1].repeating.add()
            self.store.reachable = False

    def while_(self, node: nodes.While) -> None:
        self._loop(node, lambda: self.value(node.condition))

    def for_range(self, node: nodes.ForRange) -> None:
        start = self.value(node.start)
        variable = self.resolution.variables.get(node)
        if variable is not None:
            self.bind(variable, Value(plain=start.plain))
        self._loop(node, lambda: self.value(node.end))

    def for_map(self, node: nodes.ForMap) -> None:
        source = self.resolution.variables.get(node)
        if source is not None:
            self.use(source, node.source.span)
        self._loop(node, lambda: None)

    # -- loops ---------------------------------------------------------------------------

    def _loop(self, node: _Loop, head: Callable[[], object]) -> None:
        if self.loops:
            self.store.merge([self._round(node, head)])
            return
        for _ in range(_MOST_ROUNDS):
            reported, created = len(self.findings), len(self.inner)
            self.grown = False
            leaving = self._round(node, head)
            if not self.grown:
                break
            del self.inner[created:]
            while len(self.findings) > reported:
                self.findings.popitem()
        self.store.merge([leaving])
        self.store.log.clear()

    def _round(self, node: _Loop, head: Callable[[], object]) -> Changes | None:
        """Visit a loop once from its head as known so far; where the paths lead that leave it."""
        self.store.begin()
        loop = _LoopPaths(self.store)
        self.loops.append(loop)
        round_trip = self.heads.setdefault(node, {})
        for variable, facts in round_trip.items():
            self.store.set(variable, join(self.store.get(variable), facts))
        at_head = len(self.store.log)
        head()
        by_head = set(self.store.log[at_head:])
        if self.store.reachable:
            loop.leaving.add()
        self.statements(node.body.statements)
        if self.store.reachable:
            loop.repeating.add()
        self.store.end()
        self.loops.pop()
        self._come_round(round_trip, loop.repeating.facts)
        return self._leave(loop.leaving.facts, round_trip, by_head)

    def _come_round(self, known: Changes, found: Changes | None) -> None:
        for variable, facts in (found or {}).items():
            before = known.get(variable)
            after = facts if before is None else join(before, facts)
            if after != before:
                known[variable] = after
                self.grown = True

    def _leave(
        self, leaving: Changes | None, round_trip: Changes, by_head: set[Variable]
    ) -> Changes | None:
        """What came round leaves by the head at once, so that few rounds are needed."""
        if leaving is not None:
            for variable, facts in round_trip.items():
                if variable not in by_head:
                    before = leaving.get(variable) or self.store.get(variable)
                    leaving[variable] = join(before, facts)
        return leaving


_Handler = Callable[[BodyOwnership, Any], None]
_STATEMENTS: Final[dict[type[nodes.Node], _Handler]] = {
    nodes.Let: BodyOwnership.let,
    nodes.Assign: BodyOwnership.assign,
    nodes.AddAssign: BodyOwnership.add_assign,
    nodes.MemberAssign: BodyOwnership.member_assign,
    nodes.IndexAssign: BodyOwnership.index_assign,
    nodes.ExprStatement: BodyOwnership.expression,
    nodes.Function: BodyOwnership.function,
    nodes.If: BodyOwnership.if_,
    nodes.While: BodyOwnership.while_,
    nodes.ForRange: BodyOwnership.for_range,
    nodes.ForMap: BodyOwnership.for_map,
    nodes.Break: BodyOwnership.break_,
    nodes.Continue: BodyOwnership.continue_,
}
