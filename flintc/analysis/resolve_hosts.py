"""Host functions and the number of arguments of calls (language reference 8.5, 8.6)."""

from __future__ import annotations

from dataclasses import dataclass, field

from flintc.analysis.suggest import MAX_PROBLEMS
from flintc.analysis.symbols import HostTarget, NamespaceTarget, Target
from flintc.catalogue import Catalogue, HostFunction
from flintc.problems import Label, Phase, Problem, Problems, Severity
from flintc.source import Span
from flintc.syntax import nodes


@dataclass(slots=True)
class HostCalls:
    """The host functions of a program: the first call fixes the number of arguments (8.6)."""

    catalogue: Catalogue
    problems: Problems
    first_calls: dict[str, tuple[int, Span]] = field(default_factory=dict)

    def target(self, path: str, call: nodes.Call) -> Target:
        function = self.catalogue.find(path)
        if function is not None and function.user:
            return self._user_target(function, call)
        if function is not None and "::" in path and not path.startswith("flint::"):
            namespace, _, name = path.rpartition("::")
            check_count(self.problems, path, len(call.args), counts(function), call.span)
            return NamespaceTarget(namespace, name, function)
        self.fix_count(path, len(call.args), call.span)
        if function is None:
            self._warn_unknown(path, call)
        return HostTarget(path, function)

    def _user_target(self, function: HostFunction, call: nodes.Call) -> Target:
        if function.fault is None:
            check_count(self.problems, function.path, len(call.args), counts(function), call.span)
        else:
            title = f"`{function.path}` cannot be called from scripts: {function.fault}"
            self.problems.error("E_HOST_FUNCTION", title, call.span, Phase.IMPORT)
        return HostTarget(function.path, function)

    def fix_count(self, path: str, count: int, span: Span) -> None:
        known, first = self.first_calls.setdefault(path, (count, span))
        if known != count:
            title = f"host function `{path}` takes {_arguments(known)} elsewhere, {count} given"
            label = Label(first, "the first use fixes the number")
            self.problems.error("E_ARGUMENT_COUNT", title, span, Phase.PARSE, label)

    def _warn_unknown(self, path: str, call: nodes.Call) -> None:
        """A function that does not exist fails when the program starts: say so early."""
        namespace = path.rpartition("::")[0]
        if not path.startswith("flint::") and not self.catalogue.has_namespace(namespace):
            return
        few = len(self.problems.items) <= MAX_PROBLEMS
        match = self.catalogue.suggest(path) if few else None
        help = None if match is None else f"did you mean `{match}`?"
        span = call.path[0].span.to(call.path[-1].span)
        title = f"there is no host function `{path}`"
        report = Problem(
            "W_UNKNOWN_HOST_FUNCTION", title, span, Phase.PARSE, (), help, Severity.WARNING
        )
        self.problems.add(report)


def check_count(
    problems: Problems,
    name: str,
    given: int,
    counts: tuple[int, int],
    span: Span,
    *labels: Label,
) -> None:
    """Report a number of arguments outside `counts`, the least and the most."""
    least, most = counts
    if least <= given <= most:
        return
    wanted = _arguments(most) if least == most else f"{least} to {most} arguments"
    title = f"function `{name}` expects {wanted}, {given} given"
    problems.error("E_ARGUMENT_COUNT", title, span, Phase.PARSE, *labels)


def counts(function: HostFunction) -> tuple[int, int]:
    return function.required, len(function.params)


def _arguments(count: int) -> str:
    return f"{count} argument" + ("" if count == 1 else "s")
