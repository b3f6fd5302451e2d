"""Random programs that stress what the compiler optimises: copies, ranges, loops, captures.

Every program is well typed, prints its variables at the end, and mostly ends without an error.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Final

from tests.oracle.context import (
    ARRAYS,
    CLOSURE,
    CLOSURES,
    MAPS,
    SCALARS,
    Named,
    Scope,
    Var,
    element,
)
from tests.oracle.expressions import KEYS
from tests.oracle.specials import Specials

_POOLS: Final[dict[str, tuple[str, ...]]] = {
    "int": ("i", "n", "len", "sum", "lambda", "self", "value", "chosen", "wrap", "def", "range"),
    "float": ("x", "float", "y"),
    "bool": ("ok", "not", "is"),
    "string": ("s", "str", "text", "display"),
    "[int]": ("a", "list", "b", "items", "own", "c"),
    "[[int]]": ("grid", "rows", "tuple"),
    "[map<int>]": ("dicts", "records"),
    "[string]": ("words", "None_"),
    "map<int>": ("m", "dict", "p"),
    "map<[int]>": ("groups", "set"),
    CLOSURE: ("f", "bump", "partial", "inner"),
    "fn([int]) -> [int]": ("g", "change"),
    "fn([int]) -> int": ("h", "look"),
}
_DATA: Final = (*SCALARS, "int", "[int]", "[int]", "int", *ARRAYS, *MAPS, "map<int>")
_BUDGET: Final = 14


class Generator(Specials):
    """One program; `program()` is the text."""

    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        self.targets: list[Var] = []  # what the next closure has to change
        self.nesting = 0

    # -- programs ------------------------------------------------------------------------

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

    def poker(self) -> str:
        """A closure or function that changes some of the variables around it."""
        targets = self.changeable("int", "[int]", "[[int]]", "map<int>")
        if not targets:
            return self.show()
        targets = [self.pick(targets) for _ in range(self.random.randrange(1, 3))]
        if self.chance(25):
            name = self.unique("poke")
            later: list[Named] = []
            text = self.body_of(name, ("int",), "int", self.scope, later, targets)
            self.scope.functions += later
            return text
        self.targets = targets
        type_ = self.pick(CLOSURES)
        return self.let(type_)

    def arrange(self, functions: list[str], statements: list[str]) -> str:
        """Functions without captures may stand anywhere (2.5)."""
        lines = ["use math;", *statements]
        for function in functions:
            lines.insert(self.random.randrange(1, len(lines) + 1), function)
        return "\n".join(lines) + "\n"

    def signature(self) -> tuple[tuple[str, ...], str]:
        types = ("int", "[int]", "[[int]]", "map<int>", *CLOSURES)
        params = tuple(self.pick(types) for _ in range(self.random.randrange(1, 4)))
        return params, self.pick(("int", "int", "[int]", "[[int]]", "map<int>", "string"))

    def function(self, name: str, params: tuple[str, ...], result: str) -> str:
        """A function that uses nothing but its parameters and functions made before it."""
        return self.body_of(name, params, result, outer=None, register=self.globals)

    def body_of(
        self,
        name: str,
        params: tuple[str, ...],
        result: str,
        outer: Scope | None,
        register: list[Named],
        targets: Sequence[Var] = (),
    ) -> str:
        around, self.scope = self.scope, Scope(outer)
        written: list[str] = []
        for type_ in params:
            pool = tuple(n for n in _POOLS[type_] if n not in self.scope.names)
            var = self.bind(type_, mutable=True, pool=pool or (self.unique("p"),))
            var.touches = None
            written.append(f"{var.name}: {type_}")
        inside = " ".join([self.change(var) for var in targets if var in self.scope.visible()])
        inside += self.statements(self.random.randrange(1, 4) if not targets else 0)
        self.budget = _BUDGET // 2
        value = self.expression(result, 2)
        touched = self.finish_body(around)
        by_argument = any(param.startswith("fn(") for param in params)
        register.append(Named(name, params, result, None if by_argument else touched))
        return f"fn {name}({', '.join(written)}) -> {result} {{ {inside}{value} }}"

    def finish_body(self, around: Scope) -> set[Var]:
        """Leave a body; what it changes of the variables around it."""
        touched = self.scope.touched
        self.scope = around
        return touched & set(around.visible())

    def bind(self, type_: str, mutable: bool, pool: tuple[str, ...] | None = None) -> Var:
        """A variable of the body under a name of its type; an older one of that name is reused."""
        free = [n for n in pool or _POOLS[type_] if not self.is_locked(n)]
        name = self.pick(free) if free else self.unique(_POOLS[type_][0])
        var = next((v for v in self.scope.vars if v.name == name), None)
        if var is None:
            var = Var(name, type_, mutable)
            self.scope.vars.append(var)
            self.scope.names.add(name)
        var.mutable |= mutable
        return var

    def is_locked(self, name: str) -> bool:
        return any(var.name == name for var in self.locked | self.borrowed)

    # -- statements ----------------------------------------------------------------------

    def statements(self, count: int) -> str:
        self.nesting += 1
        texts = [self.statement() + " " for _ in range(count)]
        self.nesting -= 1
        return "".join(texts)

    def block(self, count: int | None = None) -> str:
        """Variables that a block binds may have no value after it."""
        before = list(self.scope.vars)
        inside = self.statements(count or self.random.randrange(1, 4))
        self.scope.vars = before
        return f"{{ {inside}}}"

    def statement(self) -> str:
        if self.nesting <= 2:
            self.budget = _BUDGET
        roll = self.random.randrange(100)
        if self.nesting < 4:
            if roll < 7:
                return self.if_()
            if roll < 18:
                return self.loop()
            if roll < 23:
                return self.inner_function()
            if roll < 27:
                return self.let(self.pick(CLOSURES))
            if roll < 30:
                return self.poker()
        if roll < 34 and self.nesting < 3:
            return self.special()
        if roll < 39:
            return self.alias() or self.show()
        if roll < 45:
            return self.let(self.pick(_DATA))
        if roll < 60:
            return self.assign() or self.show()
        if roll < 82:
            return self.store() or self.show()
        if roll < 86 and self.scope.loops:
            leave = self.pick(("break", "continue"))
            return f"if {self.expression('bool', 1)} {{ {leave}; }}"
        return self.show()

    def show(self) -> str:
        types = [self.pick((*SCALARS, "[int]", "map<int>")) for _ in range(2)]
        first, second = self.series(types, 3)
        if self.chance(30):
            return f'print("{{}} {{}}|", {first}, {second});'
        return self.pick((f"println({first}); {second};", f"{first}; {second};"))

    def let(self, type_: str, depth: int = 3) -> str:
        value = self.fresh(type_) if type_.startswith("fn(") else self.expression(type_, depth)
        var = self.bind(type_, mutable=self.chance(75))
        if type_.startswith("fn("):
            self.widen(var, value)
        self.scope.touched.add(var)
        mut = "mut " if var.mutable else ""
        return f"let {mut}{var.name}: {type_} = {value};"

    def alias(self) -> str | None:
        """Two variables with one value, one of which is changed then."""
        known = self.changeable(*ARRAYS, *MAPS)
        if not known:
            return None
        var = self.pick(known)
        copy = self.bind(var.type, mutable=self.chance(50))
        self.scope.touched.add(copy)
        mut = "mut " if copy.mutable else ""
        changed = self.pick([v for v in (var, copy) if v.mutable])
        text = f"let {mut}{copy.name}: {var.type} = {var.name};"
        if changed.name == copy.name and not copy.mutable:
            return text
        return f"{text} {self.change(changed)}"

    def widen(self, var: Var, value: str) -> None:
        """A variable of a callable may do whatever any of its values does."""
        if value.startswith("|") and var.touches is not None and self.last_closure is not None:
            var.touches |= self.last_closure
        else:
            var.touches = None

    last_closure: set[Var] | None = None

    def assign(self) -> str | None:
        targets = [v for v in self.changeable() if not v.type.startswith("fn(")]
        if not targets:
            return None
        var = self.pick(targets)
        text, value = self.new_value(var)
        if var not in self.changeable():  # the value made it immutable, or hid it
            return f"{value};"
        self.scope.touched.add(var)
        return text

    def new_value(self, var: Var) -> tuple[str, str]:
        """An assignment, and the expression in it."""
        if var.type in ("int", "float") and self.chance(40):
            value = self.operand_of(var)
            return f"{var.name} += {value};", value
        if var.type in ("int", "float", "string") and self.chance(50):
            small = var.type == "int" and self.chance(50)
            value = self.pick(("1", "(-1)", "1023")) if small else self.operand_of(var)
            operator = "+" if var.type == "string" else self.pick("+-*")
            return f"{var.name} = {var.name} {operator} {value};", value
        value = self.expression(var.type, 3)
        return f"{var.name} = {value};", value

    def operand_of(self, var: Var) -> str:
        return self.changing(var, var.type) if self.chance(30) else self.expression(var.type, 2)

    def store(self) -> str | None:
        """`x[i] = v` and `x.k = v`; what i and v do must leave x alone (5.9 does not say more)."""
        targets = self.changeable(*ARRAYS, *MAPS)
        if not targets:
            return None
        var = self.pick(targets)
        self.scope.touched.add(var)
        before = set(self.locked)
        self.locked.add(var)
        text = f"{self.place(var)} = {self.expression(element(var.type), 2)};"
        self.locked = before
        return text

    def place(self, var: Var) -> str:
        if var.type.startswith("map<"):
            key = self.pick(KEYS[:3])
            if self.chance(30):
                return f"{var.name}[{self.expression('string', 2)}]"
            return self.pick((f"{var.name}.{key}", f'{var.name}["{key}"]'))
        roll = self.random.randrange(10)
        if roll < 4:
            return f"{var.name}[{var.name}.length]"
        index = self.random.randrange(2) if roll < 9 else self.index(var.name, 1)
        return f"{var.name}[{index}]"

    def if_(self) -> str:
        text = f"if {self.expression('bool', 2)} {self.block()}"
        if self.chance(30):
            text += f" else if {self.expression('bool', 1)} {self.block()}"
        return text + (f" else {self.block()}" if self.chance(50) else "")

    # -- loops ---------------------------------------------------------------------------

    def loop(self) -> str:
        roll = self.random.randrange(100)
        if roll < 15:
            return self.counted_while()
        if roll < 30 and self.vars_of("map<int>"):
            return self.map_loop()
        if roll < 33:
            return self.deep_loop()
        return self.range_loop()

    def counted_while(self) -> str:
        counter = self.unique("turn")
        body = self.inside_loop()
        condition = f"({counter} < {self.random.randrange(1, 4)} && {self.expression('bool', 1)})"
        step = f"{counter} = {counter} + 1;"
        return f"let mut {counter} = 0; while {condition} {{ {step} {body[1:]}"

    def range_loop(self) -> str:
        start = self.pick(("0", "0", "1", "(-2)", "?"))
        if start == "?":
            start = self.expression("int", 1)
        var = self.bind("int", mutable=False, pool=("i", "j", "k_", "n", "range"))
        var.mutable = self.chance(20)
        mut = "mut " if var.mutable else ""
        end = self.range_end()
        dots = self.pick(("..", "..", "..="))
        body = self.inside_loop()
        self.scope.touched.add(var)
        return f"for {mut}{var.name} in {start}{dots}{end} {body}"

    def range_end(self) -> str:
        arrays = [v.name for t in ARRAYS for v in self.vars_of(t)]
        if arrays and self.chance(50):
            return f"{self.pick(arrays)}.length"
        if self.vars_of("int") and self.chance(40):
            return f"math::min(4, {self.pick(self.vars_of('int')).name})"
        return f"({self.expression('int', 2)}) % 5" if self.chance(30) else self.pick("234")

    def map_loop(self) -> str:
        source = self.pick(self.vars_of("map<int>"))
        key, value = Var("key", "string", False), Var("entry", "int", False)
        before = list(self.scope.vars)
        borrowed = set(self.borrowed)
        self.borrowed.add(source)
        self.scope.vars = [*before, key, value]
        body = self.inside_loop()
        self.scope.vars, self.borrowed = before, borrowed
        return f"for (key: string, entry: int) in &{source.name} {body}"

    def inside_loop(self) -> str:
        self.scope.loops += 1
        body = self.block()
        self.scope.loops -= 1
        return body

    def deep_loop(self) -> str:
        """Nested deeper than CPython nests blocks."""
        depth = self.random.randrange(13, 17)
        names = [f"d{number}" for number in range(depth)]
        innermost = self.block(2)
        heads = "".join(f"for {name} in 0..{1 + (name == 'd3')} {{ " for name in names)
        return f"{heads}{innermost[1:-1]}{'}' * depth}"

    # -- closures ------------------------------------------------------------------------

    def closure(self, type_: str) -> str:
        around, self.scope = self.scope, Scope(self.scope)
        loops_around = self.locked
        self.locked = set()
        targets, self.targets = self.targets, []
        param = self.bind(type_[3 : type_.index(")")], mutable=True)
        result = type_.split("-> ")[1]
        if targets:
            inside = " ".join(self.change(var) for var in targets if var in self.scope.visible())
            body = (
                f"if true => {{ {inside} {self.leaf(result)} }} else => {{ {self.leaf(result)} }}"
            )
        elif self.nesting < 3 and self.budget > 0 and self.chance(70):
            inside = self.statements(self.random.randrange(1, 3))
            value = self.expression(result, 1)
            body = f"if true => {{ {inside}{value} }} else => {{ {self.leaf(result)} }}"
        else:
            body = self.expression(result, 1)
        self.locked = loops_around
        self.last_closure = self.finish_body(around)
        return f"|{param.name}| {body}"

    def inner_function(self) -> str:
        """A function that may use the variables around it."""
        name = self.unique("local")
        params, result = self.signature()
        loops, locked = self.scope.loops, self.locked
        self.locked = set()
        later: list[Named] = []
        text = self.body_of(name, params, result, self.scope, later)
        self.locked = locked
        if self.nesting == 0 and loops == 0:
            self.scope.functions += later
        return text


def generate(seed: int) -> str:
    """The program of a seed."""
    return Generator(seed).program()


if __name__ == "__main__":
    print(generate(int(sys.argv[1])))
