"""Calls of function values, and the limit on nested calls (language.md 5.8, 5.12)."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import wraps
from typing import Any, ParamSpec, TypeVar

from flint.lang.errors import CallArity, CallDepthExceeded, NotCallable
from flint.lang.kinds import is_callable
from flint.lang.state import current

P = ParamSpec("P")
R = TypeVar("R")

_CLOSURE_MARK = "__flint_closure__"
_HOST_MODULES = ("flint.lang", "flint.runtime")


def recursive(function: Callable[P, R]) -> Callable[P, R]:
    """Count the calls of a function that can call itself, directly or through others.

    `CallDepthExceeded` is raised by the call that would exceed the limit of the run.
    """

    @wraps(function)
    def counted(*arguments: P.args, **named: P.kwargs) -> R:
        state = current()
        if state.depth >= state.limit:
            raise CallDepthExceeded(state.limit)
        state.depth += 1
        try:
            return function(*arguments, **named)
        finally:
            state.depth -= 1

    return counted


def closure(function: Callable[P, R]) -> Callable[P, R]:
    """Mark a `def` that stands for a closure literal, so that it displays as one."""
    setattr(function, _CLOSURE_MARK, True)
    return function


def call(function: object, *arguments: object) -> Any:
    """Call a value that may be no function or take another number of arguments."""
    if not is_callable(function):
        raise NotCallable
    check_arity(function, len(arguments))  # type: ignore[arg-type]
    return function(*arguments)  # type: ignore[operator]


def check_arity(function: Callable[..., object], got: int) -> None:
    """Raise `CallArity` unless the function takes that many arguments."""
    least, most = _arity(function)
    if not least <= got <= most:
        number = current().callable_number(function)
        raise CallArity(number, least if got < least else most, got)


def callable_kind(function: object) -> str:
    """`function`, `closure` or `host` (a built-in or host function)."""
    if getattr(function, _CLOSURE_MARK, False) or _name(function) == "<lambda>":
        return "closure"
    module = getattr(function, "__module__", None) or ""
    if module in _HOST_MODULES or module.startswith(tuple(f"{m}." for m in _HOST_MODULES)):
        return "host"
    return "function"


def _name(function: object) -> str:
    return getattr(function, "__name__", "")


def _arity(function: Callable[..., object]) -> tuple[int, int]:
    """Smallest and largest number of positional arguments."""
    inner = inspect.unwrap(function)
    code = getattr(inner, "__code__", None)
    if code is None or code.co_flags & inspect.CO_VARARGS or inspect.ismethod(inner):
        return _signature_arity(inner)
    defaults = getattr(inner, "__defaults__", None) or ()
    return code.co_argcount - len(defaults), code.co_argcount


def _signature_arity(function: Callable[..., object]) -> tuple[int, int]:
    parameters = inspect.signature(function).parameters.values()
    positional = [p for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    least = sum(p.default is p.empty for p in positional)
    unbounded = any(p.kind is p.VAR_POSITIONAL for p in parameters)
    return least, 1 << 16 if unbounded else len(positional)
