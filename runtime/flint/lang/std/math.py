"""`math::`: constants and IEEE functions that never fail on a domain error (language.md 6.3)."""

import builtins
import math
import sys
from collections.abc import Callable
from fractions import Fraction
from typing import overload

from flint.lang.arith import fdiv
from flint.lang.errors import HostError
from flint.lang.integers import wrap
from flint.lang.kinds import expect, number

_POWI_RANGE = range(-(1 << 31), 1 << 31)


def pi() -> float:
    """The circle constant."""
    return math.pi


def tau() -> float:
    """Two pi."""
    return math.tau


def e() -> float:
    """Euler's number."""
    return math.e


def epsilon() -> float:
    """The gap between 1.0 and the next float."""
    return sys.float_info.epsilon


def inf() -> float:
    """Positive infinity."""
    return math.inf


def neg_inf() -> float:
    """Negative infinity."""
    return -math.inf


def nan() -> float:
    """Not a number."""
    return math.nan


def _or_nan(function: Callable[[float], float], value: object) -> float:
    """Apply a function that has no value outside its domain."""
    try:
        return function(number(value))
    except ValueError:
        return math.nan


def sqrt(x: int | float) -> float:
    """Square root; NaN below zero."""
    return _or_nan(math.sqrt, x)


def cbrt(x: int | float) -> float:
    """Cube root, to the nearest float."""
    value = number(x)
    root = math.cbrt(value)
    if root == 0.0 or not math.isfinite(root):
        return root
    # some C libraries miss even exact cubes by the last bit: cbrt(27.0) = 3.0000000000000004
    near = (root, math.nextafter(root, 0.0), math.nextafter(root, math.copysign(math.inf, root)))
    return builtins.min(near, key=lambda y: builtins.abs(Fraction(y) ** 3 - Fraction(value)))


def exp(x: int | float) -> float:
    """e to the power x."""
    return _growing(math.exp, x)


def exp2(x: int | float) -> float:
    """2 to the power x."""
    return _growing(math.exp2, x)


def _growing(function: Callable[[float], float], value: object) -> float:
    """Apply a function whose overflow is infinite."""
    try:
        return function(number(value))
    except OverflowError:
        return math.inf


def ln(x: int | float) -> float:
    """Natural logarithm; -inf at zero, NaN below."""
    return _logarithm(math.log, number(x))


def ln_1p(x: int | float) -> float:
    """Natural logarithm of 1 + x, exact for small x."""
    value = number(x)
    return -math.inf if value == -1.0 else _or_nan(math.log1p, value)


def log2(x: int | float) -> float:
    """Logarithm to base 2."""
    return _logarithm(math.log2, number(x))


def log10(x: int | float) -> float:
    """Logarithm to base 10."""
    return _logarithm(math.log10, number(x))


def log(x: int | float, base: int | float) -> float:
    """Logarithm to any base, as ln(x) / ln(base)."""
    return fdiv(ln(x), ln(base))


def _logarithm(function: Callable[[float], float], value: float) -> float:
    return -math.inf if value == 0.0 else _or_nan(function, value)


def sin(x: int | float) -> float:
    """Sine of an angle in radians."""
    return _or_nan(math.sin, x)


def cos(x: int | float) -> float:
    """Cosine of an angle in radians."""
    return _or_nan(math.cos, x)


def tan(x: int | float) -> float:
    """Tangent of an angle in radians."""
    return _or_nan(math.tan, x)


def asin(x: int | float) -> float:
    """Inverse sine; NaN outside -1 to 1."""
    return _or_nan(math.asin, x)


def acos(x: int | float) -> float:
    """Inverse cosine; NaN outside -1 to 1."""
    return _or_nan(math.acos, x)


def atan(x: int | float) -> float:
    """Inverse tangent."""
    return math.atan(number(x))


def atan2(y: int | float, x: int | float) -> float:
    """Angle of the point (x, y)."""
    return math.atan2(number(y), number(x))


def sinh(x: int | float) -> float:
    """Hyperbolic sine."""
    value = number(x)
    return math.copysign(_growing(math.sinh, builtins.abs(value)), value)


def cosh(x: int | float) -> float:
    """Hyperbolic cosine."""
    return _growing(math.cosh, x)


def tanh(x: int | float) -> float:
    """Hyperbolic tangent."""
    return math.tanh(number(x))


def to_degrees(x: int | float) -> float:
    """Radians to degrees."""
    return math.degrees(number(x))


def to_radians(x: int | float) -> float:
    """Degrees to radians."""
    return math.radians(number(x))


def hypot(a: int | float, b: int | float) -> float:
    """Length of the vector (a, b)."""
    return math.hypot(number(a), number(b))


def copysign(x: int | float, sign: int | float) -> float:
    """The magnitude of x with the sign of the other."""
    return math.copysign(number(x), number(sign))


def powf(base: int | float, exponent: int | float) -> float:
    """Power of floats; NaN for a negative base with a fractional exponent."""
    x, y = number(base), number(exponent)
    try:
        return math.pow(x, y)
    except OverflowError:
        return -math.inf if x < 0.0 and math.fmod(y, 2.0) else math.inf
    except ValueError:
        return _pow_at_pole(x, y) if x == 0.0 else math.nan


def _pow_at_pole(zero: float, exponent: float) -> float:
    """Zero to a negative power: infinite, with the sign of -0.0 kept by odd exponents."""
    odd = math.fmod(exponent, 2.0) in (1.0, -1.0)
    return math.copysign(math.inf, zero) if odd else math.inf


def powi(base: int | float, exponent: int) -> float:
    """Power by repeated squaring; the exponent must fit 32 bits."""
    power = number(base)
    expect(exponent, int)
    if exponent not in _POWI_RANGE:
        raise HostError("math::powi exponent out of range for i32")
    result, remaining = 1.0, builtins.abs(exponent)
    while True:
        if remaining & 1:
            result *= power
        remaining >>= 1
        if not remaining:
            return fdiv(1.0, result) if exponent < 0 else result
        power *= power


def mul_add(a: int | float, b: int | float, c: int | float) -> float:
    """a * b + c, rounded once."""
    x, y, z = number(a), number(b), number(c)
    if not (math.isfinite(x) and math.isfinite(y) and math.isfinite(z)):
        return x * y + z
    exact = Fraction(x) * Fraction(y) + Fraction(z)
    if not exact:  # the sign of a zero sum is that of its plain evaluation
        return x * y + z if x * y == 0.0 else 0.0
    try:
        return float(exact)
    except OverflowError:
        return math.inf if exact > 0 else -math.inf


@overload
def abs(x: int) -> int: ...
@overload
def abs(x: float) -> float: ...
def abs(x: int | float) -> int | float:
    """Magnitude, of the same kind; wraps for the smallest int."""
    return wrap(builtins.abs(x)) if type(x) is int else builtins.abs(number(x))


@overload
def floor(x: int) -> int: ...
@overload
def floor(x: float) -> float: ...
def floor(x: int | float) -> int | float:
    """Largest whole number not above x, of the same kind."""
    return _rounded(math.floor, x)


@overload
def ceil(x: int) -> int: ...
@overload
def ceil(x: float) -> float: ...
def ceil(x: int | float) -> int | float:
    """Smallest whole number not below x, of the same kind."""
    return _rounded(math.ceil, x)


@overload
def trunc(x: int) -> int: ...
@overload
def trunc(x: float) -> float: ...
def trunc(x: int | float) -> int | float:
    """The whole part, of the same kind."""
    return _rounded(math.trunc, x)


@overload
def round(x: int) -> int: ...
@overload
def round(x: float) -> float: ...
def round(x: int | float) -> int | float:
    """Nearest whole number, halves away from zero, of the same kind."""
    return _rounded(_half_away, x)


def _rounded(function: Callable[[float], int], value: int | float) -> int | float:
    """Apply a rounding to a finite float and keep the sign of a zero; other numbers as is."""
    if type(value) is int:
        return value
    exact = number(value)
    return math.copysign(function(exact), exact) if math.isfinite(exact) else exact


def _half_away(value: float) -> int:
    whole = math.trunc(value)
    return whole if builtins.abs(value - whole) < 0.5 else whole + (1 if value > 0 else -1)


def fract(x: int | float) -> float:
    """The part after the point, with the sign of x; NaN for infinities."""
    value = number(x)
    return value - math.trunc(value) if math.isfinite(value) else math.nan


@overload
def signum(x: int) -> int: ...
@overload
def signum(x: float) -> float: ...
def signum(x: int | float) -> int | float:
    """-1, 0 or 1 of an int; 1.0 or -1.0 by the sign bit of a float, NaN for NaN."""
    if type(x) is int:
        return (x > 0) - (x < 0)
    value = number(x)
    return value if math.isnan(value) else math.copysign(1.0, value)


def is_nan(x: int | float) -> bool:
    """Whether x is NaN."""
    return math.isnan(number(x))


def is_infinite(x: int | float) -> bool:
    """Whether x is an infinity."""
    return math.isinf(number(x))


def is_finite(x: int | float) -> bool:
    """Whether x is neither an infinity nor NaN."""
    return math.isfinite(number(x))


@overload
def min(a: int, b: int) -> int: ...
@overload
def min(a: float, b: float) -> float: ...
def min(a: int | float, b: int | float) -> int | float:
    """The smaller: an int of two ints, otherwise a float; NaN operands are ignored."""
    if type(a) is int and type(b) is int:
        return a if a < b else b
    x, y = number(a), number(b)
    return x if x < y or math.isnan(y) else y


@overload
def max(a: int, b: int) -> int: ...
@overload
def max(a: float, b: float) -> float: ...
def max(a: int | float, b: int | float) -> int | float:
    """The larger: an int of two ints, otherwise a float; NaN operands are ignored."""
    if type(a) is int and type(b) is int:
        return a if a > b else b
    x, y = number(a), number(b)
    return x if x > y or math.isnan(y) else y


@overload
def clamp(value: int, low: int, high: int) -> int: ...
@overload
def clamp(value: float, low: float, high: float) -> float: ...
def clamp(value: int | float, low: int | float, high: int | float) -> int | float:
    """The value, limited to the bounds: an int of three ints, otherwise a float."""
    if type(value) is int and type(low) is int and type(high) is int:
        if low > high:
            raise HostError("math::clamp min must be <= max")
        return low if value < low else high if value > high else value
    x, least, most = number(value), number(low), number(high)
    if not least <= most:
        raise HostError("math::clamp bounds must be ordered numbers")
    return least if x < least else most if x > most else x
