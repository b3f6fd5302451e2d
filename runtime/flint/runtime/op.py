"""`op` turns an annotated function into a host function that computes with torch.

As `host`, with three differences: functions that need no state of the run also work outside one
(so that `torch.compile` and `torch.export` can be applied to generated code), torch's failures
become host errors that show arguments and shapes, and the usual call is checked at little cost.
"""

from __future__ import annotations

import inspect
import itertools
from collections.abc import Callable
from types import NoneType
from typing import NoReturn, ParamSpec, TypeVar

from torch import Tensor

from flint.lang.errors import HostError, TypeMismatch
from flint.lang.kinds import type_name
from flint.runtime.context import running_profile
from flint.runtime.guard import Guard, Values
from flint.runtime.host import Check, Refused, argument_checks, script_name
from flint.runtime.int8_weight import Int8Weight
from flint.runtime.op_profile import OpProfile
from flint.runtime.pair import Pair

P = ParamSpec("P")
R = TypeVar("R")

# What torch and Python raise for arguments that do not fit, or results that memory does not hold;
# AssertionError is for devices that torch was built without.
_FAILURES = (
    Refused,
    RuntimeError,
    IndexError,
    TypeError,
    ValueError,
    OverflowError,
    MemoryError,
    AssertionError,
)
_EXACT: dict[str, tuple[type, ...]] = {
    "int": (int,),
    "float": (float,),
    "bool": (bool,),
    "str": (str,),
    "Tensor": (Tensor, Int8Weight),
    "Tensor | None": (Tensor, NoneType, Int8Weight),
    "Pair": (Pair,),
}


_SCOPE = {kind.__name__: kind for kind in (OpProfile, Tensor, Int8Weight, Pair, NoneType)}


def op(function: Callable[P, R]) -> Callable[P, R]:
    """Make a host function of `function`; see the module's text."""
    name = script_name(function)
    checks = argument_checks(function)
    accepted = _accepted(function)

    def check(values: Values) -> Values:
        return values if tuple(map(type, values)) in accepted else _converted(checks, values)

    def call(function: Callable[..., R], values: Values) -> R:
        profile = running_profile()
        return function(*values) if profile is None else profile.timed(name, function, values)

    def failed(error: Exception, values: Values) -> NoReturn:
        if isinstance(error, Refused):
            raise error.reported(name) from error.__cause__
        if isinstance(error, RecursionError):
            raise error
        raise HostError(f"{name}: {reason(error)}{_shown(checks, values)}") from None

    return Guard(_usual(function), _SCOPE, check, _FAILURES, failed, call).around(function)


def reason(error: BaseException) -> str:
    """What was wrong, by the first line of an error's text; the rest is C++."""
    if isinstance(error, MemoryError):
        return "not enough memory"
    if isinstance(error, OSError) and error.strerror:
        return error.strerror
    lines = str(error).strip().splitlines()
    return lines[0] if lines else type(error).__name__


def _usual(function: Callable[..., object]) -> str:
    """The condition for exact argument types, and for a process without profiles."""
    annotations = function.__annotations__
    tests = [
        " or ".join(f"type({label}) is {kind.__name__}" for kind in _EXACT[annotations[label]])
        for label in inspect.signature(function).parameters
    ]
    return " and ".join(
        [*(f"({test})" for test in tests or ["not _surplus"]), "not OpProfile.exists"]
    )


def _accepted(function: Callable[..., object]) -> frozenset[tuple[type, ...]]:
    """The combinations of exact argument types that need no conversion."""
    parameters = inspect.signature(function).parameters
    types = [_EXACT[function.__annotations__[parameter]] for parameter in parameters]
    return frozenset(itertools.product(*types))


def _converted(checks: dict[str, Check], values: Values) -> Values:
    if len(values) < len(checks):
        raise Refused(f"argument {list(checks)[len(values)]} not given")
    if values and not checks:
        raise Refused("no arguments expected")
    pairs = zip(checks.items(), values, strict=False)
    return tuple(_checked(label, check, value) for (label, check), value in pairs)


def _checked(label: str, check: Check, value: object) -> object:
    try:
        return check(value)
    except TypeMismatch as mismatch:
        wrong = f"{label} has to be {mismatch.expected} but is {type_name(value)}"
        raise Refused(wrong) from None


def _shown(checks: dict[str, Check], values: Values) -> str:
    """` (left: float32 [2, 3], dim: 1)`: the arguments of a failed call."""
    shown = [f"{label}: {_brief(value)}" for label, value in zip(checks, values, strict=False)]
    return f" ({', '.join(shown)})" if shown else ""


def _brief(value: object) -> str:
    if isinstance(value, Tensor):
        dtype = str(value.dtype).removeprefix("torch.")
        place = "" if value.device.type == "cpu" else f" on {value.device}"
        return f"{dtype} {list(value.shape)}{place}"
    if isinstance(value, str):
        return repr(value if len(value) <= 60 else f"{value[:60]}…")
    return "none" if value is None else str(value)
