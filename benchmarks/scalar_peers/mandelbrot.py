"""Float loop."""


def result() -> int:
    inside = 0
    for row in range(60):
        for column in range(90):
            cr = column / 30.0 - 2.1
            ci = row / 30.0 - 1.0
            zr = zi = 0.0
            step = 0
            while step < 60 and zr * zr + zi * zi < 4.1:
                following = zr * zr - zi * zi + cr
                zi = zr * zi + zi * zr + ci
                zr = following
                step += 1
            if step == 60:
                inside += 1
    return inside
