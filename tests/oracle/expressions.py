"""Random well-typed expressions, many of them with effects on the variables around them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Final, TypeVar

T = TypeVar("T")

SCALARS: Final = ("int", "float", "bool", "string")
ARRAYS: Final = ("[int]", "[[int]]", "[map<int>]", "[string]")
MAPS: Final = ("map<int>", "map<[int]>")
CLOSURE: Final = "fn(int) -> int"
CLOSURES: Final = (CLOSURE, "fn([int]) -> [int]", "fn([int]) -> int")
KEYS: Final = ("a", "b", "k", "in", "x y")
INTS: Final = (0, 1, 2, 3, 5, 7, -1, -2, 10, 100, 1023, 1024, 1025)
BIG: Final = (
    *(2**63 - 1, 2**63 - 2, -(2**63), -(2**63) + 1, 2**62, -(2**62), 2**61, 2**61 + 1),
    *(2**31, 2**40, 2**53 + 1, 3037000500, 9223372036854774784),
)
FLOATS: Final = ("0.0", "1.0", "0.5", "2.5", "3.0", "1024.0", "9007199254740992.0", "0.1")
STRINGS: Final = ('""', '"a"', '"{"', "'q\"'", '"\\n"', '"b}c"', '"é\\\\"')


@dataclass(eq=False)
class Var:
    """A variable; `touches` are the variables that calling its value may change (None: any)."""

    name: str
    type: str
    mutable: bool
    touches: set[Var] | None = field(default_factory=set)


@dataclass(eq=False)
class Named:
    """A declared function."""

    name: str
    params: tuple[str, ...]
    result: str
    touches: set[Var]


@dataclass(eq=False)
class Scope:
    """One body: the variables that have a value here, and every name that it ever binds."""

    outer: Scope | None
    vars: list[Var] = field(default_factory=list)
    names: set[str] = field(default_factory=set)
    functions: list[Named] = field(default_factory=list)
    touched: set[Var] = field(default_factory=set)
    loops: int = 0

    def visible(self) -> list[Var]:
        outer = self.outer.vars if self.outer is not None else []
        return [*self.vars, *(var for var in outer if var.name not in self.names)]


def element(type_: str) -> str:
    """The type of what an array or map holds."""
    return type_[4:-1] if type_.startswith("map<") else type_[1:-1]


def int_text(value: int) -> str:
    return str(value) if value >= 0 else f"(-{-value})"


class Expressions:
    """Expressions for the scope `self.scope`; `locked` variables must not change now."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)
        self.scope = Scope(None)
        self.globals: list[Named] = []
        self.locked: set[Var] = set()
        self.borrowed: set[Var] = set()  # by map loops
        self.budget = 0

    # -- choosing ------------------------------------------------------------------------

    def chance(self, percent: int) -> bool:
        return self.random.randrange(100) < percent

    def pick(self, choices: Sequence[T]) -> T:
        return choices[self.random.randrange(len(choices))]

    def vars_of(self, type_: str) -> list[Var]:
        return [var for var in self.scope.visible() if var.type == type_]

    def changeable(self, *types: str) -> list[Var]:
        fixed = self.locked | self.borrowed
        found = (var for var in self.scope.visible() if var.mutable and var not in fixed)
        return [var for var in found if not types or var.type in types]

    def may_call(self, touches: set[Var] | None) -> bool:
        return not self.locked if touches is None else not (touches & self.locked)

    def touch(self, touches: set[Var] | None) -> None:
        """Note what the body may change, for those who call it."""
        self.scope.touched |= set(self.scope.visible()) if touches is None else touches

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

    def call(self, type_: str, depth: int) -> str | None:
        candidates: list[tuple[str, tuple[str, ...], set[Var] | None]] = []
        for named in [*self.globals, *self.scope.functions]:
            if named.result == type_:
                candidates.append((named.name, named.params, named.touches))
        for var in self.scope.visible():
            if var.type.startswith("fn(") and var.type.endswith(f"-> {type_}"):
                params = (var.type[3 : var.type.index(")")],)
                candidates.append((var.name, params, var.touches))
        candidates = [known for known in candidates if self.may_call(known[2])]
        if not candidates:
            return None
        name, params, touches = self.pick(candidates)
        self.touch(touches)
        return f"{name}({', '.join(self.expression(p, depth - 1) for p in params)})"

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
            return f"({self.expression(holder, depth - 1)})[{self.random.randrange(3)}]"
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
        inner = [self.expression("int", depth - 1) for _ in range(self.random.randrange(2, 4))]
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
        left = self.expression(self.pick(("float", "float", "int")), depth - 1)
        right = self.expression("float", depth - 1)
        return f"(({left}) {self.pick('+-*/%')} {right} + 0.0)"

    def bool_(self, depth: int) -> str:
        roll = self.random.randrange(100)
        if roll < 30:
            left, right = (self.expression("bool", depth - 1) for _ in range(2))
            return f"({left} {self.pick(('&&', '||', '==', '!='))} {right})"
        if roll < 40:
            return f"(!{self.expression('bool', depth - 1)})"
        if roll < 65:
            types = [self.pick(("int", "float", "int")) for _ in range(2)]
            left, right = (self.expression(type_, depth - 1) for type_ in types)
            return f"({left} {self.pick(('<', '<=', '>', '>=', '==', '!='))} {right})"
        if roll < 72:
            return f"({self.expression('int', depth - 1)} % 2 == 0)"
        if roll < 80:
            container = self.expression("map<int>", depth - 1)
            return f"({container}).has({self.expression('string', depth - 1)})"
        type_ = self.pick((*ARRAYS, *MAPS, "string"))
        left, right = (self.expression(type_, depth - 1) for _ in range(2))
        return f"({left} {self.pick(('==', '!='))} {right})"

    def string(self, depth: int) -> str:
        parts = [self.expression(self.pick(("string", "int", "string")), depth - 1)]
        parts.append(self.expression("string", depth - 1))
        if self.chance(50):
            parts.insert(0, self.expression("int", depth - 1))
        if self.chance(50):
            parts.append(self.expression(self.pick(("int", "float", "string")), depth - 1))
        parts.insert(self.random.randrange(len(parts)), self.pick(STRINGS))
        return f"({' + '.join(parts)})"

    def array(self, type_: str, depth: int) -> str:
        roll = self.random.randrange(100)
        if roll < 50:
            count = self.random.randrange(1, 4)
            items = (self.expression(element(type_), depth - 1) for _ in range(count))
            return f"[{', '.join(items)}]"
        if roll < 75:
            left, right = (self.expression(type_, depth - 1) for _ in range(2))
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
        entries: list[str] = []
        for _ in range(self.random.randrange(1, 4)):
            key = self.pick(("a", "b", "k", '"in"', "?"))
            if key == "?":
                key = f"[{self.expression('string', depth - 2)}]"
            entries.append(f"{key}: {self.expression(element(type_), depth - 1)}")
        return f"{{{', '.join(entries)}}}"
