"""Integer loop. Nothing in the program bounds `n`, so 64-bit semantics take a check."""

from flint.lang import wrap


def result() -> int:
    longest = 0
    start = 1
    while start < 20000:
        n = start
        steps = 0
        while n != 1:
            if n % 2 == 0:
                n //= 2
            else:
                n = wrap(3 * n + 1)
            steps += 1
        if steps > longest:
            longest = steps
        start += 1
    return longest
