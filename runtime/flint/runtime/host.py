"""`host` turns an annotated function into a host function that checks what programs pass to it.

The checks follow the annotations (host-functions.md 0.1), so a signature is stated once.
"""

from __future__ import annotations

import functools
import inspect
import sys
from collections.abc import Callable
from typing import NoReturn, ParamSpec, TypeAlias, TypeVar

from flint.lang.errors import HostError, TypeMismatch
from flint.lang.kinds import is_callable, is_handle
from flint.report import one_line
from flint.runtime import NAMESPACES
from flint.runtime.absent import AbsentWeight
from flint.runtime.context import current, running
from flint.runtime.guard import Guard, Values
from flint.runtime.resources import Resource

P = ParamSpec("P")
R = TypeVar("R")
Check = Callable[[object], object]

Count: TypeAlias = int
"""A result that memory limits: from 0 to far below 2^62. The compiler leaves out wraps for it."""

_SCRIPT_NAMES = {module: namespace for namespace, module in NAMESPACES.items()}


class Refused(Exception):
    """What is wrong with a call; `host` reports it as a `HostError` that names the function."""

    def reported(self, name: str) -> HostError:
        """The error of that function, in one line."""
        return HostError(f"{name}: {one_line(str(self))}")


def host(function: Callable[P, R]) -> Callable[P, R]:
    """Check arguments by the annotations, and put the function's name into its errors.

    Missing arguments are an error, surplus ones are ignored.
    """
    return _guarded(function, argument_checks(function), _usual(function))


def tolerant_host(function: Callable[P, R]) -> Callable[P, R]:
    """As `host`, for a function that takes any values: only their number is checked."""
    given = [_USUAL["object"].format(name=name) for name in _parameters(function)]
    return _guarded(function, dict.fromkeys(argument_checks(function), _as_it_is), given)


def _guarded(
    function: Callable[P, R], parameters: dict[str, Check], usual: list[str]
) -> Callable[P, R]:
    name = script_name(function)
    labels, checks = tuple(parameters), tuple(parameters.values())

    def check(values: Values) -> Values:
        current()
        if len(values) < len(checks):
            raise Refused(f"argument {labels[len(values)]} not given")
        return tuple(check(value) for check, value in zip(checks, values, strict=False))

    def failed(error: Exception, _: Values) -> NoReturn:
        if isinstance(error, Refused):
            raise error.reported(name) from error.__cause__
        error.add_note(f"in a call of {name}")
        raise error

    condition = " and ".join(["_running() is not None", *usual])
    tests = {"_is_tensor": is_tensor, "_is_callable": is_callable}
    scope = {"_running": running, **tests, **_handle_kinds(function)}
    return Guard(condition, scope, check, (Refused, TypeMismatch), failed).around(function)


def _usual(function: Callable[..., object]) -> list[str]:
    """Conditions under which the checks of the arguments would change nothing."""
    kinds = _handle_kinds(function)
    return [
        _USUAL.get(
            annotation, _USUAL_RESOURCE if _is_resource(kinds, annotation) else _USUAL_KIND
        ).format(name=name, kind=annotation)
        for name, annotation in _parameters(function).items()
    ]


def _parameters(function: Callable[..., object]) -> dict[str, str]:
    """The parameters' annotations, by their names in Python."""
    return {name: function.__annotations__[name] for name in inspect.signature(function).parameters}


def _handle_kinds(function: Callable[..., object]) -> dict[str, type]:
    """The classes that parameters are annotated with."""
    annotations = set(_parameters(function).values()) - _USUAL.keys()
    return {annotation: function.__globals__[annotation] for annotation in annotations}


def _is_resource(kinds: dict[str, type], annotation: str) -> bool:
    return annotation in kinds and issubclass(kinds[annotation], Resource)


def is_tensor(value: object) -> bool:
    """Whether the value is a tensor; torch is not imported for it."""
    torch = sys.modules.get("torch")
    return torch is not None and isinstance(value, torch.Tensor)


def script_name(function: Callable[..., object]) -> str:
    """The name that scripts use, such as `flint::llama::model_load`."""
    module = function.__module__.removeprefix("flint.runtime.").partition(".")[0]
    # Python names of reserved words carry a trailing underscore.
    name = function.__name__.removesuffix("_")
    return f"flint::{_SCRIPT_NAMES.get(module, module)}::{name}"


def argument_checks(function: Callable[..., object]) -> dict[str, Check]:
    """The parameters by their names in scripts, each with the check of its annotation."""
    names = inspect.signature(function).parameters
    return {name.removesuffix("_"): _check_for(function, name) for name in names}


def _check_for(function: Callable[..., object], name: str) -> Check:
    annotation = function.__annotations__[name]
    if annotation in _VALUE_CHECKS:
        return _VALUE_CHECKS[annotation]
    label = name.removesuffix("_")
    if annotation in _TENSOR_CHECKS:
        return functools.partial(_TENSOR_CHECKS[annotation], label)
    kind = function.__globals__[annotation]
    if issubclass(kind, Resource):
        return functools.partial(_as_resource, kind, label)
    return functools.partial(_as_instance, kind, label)


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


def _as_array(value: object) -> list[object]:
    """What is in the array is the function's to check."""
    if type(value) is list:
        return value
    raise TypeMismatch("array")


def _as_callable(value: object) -> object:
    if is_callable(value):
        return value
    raise TypeMismatch("callable")


def _as_it_is(value: object) -> object:
    return value


def _as_tensor(label: str, value: object) -> object:
    if is_tensor(value):
        return value
    raise _no_tensor(label, value)


def _as_optional_tensor(label: str, value: object) -> object:
    # 0 is "no tensor" to scripts; the compiler writes None wherever it can tell.
    if value is None or (type(value) is int and value == 0):
        return None
    return _as_tensor(label, value)


def _no_tensor(label: str, value: object) -> Exception:
    if value is None or type(value) is int:
        return Refused(f"{label}: no tensor with handle {value or 0}")
    if isinstance(value, AbsentWeight):
        return Refused(f"{label}: optional weight {value.name} is not in the checkpoint")
    if isinstance(value, Resource):
        return Refused(f"{label}: no tensor with handle {value.handle}; it is a {value.title()}")
    if is_handle(value):
        return Refused(f"{label}: a {type(value).__name__} is no tensor")
    return TypeMismatch("int")


def _as_instance(kind: type, label: str, value: object) -> object:
    if isinstance(value, kind):
        return value
    if value is None or type(value) is int:
        raise Refused(f"{label}: no {kind.__name__.lower()} with handle {value or 0}")
    if is_handle(value):
        raise Refused(f"{label}: a {type(value).__name__} is no {kind.__name__.lower()}")
    raise TypeMismatch("int")


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


# The same checks as conditions.
_USUAL = {
    "int": "type({name}) is int",
    "float": "type({name}) is float",
    "bool": "type({name}) is bool",
    "str": "type({name}) is str",
    "list[str]": "type({name}) is list",
    "Callable[[], bool]": "_is_callable({name})",
    "object": "{name} is not _missing",
    "Tensor": "_is_tensor({name})",
    "Tensor | None": "({name} is None or _is_tensor({name}))",
}
_USUAL_KIND = "isinstance({name}, {kind})"
_USUAL_RESOURCE = "isinstance({name}, {kind}) and {name}.gone is None"
_VALUE_CHECKS: dict[str, Check] = {
    "int": _as_int,
    "float": _as_float,
    "bool": _as_bool,
    "str": _as_str,
    "list[str]": _as_array,
    "Callable[[], bool]": _as_callable,
    "object": _as_it_is,
}
_TENSOR_CHECKS: dict[str, Callable[[str, object], object]] = {
    "Tensor": _as_tensor,
    "Tensor | None": _as_optional_tensor,
}
