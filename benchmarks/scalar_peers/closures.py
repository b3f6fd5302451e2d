"""Composed callables."""

from collections.abc import Callable


def compose(f: Callable[[int], int], g: Callable[[int], int]) -> Callable[[int], int]:
    return lambda x: g(f(x))


def add_three(x: int) -> int:
    return x + 3


def double(x: int) -> int:
    return x + x


def result() -> int:
    step = compose(add_three, double)
    total = 0
    for i in range(60000):
        total += step(i)
    return total
