"""What the checker knows of each variable at a point, and over all of its bindings."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Final

from flintc.analysis.check_values import (
    ANY,
    SIMPLE,
    UNKNOWN_VALUE,
    Kind,
    Value,
    callables_differ,
    compatible,
    erase,
    is_concrete,
    merge,
    of,
)
from flintc.analysis.symbols import Variable
from flintc.analysis.types import UNKNOWN, Type

_TOLD_APART: Final = frozenset((*SIMPLE, "array", "map", "callable"))


@dataclass(slots=True)
class Bindings:
    """All bindings of a variable in the order of the text (3.5).

    A variable whose bindings differ in kind has no type, whatever comes after (the reference
    forgets a second kind when a third one arrives). Ints and floats may follow each other.
    """

    kind: str = "unknown"
    schema: Type | None = None
    callable_: bool = False
    mixed: tuple[str, str] | None = None
    numbers: tuple[str, str] | None = None  # int and float, of which one is computed
    is_number: bool = False

    def add(self, value: Value) -> None:
        name = value.kind.name
        self.callable_ |= name == "callable"
        self.is_number |= name == "number"
        # a number counts as unknown here
        name = name if name in _TOLD_APART else "unknown"
        if self.kind == "unknown":
            self.kind = name
        elif name not in ("unknown", self.kind):
            self._note_mixture(name, value)
            self.kind = "unknown"
        if value.schema is not None:
            same = self.schema is None or self.schema == value.schema
            self.schema = value.schema if same else None

    def _note_mixture(self, name: str, value: Value) -> None:
        """Of numbers, a computed one (without schema) may be of the other kind."""
        computed = value.schema is None or self.schema is None
        both = (self.kind, name)
        if set(both) == {"int", "float"} and computed:
            self.numbers = self.numbers or both
        elif "null" not in both:
            self.mixed = self.mixed or both

    @property
    def mixture(self) -> tuple[str, str] | None:
        """The two types of which a variable without one is."""
        return self.mixed or self.numbers

    @property
    def concrete(self) -> bool:
        if self.callable_:
            return True
        if self.mixed is not None:
            return False
        if self.schema is not None:
            return is_concrete(self.schema)
        return self.kind != "unknown"


@dataclass(slots=True)
class Slot:
    """A variable at one point: its value, and its declared type without `?`."""

    value: Value
    declared: Type | None = None


@dataclass(slots=True)
class State:
    """The variables at a point. A journal undoes branches, so that each costs what it changes."""

    slots: dict[Variable, Slot] = field(default_factory=dict)
    bindings: dict[Variable, Bindings] = field(default_factory=dict)
    journals: list[dict[Variable, Slot | None]] = field(default_factory=list)
    unrecorded: int = 0  # inside bodies whose parameters are not known

    def get(self, variable: Variable) -> Value:
        """The value of a variable; of one bound elsewhere, what inference says."""
        slot = self.slots.get(variable)
        if slot is not None:
            return slot.value
        return UNKNOWN_VALUE if variable.type is UNKNOWN else of(erase(variable.type))

    def declared(self, variable: Variable) -> Type | None:
        slot = self.slots.get(variable)
        return None if slot is None else slot.declared

    def bind(self, variable: Variable, value: Value, declared: Type | None = None) -> None:
        """A new value for a variable, as `let`, an assignment or a loop gives it."""
        if value.nullable:
            value = replace(value, nullable=False)
        if not self.unrecorded:
            bindings = self.bindings.get(variable)
            if bindings is None:
                bindings = self.bindings[variable] = Bindings()
            bindings.add(value)
        self.put(variable, Slot(value, declared))

    def put(self, variable: Variable, slot: Slot | None) -> None:
        if self.journals:
            self.journals[-1].setdefault(variable, self.slots.get(variable))
        if slot is None:
            self.slots.pop(variable, None)
        else:
            self.slots[variable] = slot

    def branch(self, ends: list[dict[Variable, Slot]]) -> _Branch:
        """A part of the program that may not run: adds what it leaves in variables to `ends`."""
        return _Branch(self, ends)

    def restore(self, variable: Variable, slot: Slot | None) -> None:
        if slot is None:
            self.slots.pop(variable, None)
        else:
            self.slots[variable] = slot

    @contextmanager
    def refined(self, variable: Variable, value: Value) -> Iterator[None]:
        """A part in which a condition tells more of a variable, until it is bound again."""
        slot = self.slots.get(variable)
        refined = Slot(value, None if slot is None else slot.declared)
        self.put(variable, refined)
        yield
        if self.slots.get(variable) is refined:
            self.restore(variable, slot)

    def meet(self, ends: list[dict[Variable, Slot]]) -> list[tuple[Variable, Value, Value]]:
        """Merge branches, of which one runs; the variables whose kinds do not go together."""
        conflicts: list[tuple[Variable, Value, Value]] = []
        for variable in {variable: None for end in ends for variable in end}:
            before = self.slots.get(variable)
            slots = [end.get(variable, before) for end in ends]
            known = [slot for slot in slots if slot is not None]
            if len(known) < len(slots):
                continue  # bound in one branch only
            merged = known[0]
            for slot in known[1:]:
                differ = callables_differ(merged.value, slot.value)
                if differ or not compatible(merged.value.read, slot.value.read):
                    conflicts.append((variable, merged.value, slot.value))
                merged = _merged(merged, slot)
            self.put(variable, merged)
        return conflicts


class _Branch:
    """What happens to variables meanwhile is undone."""

    def __init__(self, state: State, ends: list[dict[Variable, Slot]]) -> None:
        self.state = state
        self.ends = ends

    def __enter__(self) -> None:
        self.state.journals.append({})

    def __exit__(self, *exception: object) -> None:
        state = self.state
        before = state.journals.pop()
        self.ends.append({one: state.slots[one] for one in before if one in state.slots})
        for variable, slot in before.items():
            state.restore(variable, slot)


def _merged(one: Slot, other: Slot) -> Slot:
    left, right = one.value, other.value
    schema = left.schema if left.schema == right.schema else None
    kind: Kind = ANY if ANY in (left.kind, right.kind) else merge(left.kind, right.kind)
    if "null" in (left.kind.name, right.kind.name):
        kind = right.kind if left.kind.name == "null" else left.kind
    value = Value(kind, schema, left.optional or right.optional, left.declared and right.declared)
    return Slot(value, one.declared if one.declared == other.declared else None)
