"""Random well-typed expressions, many of which change the variables that they use."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from tests.oracle.context import ARRAYS, MAPS, Context, Var, element, int_text

KEYS: Final = ("a", "b", "k", "in", "x y")
INTS: Final = (0, 1, 2, 3, 5, 7, -1, -2, 10, 100, 1023, 1024, 1025)
BIG: Final = (
    *(2**63 - 1, 2**63 - 2, -(2**63), -(2**63) + 1, 2**62, -(2**62), 2**61, 2**61 + 1),
    *(2**31, 2**40, 2**53 + 1, 3037000500, 9223372036854774784),
)
FLOATS: Final = ("0.0", "1.0", "0.5", "2.5", "3.0", "1024.0", "9007199254740992.0", "0.1")
STRINGS: Final = ('""', '"a"', '"{"', "'q\"'", '"\\n"', '"b}c"', '"é\\\\"')


class Expressions(Context):
    """Expressions for the current scope."""

    # -- any type ------------------------------------------------------------------------

    def expression(self, type_: str, depth: int = 3) -> str:
        self.budget -= 1
        if depth <= 0 or self.budget < 0:
            return self.leaf(type_)
        roll = self.random.randrange(100)
        if roll < 20:
            return self.leaf(type_)
        if roll < 30:
            return self.conditional(type_, depth)
        if roll < 35:
            return self.match(type_, depth)
        if roll < 50:
            called = self.call(type_, depth)
            if called is not None:
                return called
        if roll < 60:
            read = self.element_of(type_, depth)
            if read is not None:
                return read
        return self.compound(type_, depth)

    def leaf(self, type_: str) -> str:
        known = self.vars_of(type_)
        if known and self.chance(75):
            return self.pick(known).name
        return self.fresh(type_)

    def fresh(self, type_: str) -> str:
        match type_:
            case "int":
                return int_text(self.pick(BIG) if self.chance(15) else self.pick(INTS))
            case "float":
                return self.pick(FLOATS)
            case "bool":
                return self.pick(("true", "false"))
            case "string":
                return self.pick(STRINGS)
            case _ if type_.startswith("["):
                return f"[{', '.join(self.leaf(element(type_)) for _ in range(3))}]"
            case _ if type_.startswith("map<"):
                keys = ("a", "b", "k")[: self.random.randrange(1, 4)]
                return f"{{{', '.join(f'{k}: {self.leaf(element(type_))}' for k in keys)}}}"
            case _:
                return self.closure(type_)

    def closure(self, type_: str) -> str:
        raise NotImplementedError

    def statements(self, count: int) -> str:
        raise NotImplementedError

    def conditional(self, type_: str, depth: int) -> str:
        condition = self.expression("bool", depth - 2)
        then, orelse = (self.value_block(type_, depth - 1) for _ in range(2))
        return f"(if {condition} => {then} else => {orelse})"

    def value_block(self, type_: str, depth: int) -> str:
        """A branch; its statements may change anything that is not locked."""
        with_statements = self.chance(50)
        vars_before = list(self.scope.vars)
        inside = self.statements(self.random.randrange(1, 3)) if with_statements else ""
        value = self.expression(type_, depth - 1)
        self.scope.vars = vars_before
        return f"{{ {inside}{value} }}"

    def match(self, type_: str, depth: int) -> str:
        arms: list[str] = []
        if self.chance(30) and self.vars_of("map<int>"):
            return self.match_optional(type_, depth)
        of = self.pick(("int", "string"))
        subject = self.expression(of, depth - 1)
        patterns = ("0", "1", "3", "1024") if of == "int" else ('"a"', '""', '"b}c"')
        for pattern in patterns[: self.random.randrange(1, 4)]:
            arms.append(f"{pattern} => {self.expression(type_, depth - 2)}")
        arms.append(f"_ => {self.expression(type_, depth - 2)}")
        return f"(match {subject} {{ {', '.join(arms)} }})"

    def match_optional(self, type_: str, depth: int) -> str:
        subject = f'{self.pick(self.vars_of("map<int>")).name}?.{self.pick(("a", "b", "k"))}'
        bound = Var(self.pick(("v", "found", "subject", "x_")), "int", False)
        vars_before, names_before = list(self.scope.vars), set(self.scope.names)
        self.scope.vars = [*(v for v in vars_before if v.name != bound.name), bound]
        self.scope.names = names_before | {bound.name}
        some = self.expression(type_, min(depth - 2, 1))
        self.scope.vars, self.scope.names = vars_before, names_before
        return f"(match {subject} {{ Some({bound.name}) => {some}, _ => {self.leaf(type_)} }})"

    def callables(self, type_: str) -> list[tuple[str, tuple[str, ...], set[Var] | None]]:
        """Name, parameters and changed variables of what gives a value of a type when called."""
        found: list[tuple[str, tuple[str, ...], set[Var] | None]] = []
        for named in [*self.globals, *self.scope.functions]:
            if named.result == type_:
                found.append((named.name, named.params, named.touches))
        for var in self.scope.visible():
            if var.type.startswith("fn(") and var.type.endswith(f"-> {type_}"):
                found.append((var.name, (var.type[3 : var.type.index(")")],), var.touches))
        return [known for known in found if self.may_call(known[2])]

    def call(self, type_: str, depth: int) -> str | None:
        candidates = self.callables(type_)
        if not candidates:
            return None
        name, params, touches = self.pick(candidates)
        self.touch(touches)
        return f"{name}({', '.join(self.series(params, depth - 1))})"

    def element_of(self, type_: str, depth: int) -> str | None:
        """Read an element of a container that is visible, or of one that is made here."""
        holders = [t for t in (*ARRAYS, *MAPS) if element(t) == type_]
        if not holders:
            return None
        holder = self.pick(holders)
        names = [var.name for var in self.vars_of(holder)]
        if holder.startswith("map<"):
            if names and self.chance(70):
                key = self.pick(("?.a", '?.["b"]', '?.["x" + "y"]', "?.k"))
                default = self.expression(type_, depth - 2)
                return f"({self.pick(names)}{key}).unwrap_or({default})"
            return f"({self.expression(holder, depth - 1)}).a"
        if not names or self.chance(40):
            container, index = self.series([holder, "int"], depth - 1)
            return f"({container})[({index}) * 0 + {self.random.randrange(3)}]"
        name = self.pick(names)
        if self.chance(20):
            return f"{name}[{self.index(name, depth)}]"
        small = self.random.randrange(3)
        return (
            f"(if {name}.length > {small} => {{ {name}[{small}] }}"
            f" else => {{ {self.leaf(type_)} }})"
        )

    def index(self, name: str, depth: int) -> str:
        roll = self.random.randrange(10)
        if roll < 4:
            return str(self.random.randrange(3))
        if roll < 6:
            return f"{name}.length - {self.random.randrange(1, 3)}"
        if roll < 8:
            return f"{self.expression('int', depth - 2)} % 3"
        return self.expression("int", depth - 2)

    # -- operands ------------------------------------------------------------------------

    def series(self, types: Sequence[str], depth: int) -> list[str]:
        """Operands; often a later one changes the variable that an earlier one is."""
        if len(types) > 1 and self.chance(35):
            number = self.random.randrange(len(types) - 1)
            known = self.changeable(types[number])
            if known:
                return self.clash(self.pick(known), number, types, depth)
        return [self.expression(type_, depth) for type_ in types]

    def clash(self, var: Var, number: int, types: Sequence[str], depth: int) -> list[str]:
        later = self.random.randrange(number + 1, len(types))
        operands: list[str] = []
        for at, type_ in enumerate(types):
            if at == number:
                operands.append(var.name)
            elif at == later:
                operands.append(self.changing(var, type_))
            else:
                operands.append(self.expression(type_, min(depth, 1)))
        return operands

    def changing(self, var: Var, type_: str) -> str:
        """An expression that changes a variable, if that is still possible."""
        if var not in self.changeable():
            return self.leaf(type_)
        callers = [c for c in self.callables(type_) if c[2] is None or var in c[2]]
        if callers and self.chance(50):
            name, params, touches = self.pick(callers)
            self.touch(touches)
            return f"{name}({', '.join(self.leaf(param) for param in params)})"
        change = self.change(var)
        then, orelse = self.leaf(type_), self.leaf(type_)
        branch = f"if true => {{ {change} {then} }} else => {{ {orelse} }}"
        if self.chance(70):
            return f"({branch})"
        return f"(match 1 {{ 1 => {branch}, _ => {self.leaf(type_)} }})"

    def change(self, var: Var) -> str:
        """A statement that changes a variable and nothing else."""
        self.scope.touched.add(var)
        if var.type in ARRAYS and self.chance(75):
            index = self.pick(("0", "0", "1", f"{var.name}.length"))
            return f"{var.name}[{index}] = {self.leaf(element(var.type))};"
        if var.type in MAPS and self.chance(75):
            return f"{var.name}.{self.pick(('a', 'b', 'c'))} = {self.leaf(element(var.type))};"
        if var.type == "int" and self.chance(50):
            return f"{var.name} += {self.leaf('int')};"
        return f"{var.name} = {self.fresh(var.type)};"

    # -- by type -------------------------------------------------------------------------

    def compound(self, type_: str, depth: int) -> str:
        maker: dict[str, Callable[[int], str]] = {
            "int": self.int_,
            "float": self.float_,
            "bool": self.bool_,
            "string": self.string,
        }
        if type_ in maker:
            return maker[type_](depth)
        if type_.startswith("["):
            return self.array(type_, depth)
        return self.map(type_, depth) if type_.startswith("map<") else self.leaf(type_)

    def int_(self, depth: int) -> str:
        roll = self.random.randrange(100)
        if roll >= 80:
            holder = self.pick((*ARRAYS, *MAPS, "string"))
            return f"({self.expression(holder, depth - 1)}).length"
        inner = self.series(["int"] * self.random.randrange(2, 4), depth - 1)
        if roll < 55:
            operators = [self.pick(("+", "-", "*", "+")) for _ in inner[1:]]
            rest = (f" {op} {value}" for op, value in zip(operators, inner[1:], strict=True))
            return f"({inner[0]}{''.join(rest)})"
        if roll < 70:
            divisor = self.pick(("2", "3", "(-1)", "7", "(-2)"))
            return f"(({' + '.join(inner)}) {self.pick('/%')} {divisor})"
        if roll < 75:
            return f"({inner[0]} % (-({' + '.join(inner[1:])} + 1)))"
        if roll < 80:
            return f"math::{self.pick(('min', 'max'))}({inner[0]}, {' - '.join(inner[1:])})"
        return f"(-{'*'.join(inner)})"

    def float_(self, depth: int) -> str:
        if self.chance(10):
            return f"(-{self.expression('float', depth - 1)})"
        left, right = self.series([self.pick(("float", "float", "int")), "float"], depth - 1)
        return f"(({left}) {self.pick('+-*/%')} {right} + 0.0)"

    def bool_(self, depth: int) -> str:
        roll = self.random.randrange(100)
        if roll < 30:
            left, right = self.series(["bool", "bool"], depth - 1)
            return f"({left} {self.pick(('&&', '||', '==', '!='))} {right})"
        if roll < 40:
            return f"(!{self.expression('bool', depth - 1)})"
        if roll < 65:
            types = [self.pick(("int", "float", "int")) for _ in range(2)]
            left, right = self.series(types, depth - 1)
            return f"({left} {self.pick(('<', '<=', '>', '>=', '==', '!='))} {right})"
        if roll < 72:
            return f"({self.expression('int', depth - 1)} % 2 == 0)"
        if roll < 80:
            container, key = self.series(["map<int>", "string"], depth - 1)
            return f"({container}).has({key})"
        type_ = self.pick((*ARRAYS, *MAPS, "string"))
        left, right = self.series([type_, type_], depth - 1)
        return f"({left} {self.pick(('==', '!='))} {right})"

    def string(self, depth: int) -> str:
        types = [self.pick(("string", "int", "string")), "string"]
        if self.chance(50):
            types.insert(0, "int")
        if self.chance(50):
            types.append(self.pick(("int", "float", "string")))
        parts = self.series(types, depth - 1)
        parts.insert(self.random.randrange(len(parts)), self.pick(STRINGS))
        return f"({' + '.join(parts)})"

    def array(self, type_: str, depth: int) -> str:
        roll = self.random.randrange(100)
        if roll < 50:
            count = self.random.randrange(1, 4)
            items = self.series([element(type_)] * count, depth - 1)
            return f"[{', '.join(items)}]"
        if roll < 75:
            left, right = self.series([type_, type_], depth - 1)
            return f"({left} + {right})"
        if roll < 85:
            container = self.expression(type_, depth - 1)
            return f"({container})[{self.bound('0', '1')}:{self.bound('2', '(-1)')}]"
        return f"({self.expression(type_, depth - 1)}).copy()"

    def bound(self, *constants: str) -> str:
        choice = self.pick(("", *constants, "?"))
        return self.expression("int", 1) if choice == "?" else choice

    def map(self, type_: str, depth: int) -> str:
        if self.chance(20):
            return f"({self.expression(type_, depth - 1)}).copy()"
        keys = [self.pick(("a", "b", "k", '"in"', "?")) for _ in range(3)]
        types = [t for key in keys for t in (["string"] if key == "?" else []) + [element(type_)]]
        values = iter(self.series(types, depth - 1))
        entries: list[str] = []
        for key in keys:
            shown = f"[{next(values)}]" if key == "?" else key
            entries.append(f"{shown}: {next(values)}")
        return f"{{{', '.join(entries)}}}"
