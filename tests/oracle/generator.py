"""Random programs that stress what the compiler optimises: copies, ranges, loops, captures.

Every program is well typed, prints its variables at the end, and mostly ends without an error.
"""

from __future__ import annotations

import sys

from tests.oracle.context import Scope
from tests.oracle.statements import Statements


class Generator(Statements):
    """One program; `program()` is the text."""

    def program(self) -> str:
        names = [(self.unique("fun"), self.signature()) for _ in range(self.random.randrange(3))]
        functions = [self.function(name, params, result) for name, (params, result) in names]
        self.scope = Scope(None)
        basis = ("int", "[int]", "int", "[[int]]", "map<int>", "[int]")
        head = [self.let(type_, depth=1) for type_ in basis]
        head += [self.poker() for _ in range(self.random.randrange(3))]
        body = [self.statement() for _ in range(self.random.randrange(3, 10))]
        tail = [f"println({v.name}); {v.name};" for v in self.scope.vars if v.type[:3] != "fn("]
        return self.arrange(functions, [*head, *body, *tail])

    def arrange(self, functions: list[str], statements: list[str]) -> str:
        """Functions without captures may stand anywhere (2.5)."""
        lines = ["use math;", *statements]
        for function in functions:
            lines.insert(self.random.randrange(1, len(lines) + 1), function)
        return "\n".join(lines) + "\n"


def generate(seed: int) -> str:
    """The program of a seed."""
    return Generator(seed).program()


if __name__ == "__main__":
    print(generate(int(sys.argv[1])))
