"""The words of the type errors (language reference, appendix E, phase T)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final, NamedTuple

from flintc.analysis.check_values import Value, describe
from flintc.analysis.symbols import FunctionSymbol, Variable
from flintc.analysis.types import FLOAT, INT, NUMBER, STRING, Type
from flintc.problems import Label, Phase, Problems
from flintc.source import Span

_NUMBERS: Final = {"int", "float", "number"}
_UNWRAP: Final = "use `.unwrap_or(…)`, or test it first: `if x != null { … }`"


class Place(NamedTuple):
    """Where a value goes, in words, and where its type is declared."""

    name: str
    declared: Span | None = None


def conversion(expected: Type, actual: Type) -> str | None:
    """How a value of one type becomes one of another."""
    if expected is FLOAT and actual is INT:
        return "an int does not become a float by itself: write `1.0`, or multiply by `1.0`"
    if expected is STRING and actual in (INT, FLOAT, NUMBER):
        return 'numbers become text beside text: `"" + x`'
    return None


def one_type_for(variable: Variable, *kinds: str) -> str:
    """What to do with a variable that is given values of two types."""
    if set(kinds) <= _NUMBERS:
        name = variable.name
        return f"ints and floats differ: write `1.0` for a float, or declare `{name}: number`"
    return "a variable keeps its type: use another name for the other value"


@dataclass(slots=True)
class Report:
    """Reports each error once: bodies of closures may be looked at several times."""

    problems: Problems
    seen: set[tuple[str, int, int]] = field(default_factory=set)
    muted: int = 0  # inside bodies whose parameters are not known
    explained: set[Variable | FunctionSymbol] = field(default_factory=set)
    """Variables and functions whose type is unknown because of an error that has been reported."""

    def error(
        self, code: str, title: str, span: Span, help: str | None = None, *labels: Label
    ) -> None:
        place = (code, id(span.file), span.start)
        if self.muted or place in self.seen:
            return
        self.seen.add(place)
        self.problems.error(code, title, span, Phase.COMPILE, *labels, help=help)

    def explaining(self, one: Variable | FunctionSymbol) -> _Explanation:
        """An error in here explains why a variable or function has no type."""
        return _Explanation(self, one)

    def optional(self, what: str, span: Span) -> None:
        title = f"an optional value must be unwrapped before {what}"
        self.error("E_OPTIONAL_VALUE", title, span, _UNWRAP)

    def branches(self, what: str, left: Value, right: Value, span: Span) -> None:
        title = f"{what} are of different types: {describe(left)} and {describe(right)}"
        help = "make both the same type"
        if {left.kind.name, right.kind.name} <= _NUMBERS:
            help += "; ints and floats differ: write `1.0`, not `1`"
        self.error("E_BRANCH_TYPES", title, span, help)

    def mismatch(self, place: Place, reason: str, span: Span, help: str | None = None) -> None:
        title = f"{place.name} does not fit its declared type: {reason}"
        labels = () if place.declared is None else (Label(place.declared, "declared here"),)
        self.error("E_TYPE_MISMATCH", title, span, help, *labels)


class _Explanation:
    """Notes the variable or function if an error is reported meanwhile."""

    def __init__(self, report: Report, one: Variable | FunctionSymbol) -> None:
        self.report = report
        self.one = one
        self.before = len(report.seen)

    def __enter__(self) -> None:
        return

    def __exit__(self, *exception: object) -> None:
        if len(self.report.seen) > self.before:
            self.report.explained.add(self.one)
