"""A dict with int keys."""


def result() -> int:
    counts: dict[int, int] = {}
    state = 7
    for _ in range(60000):
        state = (state * 1103515245 + 12345) % 2147483648
        key = state % 97
        if key in counts:
            counts[key] += 1
        else:
            counts[key] = 1
    return len(counts)
