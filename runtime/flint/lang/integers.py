"""64-bit two's complement arithmetic on Python integers (language.md 5.2)."""

from flint.lang.errors import DivisionByZero, IntegerOverflow

INT_MIN = -(1 << 63)
INT_MAX = (1 << 63) - 1

_SIGN = 1 << 63
_MASK = (1 << 64) - 1


def wrap(number: int) -> int:
    """Reduce any integer to the 64-bit value with the same low bits."""
    # literals, as this is the most called function of all: a global costs a look-up
    if -0x8000_0000_0000_0000 <= number <= 0x7FFF_FFFF_FFFF_FFFF:
        return number
    return ((number + _SIGN) & _MASK) - _SIGN


def div(dividend: int, divisor: int) -> int:
    """Divide two 64-bit integers, rounding toward zero.

    Raises `DivisionByZero`, and `IntegerOverflow` for the smallest integer by -1.
    """
    if dividend >= 0 and divisor > 0:
        return dividend // divisor
    if divisor == 0:
        raise DivisionByZero
    if divisor == -1 and dividend == INT_MIN:
        raise IntegerOverflow("division")
    quotient = abs(dividend) // abs(divisor)
    return quotient if (dividend < 0) == (divisor < 0) else -quotient


def rem(dividend: int, divisor: int) -> int:
    """Remainder of `div`; it has the sign of the dividend. Errors as for `div`."""
    if dividend >= 0 and divisor > 0:
        return dividend % divisor
    if divisor == 0:
        raise DivisionByZero
    if divisor == -1 and dividend == INT_MIN:
        raise IntegerOverflow("remainder")
    remainder = abs(dividend) % abs(divisor)
    return -remainder if dividend < 0 else remainder
