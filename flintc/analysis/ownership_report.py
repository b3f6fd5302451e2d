"""The ownership problems of a program: their words, labels and advice."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from typing import Final, Literal, TypeAlias

from flintc.analysis.symbols import Variable
from flintc.problems import Label, Phase, Problem
from flintc.source import Span

# A variable, one of its fields by number, or a variable and one that shares its value.
Place: TypeAlias = tuple[Variable, int | Variable | None]
Reason: TypeAlias = Literal["bound", "passed", "captured", "taken", "shared"]

_REASONS: Final[dict[Reason, str]] = {
    "bound": "moved here",
    "passed": "moved into this call",
    "captured": "moved into this function or closure",
    "taken": "moved out here",
    "shared": "shares the value from here on",
}


@dataclass(frozen=True, slots=True)
class Event:
    """Where a value was moved or shared, and what moved it."""

    span: Span
    reason: Reason


@dataclass(slots=True)
class History:
    """Where the values of a body were moved or shared, in the order found."""

    events: dict[Place, dict[Event, None]] = field(default_factory=lambda: defaultdict(dict))

    def note(self, place: Place, span: Span, reason: Reason) -> None:
        self.events[place][Event(span, reason)] = None

    def before(self, place: Place, span: Span) -> Event | None:
        """The event that most likely explains a use: the last one before it, else the last one."""
        events = list(self.events.get(place, ()))
        earlier = [event for event in events if event.span.start < span.start]
        candidates = earlier or events
        return candidates[-1] if candidates else None


def unavailable(variable: Variable, span: Span, assigns: bool = False) -> Problem:
    name = variable.name
    what = "is assigned here, but" if assigns else "may be unbound here:"
    return _problem(
        "E_LOCAL_UNAVAILABLE_ASSIGN" if assigns else "E_LOCAL_UNAVAILABLE",
        f"`{name}` {what} not every path to this point binds it",
        span,
        [Label(variable.span, "only bound on some paths")],
        f"bind it before the branch or loop, as in `let mut {name} = …;`",
    )


def moved(variable: Variable, span: Span, event: Event | None) -> Problem:
    name = variable.name
    title = f"`{name}` is used after it was moved{_in_loop(span, event)}"
    help = f"move a copy there instead: `{name}.copy()`"
    if event is not None and event.reason == "captured":
        help = f"write `{name}.copy()` or `&{name}` there to keep it usable"
    return _problem("E_LOCAL_MOVED", title, span, _labels(span, event), help)


def field_moved(span: Span, event: Event | None) -> Problem:
    title = f"`{span.text}` may have been moved out already{_in_loop(span, event)}"
    labels = _labels(span, event)
    return _problem("E_FIELD_MOVED", title, span, labels, _look(span.text, event))


def partially_moved(variable: Variable, span: Span, event: Event | None) -> Problem:
    title = f"`{variable.name}` is used as a whole after part of it was moved out"
    title += _in_loop(span, event)
    labels = _labels(span, event)
    help = _look(f"{variable.name}.…", event)
    return _problem("E_LOCAL_PARTIALLY_MOVED", title, span, labels, help)


def aliased(variable: Variable, other: Variable, span: Span, event: Event | None) -> Problem:
    name = variable.name
    return _problem(
        "E_MUTATE_ALIASED_COLLECTION",
        f"`{name}` is mutated while `{other.name}` shares its value",
        span,
        _labels(span, event),
        f"share a copy instead, `{name}.copy()`, or bind one of the two anew first",
    )


def _in_loop(span: Span, event: Event | None) -> str:
    is_later = event is not None and event.span.start >= span.start
    return ", by an earlier round of the loop" if is_later else ""


def _look(text: str, event: Event | None) -> str:
    place = text if event is None else event.span.text
    return f"look at it without moving it out: `&{place}`, or `{place}.copy()`"


def _labels(span: Span, event: Event | None) -> list[Label]:
    if event is None or event.span == span:
        return []
    return [Label(event.span, _REASONS[event.reason])]


def _problem(code: str, title: str, span: Span, labels: list[Label], help: str) -> Problem:
    return Problem(code, title, span, Phase.OWNERSHIP, tuple(labels), help)
