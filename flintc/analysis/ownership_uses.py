"""Uses of variables in one body: checked against what is known of them, and noted.

Language reference 4.2 to 4.4.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial

from flintc.analysis import ownership_report as report
from flintc.analysis.ownership_calls import Calls
from flintc.analysis.ownership_facts import SLICE, WILD, Facts, FieldNumbers, numbers
from flintc.analysis.ownership_report import Event, History, Place, Reason
from flintc.analysis.ownership_store import Store
from flintc.analysis.symbols import Resolution, Scope, Variable
from flintc.problems import Problem
from flintc.source import Span
from flintc.syntax import nodes


@dataclass(slots=True)
class Shared:
    """What the bodies of a program have in common."""

    resolution: Resolution
    calls: Calls
    fields: FieldNumbers = field(default_factory=FieldNumbers)


class Uses:
    """The uses of variables in one body.

    `inner` are the bodies that were reached inside it, each with what it inherits.
    """

    def __init__(self, shared: Shared, scope: Scope, inherited: Mapping[Variable, Facts]) -> None:
        self.shared = shared
        self.resolution = shared.resolution
        self.scope = scope
        self.store = Store(scope, inherited)
        self.history = History()
        self.findings: dict[Place, Problem] = {}
        self.inner: list[tuple[Scope, dict[Variable, Facts]]] = []

    def found(self, place: Place, problem: Callable[[], Problem]) -> None:
        """Note a problem, unless one is known for the place or the whole variable."""
        known = place in self.findings or (place[0], None) in self.findings
        if self.store.reachable and not known:
            self.findings[place] = problem()

    def use(self, variable: Variable, span: Span) -> Facts:
        """A use of the whole variable."""
        facts = self.touch(variable, span)
        if facts.taken:
            taken = facts.taken
            self.found(
                (variable, None),
                lambda: report.partially_moved(
                    variable, span, self._taken_at(variable, taken, span)
                ),
            )
            facts = facts._replace(taken=0)
            self.store.set(variable, facts)
        return facts

    def touch(self, variable: Variable, span: Span) -> Facts:
        """A use of the variable or of one of its fields. Problems are reported once."""
        facts = self.store.get(variable)
        if not facts.available:
            self.found((variable, None), partial(report.unavailable, variable, span))
        elif facts.moved:
            self.found(
                (variable, None),
                lambda: report.moved(variable, span, self._moved_at(variable, span)),
            )
        else:
            return facts
        facts = facts._replace(available=True, moved=False)
        self.store.set(variable, facts)
        return facts

    def move(self, variable: Variable, span: Span, reason: Reason) -> None:
        """The value leaves the variable."""
        self.history.note((variable, None), span, reason)
        self.store.set(variable, self.store.get(variable)._replace(moved=True))

    def has_fields(self, variable: Variable) -> bool:
        """Whether moves of single fields count: for named locals of the body (4.1)."""
        return variable.scope is self.scope and variable.kind in ("let", "loop")

    def read_field(
        self,
        variable: Variable,
        node: nodes.Member | nodes.Index | nodes.Slice,
        number: int,
        takes: bool,
    ) -> bool:
        """A field of a variable, taken out or only looked at; whether it is a plain value."""
        # a slice needs the length of the whole
        facts = (self.use if number == SLICE else self.touch)(variable, node.container.span)
        if not self.has_fields(variable):
            return False
        bit = 1 << number
        conflict = facts.taken if bit & WILD else facts.taken & (bit | WILD)
        if conflict:
            self.found(
                (variable, number),
                lambda: report.field_moved(
                    node.span, self._taken_at(variable, conflict, node.span)
                ),
            )
        elif takes and not bit & facts.copyable:
            self.history.note((variable, number), node.span, "taken")
            self.store.set(variable, facts._replace(taken=facts.taken | bit))
        return not conflict and bool(bit & facts.copyable)

    def _moved_at(self, variable: Variable, span: Span) -> Event | None:
        return self.history.before((variable, None), span)

    def _taken_at(self, variable: Variable, fields: int, span: Span) -> Event | None:
        events = [self.history.before((variable, number), span) for number in numbers(fields)]
        return next((event for event in events if event is not None), None)
