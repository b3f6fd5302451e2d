"""What is known of each variable at one point of a body, and how branches and loops combine it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Final, TypeAlias

from flintc.analysis.symbols import Scope, Variable


@dataclass(frozen=True, slots=True)
class Facts:
    """What holds of one variable (language reference 4.1 to 4.7).

    `available`, `plain` and `copyable` hold on every path to the point, the others on some path.
    Fields are sets of bits that `FieldBits` hands out.
    """

    available: bool = True  # bound
    moved: bool = False
    movable: bool = False  # last bound to a string or bytes literal
    collection: bool = False  # last bound to an array or map whose other names are known
    plain: bool = False  # last bound to a number, bool or null
    taken: int = 0  # fields that were moved out
    copyable: int = 0  # fields that are numbers, bools or null
    aliases: frozenset[Variable] = frozenset()  # other names of the same array or map


UNBOUND: Final = Facts(available=False)
ELSEWHERE: Final = Facts()  # parameters, bindings of patterns, captures without history


def join(one: Facts, other: Facts) -> Facts:
    """What holds where two paths meet."""
    if one == other:
        return one
    return Facts(
        one.available and other.available,
        one.moved or other.moved,
        one.movable or other.movable,
        one.collection or other.collection,
        one.plain and other.plain,
        one.taken | other.taken,
        one.copyable & other.copyable,
        one.aliases | other.aliases,
    )


FieldKey: TypeAlias = str | int
DYNAMIC: Final = 1
SLICE: Final = 2
WILD: Final = DYNAMIC | SLICE  # they may touch every field


@dataclass(slots=True)
class FieldBits:
    """One bit for each literal field key of a program, the same one for all variables."""

    bits: dict[FieldKey, int] = field(default_factory=dict)

    def of(self, key: FieldKey) -> int:
        return self.bits.setdefault(key, 1 << (len(self.bits) + 2))


# The variables that a path has changed, with what holds of them at its end.
Changes: TypeAlias = Mapping[Variable, Facts]


class Store:
    """The facts of all variables at the current point of one body.

    Paths are tried one after the other: `begin` opens one, `end` takes back what it did and tells
    what it changed, `merge` combines several. Only changed variables cost time.
    """

    def __init__(self, scope: Scope, inherited: Mapping[Variable, Facts]) -> None:
        self.scope = scope
        self.facts: dict[Variable, Facts] = dict(inherited)
        self.undo: list[dict[Variable, Facts | None]] = [{}]
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

    def detach(self, variable: Variable) -> None:
        """The variable no longer shares its array or map with any other."""
        facts = self.get(variable)
        if facts.aliases:
            for other in facts.aliases:
                others = self.get(other)
                self.set(other, replace(others, aliases=others.aliases - {variable}))
            self.set(variable, replace(facts, aliases=frozenset()))

    # -- paths ---------------------------------------------------------------------------

    @property
    def level(self) -> int:
        """How many paths are open."""
        return len(self.undo) - 1

    def begin(self) -> None:
        self.undo.append({})

    def end(self) -> Changes | None:
        """Close a path and go back to its beginning; None if its end is never reached."""
        changes = self.since(self.level) if self.reachable else None
        for variable, facts in self.undo.pop().items():
            if facts is None:
                del self.facts[variable]
            else:
                self.facts[variable] = facts
        self.reachable = True
        return changes

    def since(self, level: int) -> Changes:
        """What has changed since the path of that level was opened."""
        if level == self.level:
            return {variable: self.facts[variable] for variable in self.undo[level]}
        changed = {variable for undo in self.undo[level:] for variable in undo}
        return {variable: self.facts[variable] for variable in changed}

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
