"""Functions of a user's own modules as host functions: `checked` stands at the border.

Generated modules wrap each such function once. What crosses is checked by the annotations and
copied, in both directions: neither side sees the other change a value, and a program stops at the
function that broke its promise. What a function raises ends the run with its name.
(The functions of `flint.*` are checked by `host`, which knows handles and fewer other types.)
"""

from __future__ import annotations

import functools
import inspect
import typing
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ParamSpec, TypeVar

from flint.lang.errors import HostError, ScriptError, translate
from flint.runtime.border import Convert, Misfit, describe, from_script, to_script

P = ParamSpec("P")
R = TypeVar("R")


def checked(function: Callable[P, R]) -> Callable[P, R]:
    """The function as scripts call it; every failure is a `HostError` that names it."""
    name = f"{function.__module__}.{function.__name__}".replace(".", "::")

    @functools.cache
    def guard() -> Callable[..., R]:
        try:  # at the first call, so that importing a generated module cannot fail here
            hints = typing.get_type_hints(function)
        except Exception as error:
            failure = HostError(f"{name}: its annotations mean nothing at run time: {error}")
            raise failure from None
        result = hints.pop("return", Any)
        labels = [label for label in inspect.signature(function).parameters if label in hints]
        return _Border(name).guard(function, labels, [hints[label] for label in labels], result)

    @functools.wraps(function)
    def guarded(*args: P.args, **kwargs: P.kwargs) -> R:
        if kwargs:
            return guard()(*inspect.signature(function).bind(*args, **kwargs).args)
        return guard()(*args)

    return guarded


@dataclass(frozen=True, slots=True)
class _Border:
    """Wraps the functions that cross, on behalf of the host function `name`."""

    name: str

    def guard(
        self, function: Callable[..., Any], labels: list[str], params: list[Any], result: Any
    ) -> Callable[..., Any]:
        """A function of the user as the script calls it."""
        enter = [from_script(param, self.callback) for param in params]
        leave = to_script(result, self.given)
        promise = f"it declares {inspect.formatannotation(result)}"

        @functools.wraps(function)
        def guarded(*args: object) -> object:
            values = list(args)
            for at, convert in enumerate(enter[: len(values)]):
                values[at] = self._argument(f"argument {labels[at]}", convert, values[at])
            try:
                found = function(*values)
            except ScriptError:
                raise  # of a script's function that was called back
            except Exception as error:
                # as its cause it would be printed a second time; a full traceback shows it
                failure = HostError(f"{self.name}: {type(error).__name__}: {error}")
                failure.__context__ = error
            else:
                return self._result(promise, leave, found)
            raise failure

        return guarded

    def callback(
        self, function: Callable[..., Any], params: list[Any], result: Any
    ) -> Callable[..., Any]:
        """A function of the script as the user's function calls it."""
        enter = [to_script(param, self.given) for param in params]
        leave = from_script(result, self.callback)

        @functools.wraps(function)
        def called(*args: object) -> object:
            values = list(args)
            for at, convert in enumerate(enter[: len(values)]):
                what = f"argument {at + 1} of a function that it calls"
                values[at] = self._argument(what, convert, values[at])
            found = _run_script(function, values)
            return self._argument("result of a function that it calls", leave, found)

        return called

    def given(
        self, function: Callable[..., Any], params: list[Any], result: Any
    ) -> Callable[..., Any]:
        """A function that the user's function gives to the script."""
        labels = [str(at + 1) for at in range(len(params))]
        return self.guard(function, labels, params, result)

    def _argument(self, what: str, convert: Convert, value: object) -> object:
        try:
            return convert(value)
        except Misfit as misfit:
            text = f"{what}{misfit.place}: {misfit}"
        raise HostError(f"{self.name}: {text}")

    def _result(self, promise: str, convert: Convert, value: object) -> object:
        try:
            return convert(value)
        except Misfit as misfit:
            at = f" at {misfit.place}" if misfit.place else ""
            text = f"returned {describe(misfit.value)}{at}, not {misfit.expected}; {promise}"
        raise HostError(f"{self.name}: {text}")


def _run_script(function: Callable[..., Any], args: list[object]) -> object:
    """Call a script's function; what fails in it is the script's error, not the user's."""
    try:
        return function(*args)
    except Exception as error:
        script_error = translate(error)
        if script_error is None or script_error is error:
            raise
        raise script_error.with_traceback(error.__traceback__) from None
