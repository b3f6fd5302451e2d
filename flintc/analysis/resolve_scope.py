"""The variables that are visible at one point of a file (language reference 2.13)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import chain

from flintc.analysis.captures import capture
from flintc.analysis.suggest import did_you_mean
from flintc.analysis.symbols import Capture, Resolution, Scope, Variable, VariableKind
from flintc.problems import Label, Phase, Problems
from flintc.source import Span
from flintc.syntax import nodes


@dataclass(eq=False, slots=True)
class _Frame:
    """One body and the names bound in it so far."""

    scope: Scope
    names: dict[str, Variable] = field(default_factory=dict)


class Names:
    """The frames of the bodies around the current point, the innermost last."""

    def __init__(self, top: Scope, resolution: Resolution, problems: Problems) -> None:
        self.frames = [_Frame(top)]
        self.resolution = resolution
        self.problems = problems

    @property
    def scope(self) -> Scope:
        return self.frames[-1].scope

    @contextmanager
    def inside(self, scope: Scope) -> Iterator[None]:
        """The body of a function or closure."""
        self.frames.append(_Frame(scope))
        yield
        self.frames.pop()

    @contextmanager
    def narrow(self, variable: Variable) -> Iterator[None]:
        """The part of a body in which a map-loop or `Some(x)` binding is visible."""
        names = self.frames[-1].names
        hidden = names.get(variable.name)
        names[variable.name] = variable
        yield
        if hidden is None:
            names.pop(variable.name, None)
        else:
            names[variable.name] = hidden

    def own(self, name: str) -> Variable | None:
        """A variable of the innermost body."""
        return self.frames[-1].names.get(name)

    def find(self, name: str) -> Variable | None:
        """A variable of the innermost body that has the name."""
        for frame in reversed(self.frames):
            variable = frame.names.get(name)
            if variable is not None:
                return variable
        return None

    def bind(self, ident: nodes.Ident, kind: VariableKind) -> Variable:
        """The variable that `let`, a loop or a parameter binds: one for each name of a body."""
        names = self.frames[-1].names
        variable = names.get(ident.name)
        if variable is None:
            variable = names[ident.name] = self.fresh(ident, kind)
        return variable

    def fresh(self, ident: nodes.Ident, kind: VariableKind) -> Variable:
        variable = Variable(ident.name, kind, self.scope, ident.span)
        self.scope.variables.append(variable)
        return variable

    def use(self, name: str, mode: Capture, span: Span) -> Variable | None:
        """The variable of a name that is used here, or None; notes what the body captures."""
        variable = self.find(name)
        if variable is not None and variable.scope is not self.scope:
            is_new = variable not in self.scope.captures
            distance = capture(self.scope, variable, mode)
            if distance > 1 and is_new:
                self._out_of_reach(variable, span)
        return variable

    def use_ident(self, ident: nodes.Ident, mode: Capture) -> Variable | None:
        """As `use`; a name that is no variable is a problem."""
        variable = self.use(ident.name, mode, ident.span)
        if variable is None:
            self.unknown(ident.name, ident.span)
        return variable

    def unknown(self, name: str, span: Span, others: Iterable[str] = ()) -> None:
        """Report a name that means nothing; `others` are known names that are no variables."""
        bound = chain.from_iterable(frame.names for frame in reversed(self.frames))
        help = did_you_mean(name, chain(bound, others), self.problems)
        title = f"unknown local `{name}`"
        self.problems.error("E_UNKNOWN_LOCAL", title, span, Phase.PARSE, help=help)

    def _out_of_reach(self, variable: Variable, span: Span) -> None:
        self.problems.error(
            "E_LOCAL_UNAVAILABLE",
            f"`{variable.name}` is out of reach: a function or closure can only use variables of"
            " the body directly around it",
            span,
            Phase.OWNERSHIP,
            Label(variable.span, "bound here"),
            help=f"bind it again in between, `let near = {variable.name};`, or pass it on",
        )
