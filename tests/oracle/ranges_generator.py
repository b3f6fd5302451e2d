"""Random programs about ints and indices: what conditions, loops and call sites say of them.

A few variables, small statements, numbers around the ends of 64 bits: made for range analysis.
"""

from __future__ import annotations

import sys
from random import Random
from typing import Final

_INTS: Final = ("i", "j", "n", "k")
_ARRAYS: Final = ("a", "b")
_BIG: Final = ("9223372036854775807", "(-9223372036854775807 - 1)", "4611686018427387904")
_SMALL: Final = ("0", "1", "2", "3", "(-1)", "(-3)", "5", "1024")
_DEEPEST: Final = 3


class _Program:
    def __init__(self, seed: int) -> None:
        self.random = Random(seed)
        self.turns = 0
        self.loops = 0
        self.ints: tuple[str, ...] = _INTS
        self.fixed: set[str] = set()  # loop variables

    def pick(self, *choices: str) -> str:
        return choices[self.random.randrange(len(choices))]

    def text(self) -> str:
        head = [f"let mut {name} = {self.number()};" for name in _INTS]
        head += [f"let mut {name}: [int] = {self.array()};" for name in _ARRAYS]
        functions = [self.function(number) for number in range(2)]
        body = [self.statement(0) for _ in range(self.random.randrange(4, 12))]
        tail = ["i; j; n; k; a; b;"]
        return "\n".join([*functions, *head, *body, *tail]) + "\n"

    def function(self, number: int) -> str:
        """Its parameters are what its calls give."""
        outer, self.ints = self.ints, ("i", "n")
        body = self.expression(2)
        steps = "".join(
            self.pick(f"{name} = {self.expression(1)}; ", "", f"{name} += 1; ") for name in "in"
        )
        guard = f"if {self.condition()} => {{ {body} }} else => {{ {self.expression(1)} }}"
        again = f"if i < 1 => {{ n }} else => {{ f{number}(i / 2 - 1, {self.expression(1)}) }}"
        self.ints = outer
        value = self.pick(body, guard, again)
        return f"fn f{number}(i: int, n: int) -> int {{ {steps}let r: int = {value}; r }}"

    def number(self) -> str:
        return self.pick(*_BIG) if self.random.randrange(5) == 0 else self.pick(*_SMALL)

    def array(self) -> str:
        return f"[{', '.join(self.number() for _ in range(self.random.randrange(1, 5)))}]"

    def var(self) -> str:
        return self.pick(*self.ints)

    def expression(self, depth: int) -> str:
        if depth == 0:
            return self.pick(self.var(), self.var(), self.number())
        left, right = self.expression(depth - 1), self.expression(depth - 1)
        choices = [
            *(f"({left} + {right})", f"({left} - {right})", f"({left} * {right})", left),
            *(f"({left} / {self.pick('2', '3', '(-1)', '4')})", f"(-{left})"),
            f"({left} % {self.pick('2', '7', '(-3)')})",
            f"(if {self.condition()} => {{ {left} }} else => {{ {right} }})",
        ]
        if self.ints is _INTS:
            array = self.pick(*_ARRAYS)
            choices += [f"{array}.length", f"f{self.pick('0', '1')}({left}, {right})"]
            choices.append(self.item(array, left))
            choices.append(f"(if true => {{ {self.change()} {left} }} else => {{ 0 }})")
        return self.pick(*choices)

    def item(self, array: str, index: str) -> str:
        if self.random.randrange(4) == 0:
            return f"{array}[{index}]"
        name = self.var()
        test = self.pick(f"{name} >= 0 && {name} < {array}.length", f"{array}.has({name})")
        return f"(if {test} => {{ {array}[{name}] }} else => {{ 0 }})"

    def condition(self) -> str:
        name = self.var()
        comparison = self.pick("<", "<=", ">", ">=", "==", "!=")
        bounds = [self.var(), self.number(), f"{self.var()} {self.pick('+', '-')} 1"]
        if self.ints is _INTS:
            bounds.append(f"{self.pick(*_ARRAYS)}.length")
        test = f"{name} {comparison} {self.pick(*bounds)}"
        more = f"{self.var()} {self.pick('<', '>=')} {self.pick(*bounds)}"
        return self.pick(
            *(test, test, f"{test} && {more}", f"!({test})", f"({test}) || {more}"),
            f"{name} % {self.pick('2', '3', '4')} == 0",
        )

    def change(self) -> str:
        free = [name for name in _INTS if name not in self.fixed]
        name = self.pick(*free) if free else "a"
        array = self.pick(*_ARRAYS)
        ints = [
            *(f"{name} = {name} {self.pick('+', '-')} {self.pick('1', '2', '1025')};",),
            *(f"{name} += {self.var()};", f"{name} = {self.var()};", f"{name} = {self.number()};"),
        ]
        arrays = [
            *(f"{array} = {self.array()};", f"{array}[{array}.length] = {self.var()};"),
            *(f"{array} = {self.pick(*_ARRAYS)};", f"{array} = {array}[{self.pick('1', '0')}:];"),
        ]
        return self.pick(*(arrays if name == "a" else ints + arrays))

    def store(self) -> str:
        name, array = self.var(), self.pick(*_ARRAYS)
        store = f"{array}[{name}] = {self.expression(1)};"
        tests = (f"{name} >= 0 && {name} < {array}.length", f"{array}.has({name})")
        return f"if {self.pick(*tests)} {{ {store} }}"

    def statement(self, depth: int) -> str:
        simple = [
            *(self.change(), self.change(), self.store(), f"println({self.expression(2)});"),
            f"{self.pick(*[v for v in _INTS if v not in self.fixed] or ['a'])};",
            self.assignment(),
        ]
        if self.loops and self.random.randrange(6) == 0:
            return f"if {self.condition()} {{ {self.pick('break', 'continue')}; }}"
        if depth >= _DEEPEST or self.random.randrange(2):
            return self.pick(*simple)
        return (self.if_, self.while_, self.for_, self.fill)[self.random.randrange(4)](depth)

    def assignment(self) -> str:
        free = [name for name in _INTS if name not in self.fixed]
        value = self.expression(2)
        return f"{self.pick(*free)} = {value};" if free else f"println({value});"

    def block(self, depth: int) -> str:
        count = self.random.randrange(1, 4)
        return f"{{ {' '.join(self.statement(depth + 1) for _ in range(count))} }}"

    def if_(self, depth: int) -> str:
        text = f"if {self.condition()} {self.block(depth)}"
        return text + (f" else {self.block(depth)}" if self.random.randrange(2) else "")

    def while_(self, depth: int) -> str:
        """Some turns at most."""
        self.turns += 1
        turn = f"t{self.turns}"
        self.loops += 1
        body = self.block(depth)
        self.loops -= 1
        test = f"{turn} < {self.pick('2', '4')} && {self.condition()}"
        return f"let mut {turn} = 0; while {test} {{ {turn} = {turn} + 1; {body[1:]}"

    def for_(self, depth: int) -> str:
        free = [name for name in _INTS if name not in self.fixed]
        if not free:
            return self.store()
        name, start = self.pick(*free), self.pick("0", "0", "1", "(-2)", "j")
        end = self.pick("3", "n % 5", "a.length", "b.length", "n % 4 + 1")
        moved = self.random.randrange(4) == 0
        if not moved:
            self.fixed.add(name)
        self.loops += 1
        body = self.block(depth)
        self.loops -= 1
        self.fixed.discard(name)
        dots = self.pick("..", "..", "..=")
        again = f" let mut {name} = {name};"  # a loop leaves its variable immutable
        return f"for {'mut ' if moved else ''}{name} in {start}{dots}{end} {body}{again}"

    def fill(self, depth: int) -> str:
        """An array filled in a loop, as long as something says."""
        self.turns += 1
        turn, array = f"t{self.turns}", self.pick(*_ARRAYS)
        limit = self.pick("4", "n % 6", "k")
        value = self.pick(turn, self.number(), self.var())
        guard = "" if limit != "k" else "if k > 6 { k = 3; } "
        loop, extra = f"for {turn} in 0..{limit}", self.pick("", f" {self.change()}")
        text = f"{array} = []; {loop} {{ {array}[{array}.length] = {value};{extra} }}"
        read = f"{loop} {{ if {array}.has({turn}) {{ {array}[{turn}] = {turn} + 1; }} }}"
        if "k" in self.fixed:
            guard, text = "", text.replace("0..k", "0..3")
            read = read.replace("0..k", "0..3")
        return f"{guard}{text} {read}"


def generate(seed: int) -> str:
    """The program of a seed."""
    return _Program(seed).text()


if __name__ == "__main__":
    print(generate(int(sys.argv[1])))
