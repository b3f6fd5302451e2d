"""The words of the type errors (language reference, appendix E, phase T)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from flintc.analysis.check_values import Value, describe
from flintc.problems import Label, Phase, Problems
from flintc.source import Span

_UNWRAP: Final = "use `.unwrap_or(…)`, or test it first: `if x != null { … }`"


@dataclass(slots=True)
class Report:
    """Reports each error once: bodies of closures may be looked at several times."""

    problems: Problems
    seen: set[tuple[str, int, int]] = field(default_factory=set)
    muted: int = 0  # inside bodies whose parameters are not known

    def error(
        self, code: str, title: str, span: Span, help: str | None = None, *labels: Label
    ) -> None:
        place = (code, id(span.file), span.start)
        if self.muted or place in self.seen:
            return
        self.seen.add(place)
        self.problems.error(code, title, span, Phase.COMPILE, *labels, help=help)

    def optional(self, what: str, span: Span) -> None:
        title = f"an optional value must be unwrapped before {what}"
        self.error("E_OPTIONAL_VALUE", title, span, _UNWRAP)

    def branches(self, what: str, left: Value, right: Value, span: Span) -> None:
        title = f"{what} are of different types: {describe(left)} and {describe(right)}"
        help = "make both the same type; ints and floats differ: write `1.0`, not `1`"
        self.error("E_BRANCH_TYPES", title, span, help)

    def mismatch(self, what: str, reason: str, span: Span, *labels: Label) -> None:
        self.error("E_TYPE_MISMATCH", f"{what} does not fit its declared type: {reason}", span,
                   None, *labels)  # fmt: skip
