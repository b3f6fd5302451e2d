"""Calls of function values, and the limit on nested calls (language.md 5.8, 5.12)."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from functools import cache, wraps
from types import BuiltinFunctionType, FunctionType
from typing import Any, Final, NoReturn, TypeVar, cast

from flint.lang.errors import (
    CALL_LIMIT,
    CallArity,
    CallDepthExceeded,
    NotCallable,
    UnboundHostImport,
)
from flint.lang.kinds import is_callable, is_compiled_closure
from flint.lang.state import current

F = TypeVar("F", bound=Callable[..., Any])
T = TypeVar("T")

DEEPER: Final = tuple(range(1, CALL_LIMIT + 1))
"""The depth of a call by the depth of its caller, 0 for the top level.

Functions that are only called by name pass it on as an argument, which costs less than `recursive`.
The entry that is missing at the end is `CallDepthExceeded` (`errors.translate`).
"""

_HOST_PACKAGES = ("flint.lang.", "flint.runtime.")
_UNBOUNDED = 1 << 16
_TOO_MANY = 300  # a function of the language has 255 parameters at most
_TAKES = re.compile(r"takes (?:exactly|at most) (\d+) ")
_compiled_arities: dict[type, tuple[int, int]] = {}


_COUNTED = """
def decorate(function):
    def counted({parameters}):
        state = current()
        depth = state.depth
        if depth >= CALL_LIMIT:
            raise CallDepthExceeded(CALL_LIMIT)
        state.depth = depth + 1
        try:
            return function({parameters})
        finally:
            state.depth = depth

    return wraps(function)(counted)
"""


def recursive(function: F) -> F:
    """Count the calls of a function that can call itself, directly or through others.

    `CallDepthExceeded` is raised by the call that would exceed the limit.
    """
    counted: F = _counter(_arity(function)[1])(function)
    return counted


@cache
def _counter(arity: int) -> Callable[[Callable[..., Any]], Any]:
    """The decorator for functions of so many parameters. Arguments that are passed on one by one
    take none of the thread's stack in any version of Python; `*arguments` do in 3.11.
    """
    parameters = ", ".join(f"argument{number}" for number in range(arity))
    names: dict[str, Any] = {
        "__name__": __name__,
        "wraps": wraps,
        "current": current,
        "CALL_LIMIT": CALL_LIMIT,
        "CallDepthExceeded": CallDepthExceeded,
    }
    exec(_COUNTED.format(parameters=parameters), names)
    decorate: Callable[[Callable[..., Any]], Any] = names["decorate"]
    return decorate


def call(function: object, *arguments: object) -> Any:
    """Call a value that may be no function or take another number of arguments."""
    if type(function) is not FunctionType or not _plainly_takes(function, len(arguments)):
        check_call(function, len(arguments))
    assert callable(function)
    match arguments:  # `*arguments` takes some of the thread's stack in Python 3.11
        case (one,):
            return function(one)
        case (one, two):
            return function(one, two)
        case _:
            return function(*arguments)


def if_declared(read: Callable[[], T]) -> T:
    """A function by its name, null before control has reached its declaration (5.8)."""
    try:
        return read()
    except NameError:
        return cast(T, None)


def check_call(function: object, got: int) -> None:
    """Raise `NotCallable` or `CallArity` unless a value can be called with `got` arguments."""
    if not is_callable(function):
        raise NotCallable
    assert callable(function)
    least, most = _arity(function)
    if not least <= got <= most:
        number = current().callable_number(function)
        raise CallArity(number, least if got < least else most, got)


def callable_kind(function: object) -> str:
    """`function`, `closure` (made inside a function) or `host` (a built-in or host function)."""
    if (
        "<locals>" in _attribute(function, "__qualname__")
        or _attribute(function, "__name__") == "<lambda>"
        or is_compiled_closure(function)
    ):
        return "closure"
    return "host" if _attribute(function, "__module__").startswith(_HOST_PACKAGES) else "function"


def unbound(name: str, *arguments: object) -> NoReturn:
    """Stands where a host function is called that nobody registered."""
    raise UnboundHostImport(name)


def _plainly_takes(function: FunctionType, count: int) -> bool:
    code = function.__code__
    return code.co_argcount == count and not code.co_flags & inspect.CO_VARARGS


def _attribute(function: object, name: str) -> str:
    return getattr(function, name, None) or ""


def _arity(function: Callable[..., object]) -> tuple[int, int]:
    """Smallest and largest number of positional arguments."""
    inner = getattr(function, "__wrapped__", function)
    if is_compiled_closure(inner):
        return _compiled_arity(inner)
    if isinstance(inner, BuiltinFunctionType):
        return _builtin_arity(inner)
    code = getattr(inner, "__code__", None)
    if code is None or code.co_flags & inspect.CO_VARARGS or inspect.ismethod(inner):
        return _signature_arity(function)
    most = code.co_argcount
    return most - len(inner.__defaults__ or ()), most


def _compiled_arity(function: Callable[..., object]) -> tuple[int, int]:
    """Such objects have no signature; called with too many arguments they say how many they take,
    before anything of theirs runs.
    """
    kind = type(function)
    if kind not in _compiled_arities:
        try:
            function(*[None] * _TOO_MANY)
        except TypeError as refusal:
            found = _TAKES.search(str(refusal))
            most = int(found[1]) if found else 0
            _compiled_arities[kind] = (most, most)
    return _compiled_arities[kind]


@cache
def _builtin_arity(function: BuiltinFunctionType) -> tuple[int, int]:
    """The arity of a function of a compiled module, or of Python."""
    return _signature_arity(function)


def _signature_arity(function: Callable[..., object]) -> tuple[int, int]:
    parameters = inspect.signature(function).parameters.values()
    positional = [p for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    least = sum(p.default is p.empty for p in positional)
    unbounded = any(p.kind is p.VAR_POSITIONAL for p in parameters)
    return least, _UNBOUNDED if unbounded else len(positional)
