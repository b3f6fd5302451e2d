"""64-bit two's complement arithmetic on Python integers (language.md 5.2)."""

from flint.lang.errors import DivisionByZero, IntegerOverflow

INT_MIN = -(1 << 63)
INT_MAX = (1 << 63) - 1

_SIGN = 1 << 63
_MASK = (1 << 64) - 1


def wrap(number: int) -> int:
    """Reduce any integer to the 64-bit value with the same low bits."""
    if INT_MIN <= number <= INT_MAX:
        return number
    return ((number + _SIGN) & _MASK) - _SIGN


def div(dividend: int, divisor: int) -> int:
    """Divide two 64-bit integers, rounding toward zero.

    Raises `DivisionByZero`, and `IntegerOverflow` for the smallest integer by -1.
    """
    if divisor == 0:
        raise DivisionByZero
    if (dividend >= 0) == (divisor > 0):
        quotient = dividend // divisor
        if quotient > INT_MAX:
            raise IntegerOverflow("division")
        return quotient
    return -(-dividend // divisor)


def rem(dividend: int, divisor: int) -> int:
    """Remainder of `div`; it has the sign of the dividend. Errors as for `div`."""
    if divisor == 0:
        raise DivisionByZero
    if divisor == -1 and dividend == INT_MIN:
        raise IntegerOverflow("remainder")
    remainder = abs(dividend) % abs(divisor)
    return -remainder if dividend < 0 else remainder
