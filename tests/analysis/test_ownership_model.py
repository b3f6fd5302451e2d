"""The flow analysis against a model that follows every path of a program on its own.

The model keeps the set of all states in which control may reach each line (language reference 4.2
to 4.4 and 4.7, for one path); the analysis merges them as it goes. Both must find the same.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.analysis.ownership_support import ownership_problems

VARIABLES = ("a", "b", "d")
PRELUDE = 'fn g() -> string { "x" + "y" }\nlet c = 1 < 2;\nlet k = 0;\n'


@dataclass(frozen=True)
class Local:
    """One variable on one path. `kind` is text for string literals, list for collections."""

    kind: str = "unbound"
    moved: bool = False
    taken: frozenset[str] = frozenset()


@dataclass(frozen=True)
class State:
    """One path: its variables, and the pairs of them that share a collection."""

    locals: tuple[Local, ...] = (Local(),) * len(VARIABLES)
    pairs: frozenset[frozenset[str]] = frozenset()

    def get(self, name: str) -> Local:
        return self.locals[VARIABLES.index(name)]

    def put(self, name: str, local: Local) -> State:
        at = VARIABLES.index(name)
        return replace(self, locals=(*self.locals[:at], local, *self.locals[at + 1 :]))

    def alone(self, name: str) -> State:
        return replace(self, pairs=frozenset(pair for pair in self.pairs if name not in pair))

    def partners(self, name: str) -> set[str]:
        return {other for pair in self.pairs if name in pair for other in pair} - {name}


Found = set[tuple[int, str, str]]  # line, variable, code


@dataclass
class Line:
    """One simple statement on one path."""

    number: int
    found: Found

    def error(self, name: str, code: str) -> None:
        self.found.add((self.number, name, code))

    def touch(self, state: State, name: str) -> State:
        local = state.get(name)
        if local.kind == "unbound":
            self.error(name, "E_LOCAL_UNAVAILABLE")
            return state.put(name, Local("other"))
        if local.moved:
            self.error(name, "E_LOCAL_MOVED")
        return state.put(name, replace(local, moved=False))

    def use(self, state: State, name: str) -> State:
        state = self.touch(state, name)
        if state.get(name).taken:
            self.error(name, "E_LOCAL_PARTIALLY_MOVED")
        return state.put(name, replace(state.get(name), taken=frozenset()))

    def assignable(self, state: State, name: str) -> State:
        if state.get(name).kind != "unbound":
            return state
        self.error(name, "E_LOCAL_UNAVAILABLE_ASSIGN")
        return state.put(name, Local("other"))

    # -- statements ----------------------------------------------------------------------

    def let(self, state: State, name: str, value: str) -> State:
        source = value.removeprefix("&").removesuffix(".copy()")
        if source not in VARIABLES:
            kind = {'"': "text", "[": "list"}.get(value[0], "other")
            return state.alone(name).put(name, Local(kind))
        state = self.use(state, source)
        if source == name and not value.endswith(".copy()"):
            return state
        return self._take_over(state, name, source, value)

    def _take_over(self, state: State, name: str, source: str, value: str) -> State:
        kind = state.get(source).kind
        if source != value and kind == "text":
            kind = "other"
        elif kind == "text":
            state = state.put(source, replace(state.get(source), moved=True))
        group = {source, *state.partners(source)} - {name}
        state = state.alone(name).put(name, Local(kind))
        if kind == "list" and not value.endswith(".copy()"):
            pairs = {frozenset((name, other)) for other in group}
            state = replace(state, pairs=state.pairs | pairs)
        return state

    def assign(self, state: State, name: str, value: str) -> State:
        source = value.removeprefix("&").removesuffix(".copy()")
        if source in VARIABLES:
            state = self.use(state, source)
        return self.let(self.assignable(state, name), name, value)

    def print(self, state: State, name: str) -> State:
        return self.use(state, name)

    def take(self, state: State, name: str, key: str) -> State:
        return self._read(state, name, key, takes=True)

    def look(self, state: State, name: str, key: str) -> State:
        return self._read(state, name, key, takes=False)

    def _read(self, state: State, name: str, key: str, takes: bool) -> State:
        state = self.touch(state, name)
        local = state.get(name)
        if local.taken if key == "k" else local.taken & {key, "k"}:
            self.error(name, "E_FIELD_MOVED")
        elif takes:
            state = state.put(name, replace(local, taken=local.taken | {key}))
        return state

    def write(self, state: State, name: str, key: str) -> State:
        state = self.touch(self.assignable(state, name), name)
        if state.partners(name):
            self.error(name, "E_MUTATE_ALIASED_COLLECTION")
            state = state.alone(name)
        local = state.get(name)
        taken: frozenset[str] = frozenset() if key == "k" else local.taken - {key}
        return state.put(name, replace(local, taken=taken))


TEXTS = {
    "let": "let mut {0} = {1};",
    "assign": "{0} = {1};",
    "print": "print({0});",
    "take": "print({0}[{1}]);",
    "look": "print(&{0}[{1}]);",
    "write": "{0}[{1}] = 1;",
}
States = frozenset[State]
NOWHERE: States = frozenset()


@dataclass
class Paths:
    """Runs a program on sets of states and writes its text on the way, one statement a line."""

    lines: list[str] = field(default_factory=PRELUDE.splitlines)
    found: Found = field(default_factory=set)
    leaving: States = NOWHERE
    repeating: States = NOWHERE

    def block(self, body: list[Any], states: States) -> States:
        for statement in body:
            states = self.statement(statement, states)
        return states

    def statement(self, statement: tuple[Any, ...], states: States) -> States:
        name, *operands = statement
        if name in TEXTS:
            self.lines.append(TEXTS[name].format(*operands))
            line = Line(len(self.lines), self.found)
            return frozenset(getattr(line, name)(state, *operands) for state in states)
        return getattr(self, name)(states, *operands)

    def break_(self, states: States) -> States:
        self.lines.append("break;")
        self.leaving |= states
        return NOWHERE

    def continue_(self, states: States) -> States:
        self.lines.append("continue;")
        self.repeating |= states
        return NOWHERE

    def if_(self, states: States, then: list[Any], orelse: list[Any]) -> States:
        self.lines.append("if c {")
        after = self.block(then, states)
        self.lines.append("} else {")
        after |= self.block(orelse, states)
        self.lines.append("}")
        return after

    def while_(self, states: States, body: list[Any]) -> States:
        outer = self.leaving, self.repeating
        begin = len(self.lines)
        while True:
            head = states
            del self.lines[begin:]
            self.lines.append("while c {")
            self.leaving = self.repeating = NOWHERE
            states = head | self.block(body, head) | self.repeating
            self.lines.append("}")
            if states == head:
                break
        after = head | self.leaving
        self.leaving, self.repeating = outer
        return after


NAMES = st.sampled_from(VARIABLES)
KEYS = st.sampled_from(("0", "1", "k"))
BOUND = st.sampled_from(('"x"', "1", "[1]", "g()", *VARIABLES, *VARIABLES, "a.copy()", "&b"))
SIMPLE = st.one_of(
    st.tuples(st.sampled_from(("let", "assign")), NAMES, BOUND),
    st.tuples(st.just("print"), NAMES),
    st.tuples(st.sampled_from(("take", "look", "write")), NAMES, KEYS),
)
EXITS = st.tuples(st.sampled_from(("break_", "continue_")))


def blocks(in_loop: bool, depth: int) -> st.SearchStrategy[list[Any]]:
    """Statements with nested ones; in loops a block may end by leaving it."""
    statement: st.SearchStrategy[Any] = SIMPLE
    if depth:
        inner = blocks(in_loop, depth - 1)
        branches = st.tuples(st.just("if_"), inner, inner)
        loop = st.tuples(st.just("while_"), blocks(True, depth - 1))
        statement = st.one_of(SIMPLE, branches, loop)
    block = st.lists(statement, max_size=4)
    if not in_loop:
        return block
    return st.builds(list.__add__, block, st.lists(EXITS, max_size=1))


PROGRAMS = st.lists(blocks(in_loop=False, depth=3), min_size=1, max_size=3)
# each name must be bound above its first use in the text, if only on some paths
BINDINGS = [("if_", [("let", name, "1") for name in VARIABLES], [])]


def reported(text: str) -> Iterator[tuple[int, str, str]]:
    for problem in ownership_problems(text):
        assert problem.span is not None
        yield problem.span.line, problem.span.text.lstrip("&")[0], problem.code


@settings(max_examples=150)
@given(PROGRAMS, st.sampled_from(('"x"', "1", "[1]")))
def test_analysis_finds_what_paths_find(program: list[list[Any]], first: str) -> None:
    paths = Paths()
    start = [*BINDINGS, ("let", "a", first), ("let", "b", first)]
    paths.block([*start, *chain.from_iterable(program)], frozenset([State()]))
    found = set(reported("\n".join(paths.lines)))
    # the analysis tells of each variable or field once; what it tells is so on some path
    assert found <= paths.found
    assert {name for _, name, _ in found} == {name for _, name, _ in paths.found}
