"""Guards around host functions: the usual call costs little, and every failure names the function.

A decode step calls some hundred host functions, each for microseconds of work. So the test for the
usual call is written out as code for each function, as `dataclasses` does it: `type(dim) is int`
costs a fraction of a loop over checks.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NoReturn, ParamSpec, TypeVar, cast

P = ParamSpec("P")
R = TypeVar("R")
Values = tuple[Any, ...]

_MISSING = object()
_TEMPLATE = """\
def guarded({parameters}):
    if {usual}:
        try:
            return _function({names})
        except _failures as error:
            _failed(error, ({names}))
    return _careful(({names}) + _surplus)
"""


@dataclass(frozen=True, slots=True)
class Guard:
    """How a function is guarded.

    `usual` is a Python condition over the parameters under which the function can be called as it
    is, with the names of `scope`; in all other cases `check` gives the arguments for the call or
    raises. What `failures` lists is passed to `failed`, with the arguments, which raises anew.
    `call` makes the call that is not usual.
    """

    usual: str
    scope: Mapping[str, object]
    check: Callable[[Values], Values]
    failures: tuple[type[Exception], ...]
    failed: Callable[[Exception, Values], NoReturn]
    call: Callable[[Callable[..., Any], Values], Any] = lambda function, values: function(*values)

    def around(self, function: Callable[P, R]) -> Callable[P, R]:
        """The guarded function, which takes fewer and more arguments as `check` permits."""
        names = list(inspect.signature(function).parameters)
        code = _TEMPLATE.format(
            parameters=", ".join([*(f"{name}=_missing" for name in names), "*_surplus"]),
            names="".join(f"{name}, " for name in names),
            usual=self.usual,
        )
        scope = {
            "__name__": __name__,
            "_function": function,
            "_failures": self.failures,
            "_failed": self.failed,
            "_careful": functools.partial(self._careful, function),
            "_missing": _MISSING,
            **self.scope,
        }
        exec(compile(code, f"<guard of {function.__qualname__}>", "exec"), scope)
        guarded = functools.wraps(function)(cast("Callable[..., R]", scope["guarded"]))
        return cast("Callable[P, R]", guarded)

    def _careful(self, function: Callable[..., Any], values: Values) -> Any:
        values = tuple(value for value in values if value is not _MISSING)
        try:
            values = self.check(values)
            return self.call(function, values)
        except self.failures as error:
            self.failed(error, values)
