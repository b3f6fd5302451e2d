"""Statements of random programs."""

from __future__ import annotations

from typing import Final

from tests.oracle.bodies import BUDGET, Bodies
from tests.oracle.context import ARRAYS, CLOSURES, MAPS, SCALARS, Named, Var, element
from tests.oracle.expressions import KEYS

_DATA: Final = (*SCALARS, "int", "[int]", "[int]", "int", *ARRAYS, *MAPS, "map<int>")


class Statements(Bodies):
    """Statements for the current scope."""

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
            self.budget = BUDGET
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
        fixed = [var for var in self.scope.vars if not var.mutable]
        body = self.inside_loop()
        later = [var for var in fixed if var.mutable]  # the condition comes before the `for mut`
        for var in later:
            var.mutable = False
        condition = f"({counter} < {self.random.randrange(1, 4)} && {self.expression('bool', 1)})"
        for var in later:
            var.mutable = True
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
