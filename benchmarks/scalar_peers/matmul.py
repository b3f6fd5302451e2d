"""Lists of floats, nested ranges."""


def filled(n: int, seed: float) -> list[float]:
    values: list[float] = []
    x = seed
    for _ in range(n * n):
        x = x * 1.01 + 0.37
        if x > 9.0:
            x -= 8.9
        values.append(x)
    return values


def product(a: list[float], b: list[float], n: int) -> list[float]:
    out: list[float] = []
    for i in range(n):
        for j in range(n):
            total = 0.0
            for k in range(n):
                total += a[i * n + k] * b[k * n + j]
            out.append(total)
    return out


def result() -> float:
    c = product(filled(40, 0.5), filled(40, 1.5), 40)
    return c[41]
