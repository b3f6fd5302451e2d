"""Writes to a list of bools."""


def result() -> int:
    limit = 60000
    composite: list[bool] = []
    for _ in range(limit):
        composite.append(False)
    count = 0
    n = 2
    while n < limit:
        if not composite[n]:
            count += 1
            multiple = n * n
            while multiple < limit:
                composite[multiple] = True
                multiple += n
        n += 1
    return count
