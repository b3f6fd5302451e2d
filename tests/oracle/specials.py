"""Statements of fixed shapes with random parts, for rules that random statements seldom meet."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from tests.oracle.context import CLOSURE, int_text
from tests.oracle.expressions import BIG, Expressions

_CHAIN: Final = 45  # more operands than one Python expression gets


class Specials(Expressions):
    """Names are new in each, so that they disturb nothing around them."""

    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        self.counter = 0

    def unique(self, prefix: str) -> str:
        self.counter += 1
        return f"{prefix}{self.counter}"

    def near(self) -> str:
        """An int for the body of a closure made here: what is further out is out of its reach."""
        known = [var.name for var in self.scope.vars if var.type == "int"]
        return self.pick(known) if known and self.chance(70) else self.fresh("int")

    def special(self) -> str:
        shapes: tuple[Callable[[], str], ...] = (
            *(self.counting, self.float_range, self.recursion, self.optional, self.closure_list),
            *(self.factory, self.typed_keys, self.rows, self.groups, self.chain, self.nest),
            *(self.call_through, self.borrowed_loop_variable, self.guarded, self.struct_like),
            *(self.moving_end, self.rebound_closure, self.early_call),
        )
        return self.pick(shapes)()

    def counting(self) -> str:
        """Sums around the ends of 64 bits, where wrapping may have been left out."""
        total, turn = self.unique("total"), self.unique("turn")
        step = self.pick(("1", turn, "1024", "1025", "(-1)", f"{turn} * {self.leaf('int')}"))
        start = int_text(self.pick(BIG))
        change = self.pick((f"{total} = {total} {self.pick('+-')} {step};", f"{total} += {step};"))
        use = self.pick((f"{total} * 2", f"{total} + {total}", f"-{total}", f"{total} - 7"))
        return (
            f"let mut {total} = {start}; for {turn} in 0..{self.pick('345')} {{ {change}"
            f" println({use}); }} {total}; println({total} / 2 + {total} % 3);"
        )

    def float_range(self) -> str:
        at = self.unique("at")
        start, end = self.pick((("0.5", "3.0"), ("0", "2.5"), ("(-1.0)", "2.0"), ("0.0", "0.0")))
        end = end if self.chance(60) else f"({end} + {self.leaf('float')} * 0.0)"
        return f"for {at} in {start}{self.pick(('..', '..='))}{end} {{ println({at}); }} {at};"

    def recursion(self) -> str:
        name, count = self.unique("again"), self.pick(("q", "n", "depth"))
        step = f"let r: int = {name}({count} - 1); r {self.pick('+*-')} {self.near()}"
        body = f"if {count} < 1 => {{ {self.near()} }} else => {{ {step} }}"
        return f"let {name}: {CLOSURE} = |{count}| {body}; println({name}({self.pick('0135')}));"

    def optional(self) -> str:
        maps = self.vars_of("map<int>")
        if not maps:
            return self.counting()
        name = self.unique("maybe")
        source = f"{self.pick(maps).name}?.{self.pick('abk')}"
        return (
            f"let {name}: int? = {source};"
            f" if {name} != null {{ println({name} + {self.leaf('int')}); }}"
            f" println({name}.unwrap_or({self.expression('int', 2)}));"
            f" println(match {name} {{ Some(v) => v - 1, _ => {self.leaf('int')} }});"
        )

    def closure_list(self) -> str:
        """Closures made in a loop: each has the variable of its turn, or all share it."""
        made, turn, one = (self.unique(prefix) for prefix in ("made", "turn", "one"))
        seen = self.pick((turn, f"&{turn}"))
        return (
            f"let mut {made}: [{CLOSURE}] = []; for {turn} in 0..3 {{"
            f" {made}[{made}.length] = |q| q + {seen} * {self.near()}; }}"
            f" let {one}: {CLOSURE} = {made}[1].copy(); println({one}({self.leaf('int')}));"
        )

    def factory(self) -> str:
        """Functions that return closures; each call has cells of its own."""
        make, a, b = (self.unique(prefix) for prefix in ("make", "first", "second"))
        state = self.pick(
            (
                "let mut s: int = base; |d| if true => { s = s + d; s } else => { 0 }",
                "let mut s: [int] = [base]; |d| if true => { s[s.length] = d; s[0] } else => { 0 }",
                "let s: [int] = [base, 2]; |d| s[0] + d",
                "|d| if true => { base = base + d; base } else => { 0 }",
            )
        )
        start, other = self.leaf("int"), self.leaf("int")
        return (
            f"fn {make}(base: int) -> {CLOSURE} {{ {state} }}"
            f" let {a}: {CLOSURE} = {make}({start}); let {b}: {CLOSURE} = {make}({other});"
            f" println({a}(1)); println({b}(2)); println({a}(3) - {a}(4));"
        )

    def typed_keys(self) -> str:
        keys = self.unique("keys")
        reads = " ".join(
            f"println({keys}[{self.pick(('1', '1.0', 'true', '0.0'))}]);" for _ in "ab"
        )
        return (
            f'let mut {keys}: map<string> = {{[1]: "i", [1.0]: "f", [true]: "b", "1": "s"}};'
            f' {keys}[-0.0] = "zero"; println({keys}.length); {reads} {keys};'
        )

    def rows(self) -> str:
        """A row taken out, changed, put back, and changed again."""
        grids = self.changeable("[[int]]")
        if not grids:
            return self.typed_keys()
        row, grid = self.unique("row"), self.pick(grids)
        self.scope.touched.add(grid)
        taken = self.pick((f"&{grid.name}[0]", f"{grid.name}[0].copy()", f"{grid.name}[0]"))
        value = self.expression("int", 1)
        if grid not in self.changeable():
            return f"{value};"
        return (
            f"if {grid.name}.length > 0 {{ let mut {row}: [int] = {taken};"
            f" {row}[{row}.length] = {value}; println({grid.name});"
            f" {grid.name}[0] = {row}; {row}[0] = 5; println({grid.name}); println({row}); }}"
        )

    def groups(self) -> str:
        """The values of a map loop, changed in a copy."""
        groups, mine = self.unique("groups"), self.unique("mine")
        return (
            f"let {groups}: map<[int]> = {self.fresh('map<[int]>')};"
            f" for (key: string, items_: [int]) in &{groups} {{ let mut {mine}: [int] = items_;"
            f" {mine}[{mine}.length] = {self.leaf('int')}; println(key); println({mine});"
            f" println(items_); }} println({groups});"
        )

    def chain(self) -> str:
        """A long chain of operators."""
        type_ = self.pick(("int", "string", "int"))
        operators = "+" if type_ == "string" else self.pick(("+-", "*+", "+"))
        parts = [self.leaf(type_)]
        for number in range(_CHAIN):
            part = self.expression(type_, 1) if number % 15 == 7 else self.leaf(type_)
            parts.append(f"{self.pick(operators)} {part}")
        return f"println({' '.join(parts)});"

    def nest(self) -> str:
        """A deep nest of parentheses."""
        inner = self.expression("int", 1)
        for _ in range(_CHAIN):
            inner = f"({self.leaf('int')} {self.pick('+-*')} ({inner}))"
        return f"println({inner});"

    def call_through(self) -> str:
        """A function without captures that calls one with captures."""
        up, through, state = (self.unique(prefix) for prefix in ("up", "through", "state"))
        return (
            (
                f"let mut {state}: int = {self.leaf('int')};"
                f" fn {up}(d: int) -> int {{ {state} = {state} + d; {state} }}"
                f" fn {through}(d: int) -> int {{ {up}(d) + {up}(1) }}"
                f" println({through}({self.leaf('int')}) + {state});"
            )
            if self.scope.outer is None and self.scope.loops == 0
            else self.nest()
        )

    def early_call(self) -> str:
        """A function with captures, called before control reaches its declaration."""
        if self.scope.outer is not None or self.scope.loops or self.chance(80):
            return self.chain()
        name, state = self.unique("late"), self.unique("state")
        return f"let {state} = 1; println({name}()); fn {name}() -> int {{ {state} }}"

    def borrowed_loop_variable(self) -> str:
        at, see = self.unique("at"), self.unique("see")
        return (
            f"let mut {see}: {CLOSURE} = |q| q; for {at} in 0..3 {{"
            f" if {at} == 1 {{ {see} = |q| q + {self.pick(('', '&'))}{at}; }} }}"
            f" println({see}({self.leaf('int')})); {at};"
        )

    def guarded(self) -> str:
        """Short circuits around effects."""
        hit = self.unique("hit")
        mark = f"(if true => {{ {hit} = {hit} + 1; {self.leaf('bool')} }} else => {{ false }})"
        operators = [self.pick(("&&", "||")) for _ in "ab"]
        test = f"{self.leaf('bool')} {operators[0]} {mark}"
        return (
            f"let mut {hit} = 0; if ({test}) {operators[1]} {mark} {{ println({hit}); }}"
            f" while {hit} < 3 && {mark} {{ println({hit}); }} {hit};"
        )

    def struct_like(self) -> str:
        """A map with fields of several types, copied and changed."""
        one, two = self.unique("one"), self.unique("two")
        return (
            f"let mut {one} = {{n: {self.leaf('int')}, s: {self.leaf('string')},"
            f" a: {self.leaf('[int]')}}}; let mut {two} = {one}; {one}.n = {self.leaf('int')};"
            f" {two}.a = {self.leaf('[int]')}; println({one}); println({two}); {one}; {two};"
        )

    def moving_end(self) -> str:
        """The end of a range is evaluated before every turn."""
        end, at = self.unique("end"), self.unique("at")
        change = self.pick((f"{end} = {end} - 1;", f"if {at} == 1 {{ {end} = 4; }}", ""))
        bound = self.pick(
            (end, f"{end} + 0", f"(if true => {{ println({end}); {end} }} else => {{ 0 }})")
        )
        leave = self.pick((f"if {at} == 2 {{ continue; }}", f"if {at} == 2 {{ break; }}", ""))
        return (
            f"let mut {end} = 3; for {at} in 0..{bound} {{ {leave} println({at}); {change} }}"
            f" {at}; {end};"
        )

    def rebound_closure(self) -> str:
        name, base = self.unique("turns"), self.unique("base")
        return (
            f"let mut {base} = {self.leaf('int')}; let mut {name}: {CLOSURE} = |q| q + {base};"
            f" {base} = {base} + 1; println({name}(1)); {name} = |q| q - {base};"
            f" {base} = {base} + 1; println({name}({name}(1)));"
        )
