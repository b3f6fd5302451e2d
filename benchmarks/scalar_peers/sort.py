"""Shell sort in place."""


def fill(count: int) -> list[int]:
    values: list[int] = []
    state = 12345
    for _ in range(count):
        state = (state * 1103515245 + 12345) % 2147483648
        values.append(state % 100000)
    return values


def shell_sorted(source: list[int]) -> list[int]:
    values = source.copy()
    gap = len(values) // 2
    while gap > 0:
        for i in range(gap, len(values)):
            moving = values[i]
            j = i
            while j >= gap and values[j - gap] > moving:
                values[j] = values[j - gap]
                j -= gap
            values[j] = moving
        gap //= 2
    return values


def result() -> int:
    values = shell_sorted(fill(3000))
    return values[0] + values[2999]
