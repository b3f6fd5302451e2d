"""The run-time errors of a RustScript program; `str()` of each is the text the language defines.

Source: language.md 5.12. Host functions raise `HostError`; everything else comes from the
language. `translate` finds the script error behind a Python error of generated code.
"""

from __future__ import annotations

import re
import sys
from types import TracebackType

CALL_LIMIT = 1024
"""Nested script calls allowed unless the run says otherwise."""


class ScriptError(Exception):
    """A failure that ends a program; `str()` is the text after `runtime error: `."""


class HostError(ScriptError):
    """A built-in or host function refused its arguments; `message` is the text without prefix."""

    def __init__(self, message: str) -> None:
        super().__init__(f"host error: {message}")
        self.message = message


class TypeMismatch(ScriptError):
    """A value is of another kind than the operation needs."""

    def __init__(self, expected: str) -> None:
        super().__init__(f"type mismatch: expected {expected}")
        self.expected = expected


class ArithmeticFault(ScriptError):
    """Integer division or remainder without a result."""


class DivisionByZero(ArithmeticFault):
    """Integer division or remainder by zero."""

    def __init__(self) -> None:
        super().__init__("division by zero")


class IntegerOverflow(ArithmeticFault):
    """The smallest integer divided by -1; `operation` is `division` or `remainder`."""

    def __init__(self, operation: str) -> None:
        super().__init__(f"integer overflow in {operation}")


class NotCallable(ScriptError):
    """A call of something that is no function, or of one whose declaration was not reached yet."""

    def __init__(self) -> None:
        super().__init__("callvalue operand is not callable")


class CallArity(ScriptError):
    """A function value was called with the wrong number of arguments."""

    def __init__(self, identifier: int, expected: int, got: int) -> None:
        super().__init__(
            f"invalid call arity for callable {identifier}: expected {expected}, got {got}"
        )


class CallDepthExceeded(ScriptError):
    """More nested script calls than the run allows."""

    def __init__(self, limit: int) -> None:
        super().__init__(f"script call stack limit {limit} exceeded")


class UnboundHostImport(ScriptError):
    """The program names a host function that nobody registered."""

    def __init__(self, name: str) -> None:
        super().__init__(f"unbound host import '{name}'")
        self.name = name


class ImportArity(ScriptError):
    """The program calls a host function with another argument count than it takes."""

    def __init__(self, name: str, expected: int, got: int) -> None:
        super().__init__(f"invalid call arity for import '{name}': expected {expected}, got {got}")


class ProgramExit(BaseException):
    """`runtime::exit()`: the program ends here, successfully.

    Not an `Exception`, so that a host function's error handling cannot swallow it.
    """


_CONTAINER = "bytes/array/map/string"
_TYPE_ERRORS: tuple[tuple[str, str], ...] = (
    (
        r"for \+(=)?: |can only concatenate|can't concat",
        "number/string or bytes/bytes or array/array",
    ),
    (r"unsupported operand|bad operand type|not supported between|must be real number", "number"),
    (r"does not support item (assignment|deletion)", "array/map"),
    (r"not subscriptable|has no len|not iterable", _CONTAINER),
    (r"indices must be|interpreted as an integer", "int"),
)
# what mypyc raises for a value of another type than the compiled code was made for
_CONVERSION = re.compile(r"^(\w+) object expected; got ")
_CONVERTED = {"list": "array", "dict": "map", "str": "string"}
_UNBOUND = re.compile(r"attribute '\w+' of '\w+_env' undefined")
_ARITY = re.compile(r"takes (?:from \d+ to )?(\d+) positional arguments? but (\d+)")


def translate(error: BaseException) -> ScriptError | None:
    """The script error that a Python error raised by generated code stands for.

    None when the error comes from inside a host function or a library, or has no counterpart:
    then it is a fault of the implementation and must stay visible.
    """
    if isinstance(error, ScriptError):
        return error
    if isinstance(error, RecursionError):
        return CallDepthExceeded(CALL_LIMIT)
    if isinstance(error, MemoryError):
        return HostError("out of memory")
    if not _from_script(error.__traceback__):
        return None
    return _arithmetic_error(error) or _lookup_error(error)


def _arithmetic_error(error: BaseException) -> ScriptError | None:
    if isinstance(error, ZeroDivisionError):
        return DivisionByZero()
    if isinstance(error, OverflowError):
        return HostError(f"number out of range: {error}")
    return _type_error(str(error)) if isinstance(error, TypeError) else None


def _lookup_error(error: BaseException) -> ScriptError | None:
    if isinstance(error, KeyError):
        return HostError("map key not found")
    if isinstance(error, IndexError) and str(error).startswith("tuple"):
        return CallDepthExceeded(CALL_LIMIT)  # calls.DEEPER; the language's arrays are lists
    if isinstance(error, IndexError):
        from flint.lang.indexing import index_error_text

        return HostError(index_error_text(error))
    if isinstance(error, AttributeError) and str(error).endswith("has no attribute 'get'"):
        return TypeMismatch("map")  # a field of what is declared as a struct, and is none
    # the only names read before they exist are functions called before their declaration
    is_unbound = isinstance(error, NameError) or _UNBOUND.match(str(error)) is not None
    return NotCallable() if is_unbound else None


def _type_error(text: str) -> ScriptError | None:
    if "is not callable" in text:
        return NotCallable()
    if arity := _ARITY.search(text):
        return CallArity(0, int(arity[1]), int(arity[2]))
    if conversion := _CONVERSION.match(text):
        return TypeMismatch(_CONVERTED.get(conversion[1], conversion[1]))
    for pattern, expected in _TYPE_ERRORS:
        if re.search(pattern, text):
            return TypeMismatch(expected)
    return None


def _from_script(traceback: TracebackType | None) -> bool:
    """Whether the error arose in generated code, or in `flint.lang` on its behalf."""
    origin = ""
    while traceback is not None:
        module = traceback.tb_frame.f_globals.get("__name__", "")
        if not _is_language(module):
            origin = "" if _is_installed(traceback.tb_frame.f_code.co_filename) else module
        traceback = traceback.tb_next
    return origin != "" and origin.split(".")[0] not in ("flint", *sys.stdlib_module_names)


def _is_language(module: str) -> bool:
    return module == "flint.lang" or module.startswith("flint.lang.")


def _is_installed(filename: str) -> bool:
    return "site-packages" in filename or "dist-packages" in filename
