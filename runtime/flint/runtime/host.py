"""`host` turns an annotated function into a host function that checks what programs pass to it.

The checks follow the annotations (host-functions.md 0.1), so a signature is stated once.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any, ParamSpec, TypeAlias, TypeVar

from flint.lang.errors import HostError, TypeMismatch
from flint.lang.kinds import is_handle
from flint.runtime import NAMESPACES
from flint.runtime.context import current
from flint.runtime.resources import Resource

P = ParamSpec("P")
R = TypeVar("R")
Check = Callable[[object], object]

Count: TypeAlias = int
"""A result that memory limits: from 0 to far below 2^62. The compiler leaves out wraps for it."""

_SCRIPT_NAMES = {module: namespace for namespace, module in NAMESPACES.items()}


class Refused(Exception):
    """What is wrong with a call; `host` reports it as a `HostError` that names the function."""


def host(function: Callable[P, R]) -> Callable[P, R]:
    """Check arguments by the annotations, and put the function's name into its errors.

    Missing arguments are an error, surplus ones are ignored.
    """
    name = script_name(function)
    labels = tuple(inspect.signature(function).parameters)
    checks = tuple(_check_for(function, label) for label in labels)

    @functools.wraps(function)
    def checked(*args: P.args, **kwargs: P.kwargs) -> R:
        values: tuple[Any, ...] = args
        if kwargs:
            values = inspect.signature(function).bind(*args, **kwargs).args
        try:
            current()
            if len(values) < len(checks):
                raise Refused(f"argument {labels[len(values)]} not given")
            checked_values = [check(value) for check, value in zip(checks, values, strict=False)]
            return function(*checked_values)  # type: ignore[call-arg, arg-type]
        except Refused as refused:
            raise HostError(f"{name}: {refused}") from refused.__cause__
        except TypeMismatch as error:
            error.add_note(f"in a call of {name}")
            raise

    return checked


def script_name(function: Callable[..., object]) -> str:
    """The name that scripts use, such as `flint::llama::model_load`."""
    module = function.__module__.removeprefix("flint.runtime.").partition(".")[0]
    return f"flint::{_SCRIPT_NAMES.get(module, module)}::{function.__name__}"


def _check_for(function: Callable[..., object], label: str) -> Check:
    annotation = function.__annotations__[label]
    if annotation in _VALUE_CHECKS:
        return _VALUE_CHECKS[annotation]
    return functools.partial(_as_resource, function.__globals__[annotation], label)


def _as_int(value: object) -> int:
    if type(value) is int:
        return value
    raise TypeMismatch("int")


def _as_float(value: object) -> float:
    if type(value) is float:
        return value
    if type(value) is int:
        return float(value)
    raise TypeMismatch("float")


def _as_bool(value: object) -> bool:
    if type(value) is bool:
        return value
    raise TypeMismatch("bool")


def _as_str(value: object) -> str:
    if type(value) is str:
        return value
    raise TypeMismatch("string")


def _as_tensor(value: object) -> object:
    # Torch is never imported here: a program without tensors must not load it.
    if value is None or type(value) is int:
        raise Refused(f"no tensor with handle {value or 0}")
    if not is_handle(value):
        raise TypeMismatch("int")
    if isinstance(value, Resource):
        raise Refused(f"no tensor with handle {value.handle}; it is a {value.title()}")
    return value


def _as_resource(kind: type[Resource], label: str, value: object) -> Resource:
    if isinstance(value, kind) and value.gone is None:
        return value
    raise _wrong_resource(kind, label, value)


def _wrong_resource(kind: type[Resource], label: str, value: object) -> Exception:
    if value is None or type(value) is int:
        number, why = value or 0, "a plain number is none; pass the value that created it"
    elif isinstance(value, Resource):
        number, why = value.handle, value.gone or f"it is a {value.title()}"
    elif is_handle(value):
        return Refused(f"{label}: a {type(value).__name__} is no {kind.title()}")
    else:
        return TypeMismatch("int")
    return Refused(f"{label}: no {kind.title()} with handle {number} ({why})")


_VALUE_CHECKS: dict[str, Check] = {
    "int": _as_int,
    "float": _as_float,
    "bool": _as_bool,
    "str": _as_str,
    "Tensor": _as_tensor,
}
