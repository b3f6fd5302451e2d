"""Random programs that hand arrays to functions which change them, keep them, and give them back.

`python -m tests.oracle.gifts_generator SEED` prints one.
"""

from __future__ import annotations

import sys
from random import Random
from typing import Final

_FUNCTIONS: Final = (
    "fn push(xs: [int], v: int) -> [int] { xs[xs.length] = v; xs }",
    "fn set(xs: [int], v: int) -> [int] { if xs.length > 0 { xs[0] = v; } xs }",
    "fn look(xs: [int], v: int) -> [int] { xs[xs.length] = v; [xs.length, v] }",
    "fn two(xs: [int], v: int) -> [int] { let mut ys = xs; ys[ys.length] = v; xs + ys }",
    "fn join(xs: [int], ys: [int]) -> [int] { xs[xs.length] = ys.length; ys + xs }",
    "fn store(xs: [int], v: int) -> [int] { let mut t: [[int]] = []; t[0] = xs; xs[xs.length] = v;"
    " let r: [int] = t[0]; r + xs }",
    "fn some(xs: [int], v: int) -> [int]"
    " { if v > 1 => { some(push(xs, v), v - 1) } else if v == 1 => { set(xs, v) } else => { xs } }",
    "fn fill(xs: [int], v: int) -> [int] { for i in 0..3 { xs = push(xs, i + v); } xs }",
    "fn part(xs: [int], v: int) -> [int]"
    " { for i in 0..3 { if i == v % 4 { break; } xs = fill(xs, i); } xs }",
)
_CALLS: Final = ("push", "set", "look", "two", "store", "some", "fill", "part")
_VARIABLES: Final = ("a", "b", "c")


class _Generator:
    def __init__(self, seed: int) -> None:
        self.random = Random(seed)
        self.turns = 0

    def program(self) -> str:
        body = self.block(self.random.randrange(3, 9), 0)
        lines = [*_FUNCTIONS, "fn run(a: [int], n: int) -> [[int]] {"]
        lines += ["let mut b: [int] = [n];", "let mut c: [int] = [];", "let mut all: [[int]] = [];"]
        lines += [*body, "all + [a, b, c]", "}"]
        lines += ["let mut a: [int] = [1, 2];", "let mut b: [int] = a.copy();"]
        lines += ["let mut c: [int] = [0];", "let mut all: [[int]] = [];"]
        lines += [*self.block(3, 0), "run(a, 3);", "all; a; b; c;"]
        return "\n".join(lines) + "\n"

    def block(self, count: int, depth: int) -> list[str]:
        return [line for _ in range(count) for line in self.statement(depth)]

    def statement(self, depth: int) -> list[str]:
        choice = self.random.randrange(12)
        if choice < 5:
            return [f"{self.variable()} = {self.value(2)};"]
        if choice < 7:
            return [f"all[all.length] = {self.value(1)};"]
        if choice == 7:
            name = self.variable()
            return [f"{name}[{name}.length] = {self.number()};"]
        if choice == 8:
            return [f"let d: [int] = {self.value(1)};", f"all[all.length] = {self.call('d', 1)};"]
        if depth > 1:
            return []
        if choice == 9:
            then, orelse = self.block(2, depth + 1), self.block(1, depth + 1)
            return [f"if {self.number()} % 2 == 0 {{", *then, "} else {", *orelse, "}"]
        self.turns += 1
        turn = f"t{self.turns}"
        early = f"if {turn} == 1 {{ {self.random.choice(['break', 'continue'])}; }}"
        body = [*self.block(2, depth + 1), early, *self.block(1, depth + 1)]
        return [f"for {turn} in 0..3 {{", *body, "}"]

    def value(self, depth: int) -> str:
        choice = self.random.randrange(9)
        if depth == 0 or choice == 0:
            return self.variable()
        if choice == 1:
            return f"{self.value(depth - 1)} + {self.value(depth - 1)}"
        if choice == 2:
            return f"[{self.number()}, {self.number()}]"
        if choice == 3:
            return f"join({self.value(depth - 1)}, {self.value(depth - 1)})"
        if choice == 4:
            test = f"{self.number()} % 2 == 0"
            then, orelse = self.value(depth - 1), self.value(depth - 1)
            return f"(if {test} => {{ {then} }} else => {{ {orelse} }})"
        return self.call(self.value(depth - 1), depth)

    def call(self, argument: str, depth: int) -> str:
        last = self.number()
        if self.random.randrange(4) == 0:
            last = f"({self.value(depth - 1)}).length"
        return f"{self.random.choice(_CALLS)}({argument}, {last})"

    def number(self) -> str:
        name = self.variable()
        return self.random.choice((str(self.random.randrange(4)), f"{name}.length"))

    def variable(self) -> str:
        return self.random.choice(_VARIABLES)


def generate(seed: int) -> str:
    return _Generator(seed).program()


if __name__ == "__main__":
    print(generate(int(sys.argv[1])), end="")
