"""The facts of all variables along the paths of one body: branches, and where paths meet."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TypeAlias

from flintc.analysis.ownership_facts import ELSEWHERE, UNBOUND, Facts, join
from flintc.analysis.symbols import Scope, Variable

# The variables that a path has changed, with what holds of them at its end.
Changes: TypeAlias = dict[Variable, Facts]


class Store:
    """The facts of all variables at the current point of one body.

    Paths are tried one after the other: `begin` opens one, `end` takes back what it did and tells
    what it changed, `merge` combines several. Only changed variables cost time.
    """

    def __init__(self, scope: Scope, inherited: Mapping[Variable, Facts]) -> None:
        self.scope = scope
        self.facts: dict[Variable, Facts] = dict(inherited)
        self.undo: list[dict[Variable, Facts | None]] = [{}]
        self.log: list[Variable] = []  # every change and what was taken back, for `Meeting`
        self.reachable = True

    def get(self, variable: Variable) -> Facts:
        facts = self.facts.get(variable)
        return self._initial(variable) if facts is None else facts

    def _initial(self, variable: Variable) -> Facts:
        own = variable.scope is self.scope and variable.kind in ("let", "loop")
        return UNBOUND if own else ELSEWHERE

    def set(self, variable: Variable, facts: Facts) -> None:
        self.undo[-1].setdefault(variable, self.facts.get(variable))
        self.facts[variable] = facts
        self.log.append(variable)

    def detach(self, variable: Variable) -> None:
        """The variable no longer shares its array or map with any other."""
        facts = self.get(variable)
        if facts.aliases:
            for other in facts.aliases:
                others = self.get(other)
                self.set(other, others._replace(aliases=others.aliases - {variable}))
            self.set(variable, facts._replace(aliases=frozenset()))

    # -- paths ---------------------------------------------------------------------------

    @property
    def level(self) -> int:
        """How many paths are open."""
        return len(self.undo) - 1

    def begin(self) -> None:
        self.undo.append({})

    def end(self) -> Changes | None:
        """Close a path and go back to its beginning; None if its end is never reached."""
        undo = self.undo.pop()
        changes = {variable: self.facts[variable] for variable in undo} if self.reachable else None
        for variable, facts in undo.items():
            if facts is None:
                del self.facts[variable]
            else:
                self.facts[variable] = facts
        self.log.extend(undo)
        self.reachable = True
        return changes

    def at_beginning(self, level: int, variable: Variable) -> Facts:
        """What held when the path of that level was opened."""
        for undo in self.undo[level:]:
            if variable in undo:
                facts = undo[variable]
                return self._initial(variable) if facts is None else facts
        return self.get(variable)

    def merge(self, paths: Iterable[Changes | None]) -> None:
        """Continue where closed paths meet."""
        reached = [path for path in paths if path is not None]
        if not reached:
            self.reachable = False
        changed = dict.fromkeys(variable for path in reached for variable in path)
        for variable in changed:
            before = self.get(variable)
            facts = reached[0].get(variable, before)
            for path in reached[1:]:
                facts = join(facts, path.get(variable, before))
            self.set(variable, facts)


class Meeting:
    """Where paths meet that leave from anywhere in a loop: its end, or its head.

    Each path costs only what has changed since the last one.
    """

    def __init__(self, store: Store) -> None:
        """Begin where the innermost path has just been opened."""
        self.store = store
        self.level = store.level
        self.seen = len(store.log)
        self.facts: Changes | None = None

    def add(self) -> None:
        """The current point is the end of such a path."""
        known: dict[Variable, Facts] = {} if self.facts is None else self.facts
        for variable in dict.fromkeys(self.store.log[self.seen :]):
            now = self.store.get(variable)
            if self.facts is not None:
                before = known.get(variable) or self.store.at_beginning(self.level, variable)
                now = join(before, now)
            known[variable] = now
        self.facts = known
        self.seen = len(self.store.log)
