"""Functions and closures of random programs: parameters, bodies, what they change outside."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from tests.oracle.context import CLOSURE, CLOSURES, Named, Scope, Var
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
BUDGET: Final = 14  # nodes of one statement's expressions


class Bodies(Specials):
    """`targets` is what the next closure has to change."""

    last_closure: set[Var] | None = None

    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        self.targets: list[Var] = []
        self.nesting = 0

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
        self.budget = BUDGET // 2
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

    def widen(self, var: Var, value: str) -> None:
        """A variable of a callable may do whatever any of its values does."""
        if value.startswith("|") and var.touches is not None and self.last_closure is not None:
            var.touches |= self.last_closure
        else:
            var.touches = None

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
