"""Run-time side of format templates: `"{:>8.2}"` applied to values (language.md 6.2)."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from functools import lru_cache

from flint.lang.display import Debug, debug_string, display
from flint.lang.errors import HostError
from flint.lang.floats import debug_float, display_float, exponent_decimal, exponent_float
from flint.lang.format import MAX_WIDTH, Count, Placeholder, Template, TemplateError, parse_template
from flint.lang.kinds import is_handle

_RADIX = {"x": "0x", "X": "0x", "o": "0o", "b": "0b"}
_UNSIGNED = (1 << 64) - 1

Arguments = tuple[object, ...]
Part = Callable[[Arguments], str]


class _Incompatible(Exception):
    """A value does not suit its placeholder."""


def format_template(text: str, *arguments: object) -> str:
    """Fill a template; `HostError` if a value does not suit its placeholder."""
    return "".join([part(arguments) for part in _compiled(text)])


@lru_cache(maxsize=512)
def _compiled(text: str) -> tuple[Part, ...]:
    try:
        template = parse_template(text)
    except TemplateError as error:
        raise _complaint(text, error.offset) from None
    return tuple(_part(template, part) for part in template.parts)


def _part(template: Template, part: str | Placeholder) -> Part:
    if isinstance(part, str):
        return lambda arguments: part
    return lambda arguments: _fill(template, part, arguments)


def _fill(template: Template, placeholder: Placeholder, arguments: Arguments) -> str:
    try:
        if placeholder.is_plain:
            return display(arguments[placeholder.argument])
        return _Field(placeholder, arguments).render()
    except (_Incompatible, IndexError):
        raise _complaint(template.text, template.offset(placeholder)) from None


def _complaint(text: str, offset: int) -> HostError:
    return HostError(f"format string and arguments are incompatible at byte {offset}: {text}")


class _Field:
    """One placeholder together with its resolved width, precision and value."""

    def __init__(self, placeholder: Placeholder, arguments: Arguments) -> None:
        self.spec = placeholder
        self.value = arguments[placeholder.argument]
        self.width = _resolve(placeholder.width, arguments) or 0
        self.precision = _resolve(placeholder.precision, arguments)

    def render(self) -> str:
        """The text of the value."""
        value = self.value
        if type(value) is int or type(value) is float:
            return self.number(value)
        if self.spec.kind not in ("", "?"):
            raise _Incompatible
        if self.spec.kind == "?":
            return self._debug()
        if type(value) is str or type(value) is bool or is_handle(value):
            return self.text(display(value))
        return display(value)

    def number(self, value: int | float) -> str:
        """An int or float with sign, prefix and padding."""
        prefix, digits = self._digits(value)
        negative = digits.startswith("-")
        sign = "-" if negative else "+" if self.spec.plus and digits != "NaN" else ""
        digits = digits.removeprefix("-")
        if self.spec.zero:
            return sign + prefix + digits.rjust(self.width - len(sign + prefix), "0")
        return self._pad(sign + prefix + digits, ">")

    def text(self, text: str) -> str:
        """A string or bool cut to the precision and padded."""
        return self._pad(text if self.precision is None else text[: self.precision], "<")

    def _debug(self) -> str:
        if type(self.value) is bool:
            return self.text(display(self.value))
        if type(self.value) is str:
            return debug_string(self.value)
        booleans = lambda value: self.text(display(value))  # noqa: E731
        return Debug(self.number, booleans, self.spec.alternate).top(self.value)

    def _digits(self, value: int | float) -> tuple[str, str]:
        """Prefix, and digits with a minus sign where negative."""
        if type(value) is float:
            return "", self._float_digits(value)
        kind = self.spec.kind
        if kind in _RADIX:
            prefix = _RADIX[kind] if self.spec.alternate else ""
            return prefix, format(value & _UNSIGNED, kind)  # type: ignore[operator]
        if kind in ("e", "E"):
            return "", self._cased(exponent_decimal(Decimal(value), self.precision))
        return "", str(value)

    def _float_digits(self, value: float) -> str:
        if self.spec.kind in _RADIX:
            raise _Incompatible
        if self.spec.kind in ("e", "E"):
            return self._cased(exponent_float(value, self.precision))
        plain = display_float if self.spec.kind == "" else debug_float
        if self.precision is None or value - value != 0.0:
            return plain(value)
        return f"{value:.{self.precision}f}"

    def _cased(self, text: str) -> str:
        return text.replace("e", "E") if self.spec.kind == "E" else text

    def _pad(self, text: str, default: str) -> str:
        missing = self.width - len(text)
        if missing <= 0:
            return text
        alignment = self.spec.alignment or default
        if alignment == "^":
            return " " * (missing // 2) + text + " " * (missing - missing // 2)
        return text.ljust(self.width) if alignment == "<" else text.rjust(self.width)


def _resolve(count: Count | None, arguments: Arguments) -> int | None:
    if count is None or not count.from_argument:
        return count.value if count else None
    value = arguments[count.value]
    if type(value) is not int or not 0 <= value <= MAX_WIDTH:
        raise _Incompatible
    return value
