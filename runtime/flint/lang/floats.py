"""The four texts of a float: display, debug, JSON and exponent form (language.md 5.11, 6.2, 6.7).

All are made from the shortest decimal digits that read back as the same float.
"""

import math
from decimal import Decimal

_NOT_FINITE = {math.inf: "inf", -math.inf: "-inf"}


def display_float(value: float) -> str:
    """Shortest decimal without exponent and without a trailing `.0`."""
    if not math.isfinite(value):
        return _NOT_FINITE.get(value, "NaN")
    text = repr(value)
    if "e" in text:
        text = format(Decimal(text), "f")
    return text.removesuffix(".0")


def debug_float(value: float) -> str:
    """As `display_float` with at least one digit after the point; exponents as `5e-5`, `1e16`."""
    if not math.isfinite(value):
        return _NOT_FINITE.get(value, "NaN")
    return short_exponent(repr(value))


def json_float(value: float) -> str:
    """A finite float in JSON: plain for 1e-5 <= |x| < 1e16, otherwise like `1e+16`, `1e-6`."""
    text = repr(value)
    if "e" not in text:
        return text
    if text.endswith("e-05"):
        return format(Decimal(text), "f")
    return text.replace("e-0", "e-")


def exponent_float(value: float, precision: int | None) -> str:
    """`d.ddde±x` with the shortest digits, or `precision` digits rounded half to even."""
    if not math.isfinite(value):
        return _NOT_FINITE.get(value, "NaN")
    if precision is not None:
        return short_exponent(f"{value:.{precision}e}")
    return exponent_decimal(Decimal(repr(value)), None)


def exponent_decimal(value: Decimal, precision: int | None) -> str:
    """Exponent form of an exact decimal number (also for ints)."""
    if precision is not None:
        return short_exponent(format(value, f".{precision}e"))
    if not value:
        return "-0e0" if value.is_signed() else "0e0"
    return short_exponent(format(value.normalize(), "e"))


def short_exponent(text: str) -> str:
    """Write the exponent without plus sign and leading zeros."""
    mantissa, mark, exponent = text.partition("e")
    return f"{mantissa}e{int(exponent)}" if mark else text
