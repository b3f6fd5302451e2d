"""Advice on programs that are correct: the lints of the language reference (10.3), as warnings.

Of its third lint, on variables whose type is not known, most cases are errors in RustScript; what
is left are variables that hold values of several types. The word `unknown` is always an error.
"""

from __future__ import annotations

import re
from typing import Final

from flintc.analysis.symbols import HostTarget, Resolution, Typing, Variable
from flintc.analysis.types import (
    Callable,
    Primitive,
    Type,
    is_array,
    is_map,
    strip_optional,
)
from flintc.catalogue import HostFunction
from flintc.problems import Phase, Problem, Problems, Severity
from flintc.source import Span
from flintc.syntax import nodes

# What may stand between the end of a value's node and its `;`.
_TO_SEMICOLON: Final = re.compile(r"(?:[\s)]|//[^\n]*|/\*.*?\*/)*;", re.DOTALL)
_BINDINGS: Final = (nodes.Let, nodes.Assign, nodes.ForRange)
_VAGUE: Final = ("number", "null")


def lint(resolution: Resolution, typing: Typing, problems: Problems) -> None:
    """Add warnings on a program's functions and variables; places with errors get none."""
    linter = _Linter(resolution, typing, problems)
    for function in resolution.functions:
        linter.function(function)
    for node, target in resolution.targets.items():
        if isinstance(node, nodes.Call) and isinstance(target, HostTarget):
            linter.host_call(node, target.function)
    for variable, kinds in linter.kinds().items():
        linter.variable(variable, kinds)


class _Linter:
    def __init__(self, resolution: Resolution, typing: Typing, problems: Problems) -> None:
        self.resolution = resolution
        self.typing = typing
        self.problems = problems
        self.reported = {item.span for item in problems.items}

    def function(self, node: nodes.Function) -> None:
        body = node.body
        if body is None or not body.terminated or isinstance(body.value, nodes.IfExpr):
            return
        title = f"the result of `{node.name.name}` ends with `;`"
        help = "leave the `;` out, so that one sees that this is the function's result"
        self._warn("W_TRAILING_SEMICOLON", title, _semicolon(body), help)

    def host_call(self, node: nodes.Call, function: HostFunction | None) -> None:
        """The language leaves a wrong number of arguments to the run (3.10, 8.6)."""
        if function is None or function.user:
            return
        least, most, given = function.required, len(function.params), len(node.args)
        if least <= given <= most:
            return
        count = f"{least}" if least == most else f"{least} to {most}"
        title = f"`{function.path}` takes {count} argument{'s' * (count != '1')}, {given} given"
        names = ", ".join(f"`{param.name}`" for param in function.params)
        help = f"its arguments: {names}" if names else "call it without arguments"
        span = node.path[0].span.to(node.path[-1].span)
        self._warn("W_HOST_ARGUMENT_COUNT", title, span, help)

    def kinds(self) -> dict[Variable, dict[str, None]]:
        """The kinds of value that each undeclared variable is bound to."""
        found: dict[Variable, dict[str, None]] = {}
        for node, variable in self.resolution.variables.items():
            if not isinstance(node, _BINDINGS) or variable.declared is not None:
                continue
            value = node.start if isinstance(node, nodes.ForRange) else node.value
            kind = _kind(self.typing.of(value))
            if kind is not None:
                found.setdefault(variable, {})[kind] = None
        return found

    def variable(self, variable: Variable, kinds: dict[str, None]) -> None:
        if len(kinds) < 2 or variable.span in self.reported:
            return
        title = f"`{variable.name}` holds values of different types: {', '.join(kinds)}"
        help = "use a variable of its own for each type"
        self._warn("W_UNKNOWN_LOCAL", title, variable.span, help)

    def _warn(self, code: str, title: str, span: Span, help: str) -> None:
        self.problems.add(Problem(code, title, span, Phase.COMPILE, (), help, Severity.WARNING))


def _semicolon(body: nodes.ValueBlock) -> Span:
    value = body.value.span
    found = _TO_SEMICOLON.match(value.file.text, value.end)
    return value if found is None else Span(value.file, found.end() - 1, found.end())


def _kind(type_: Type) -> str | None:
    """What a value is at run time, None where that is not known for sure."""
    plain = strip_optional(type_)
    if isinstance(plain, Primitive):
        return None if plain.name in _VAGUE else plain.name
    if is_array(plain):
        return "array"
    if is_map(plain):
        return "map"
    return "function" if isinstance(plain, Callable) else None
