"""Compile-time problems as data: what is wrong, where, and what to do about it.

Passes report problems and go on; `diagnostic.py` renders them.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum

from flintc.source import Span


class Severity(Enum):
    ERROR = "error"
    WARNING = "warning"


class Phase(Enum):
    """The pass that found a problem (the names of the conformance suite)."""

    LOAD = "load"
    PARSE = "parse"
    IMPORT = "import"
    COMPILE = "compile"
    OWNERSHIP = "ownership"


@dataclass(frozen=True, slots=True)
class Label:
    """A second place that explains a problem, with a few words."""

    span: Span
    text: str


@dataclass(frozen=True, slots=True)
class Problem:
    """One problem. `span` is None only where there is no text to point at (a missing file)."""

    code: str
    title: str
    span: Span | None
    phase: Phase
    labels: tuple[Label, ...] = ()
    help: str | None = None
    severity: Severity = Severity.ERROR


@dataclass(slots=True)
class Problems:
    """The problems of one compilation, in the order found."""

    items: list[Problem] = field(default_factory=list)

    def add(self, problem: Problem) -> None:
        self.items.append(problem)

    def error(
        self,
        code: str,
        title: str,
        span: Span | None,
        phase: Phase,
        *labels: Label,
        help: str | None = None,
    ) -> None:
        self.items.append(Problem(code, title, span, phase, labels, help))

    @property
    def has_errors(self) -> bool:
        return any(item.severity is Severity.ERROR for item in self.items)


class Refused(Exception):
    """Something that the user named cannot serve: `str()` says why, `help` what to do."""

    def __init__(self, title: str, help: str | None = None) -> None:
        super().__init__(title)
        self.help = help
