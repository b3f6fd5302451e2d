"""What conditions say about int variables where they are read.

One walk over each body, in order of evaluation, keeps what holds on the way: `while i < n`, `if n %
2 == 0`, the bounds of range loops, and copies (`let j = i`). A fact ends where one of its variables
is bound again; variables that closures share have none. Nothing is iterated: a loop keeps the facts
about variables that it does not bind.

With intervals known (`ranges`), a second walk follows variables that only go down or only go up,
and finds the stores `a[i] = v` that cannot be out of bounds.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

from flintc.analysis.intervals import MIRRORED, NEGATED, Comparison
from flintc.analysis.parts import body_parts, flat_operands, parts
from flintc.analysis.symbols import Resolution, Typing, Variable
from flintc.analysis.types import INT, is_array
from flintc.analysis.usage import Usage
from flintc.source import Span
from flintc.syntax import nodes

if TYPE_CHECKING:
    from flintc.analysis.ranges import Ranges

_MOST_FACTS: Final = 8  # of one variable; the oldest is forgotten
_MOST_STEPS: Final = 3  # of a proof `i < n`, `n <= a.length`
_MOST_LOOPS: Final = 4  # around something that is worth counting
_UP: Final = ("<", "<=")
_DOWN: Final = (">", ">=")

Bounds: TypeAlias = tuple[tuple[Comparison, nodes.Node | int], ...]


@dataclass(frozen=True, slots=True)
class Fact:
    """`variable comparison bound`; `other` is the variable that bound is, or is the length of.

    The numbers are those of the changes to the variables, and of the loops around, at that time.
    """

    comparison: Comparison | Literal["%"]  # `%`: a multiple of the bound
    bound: nodes.Node | int
    other: Variable | None
    of_length: bool
    ups: int
    downs: int
    other_ups: int
    other_downs: int
    loops: int


@dataclass(slots=True)
class Guards:
    """The outcome. `bounds`: what holds of the variable that a name reads; `differences`: the least
    value of `a - b` where a condition compared the two; `exact`: divisions without remainder;
    `in_bounds`: stores that replace an item; `loops`: those around what a file's top level assigns.
    """

    bounds: dict[nodes.Node, Bounds] = field(default_factory=dict)
    differences: dict[nodes.Node, int] = field(default_factory=dict)
    exact: set[nodes.Node] = field(default_factory=set)
    in_bounds: set[nodes.Node] = field(default_factory=set)
    loops: dict[nodes.Node, tuple[nodes.Node, ...]] = field(default_factory=dict)


def find_guards(
    resolution: Resolution, typing: Typing, usage: Usage, ranges: Ranges | None = None
) -> Guards:
    guards = Guards()
    changes = _Changes(usage, ranges)
    for owner in resolution.scopes if ranges is None else _bodies_with_stores(resolution, usage):
        walker = _Walker(resolution, typing, usage, ranges, guards, changes)
        walker.runs_once = isinstance(owner, nodes.Program)
        for part in parts(owner):
            walker.visit(part)
    return guards


def _bodies_with_stores(resolution: Resolution, usage: Usage) -> list[nodes.Node]:
    """The bodies that a second walk can find something in."""
    owners = {
        variable.scope.owner: None
        for variable, uses in usage.of_variable.items()
        if uses.mutations and is_array(variable.type)
    }
    return [*owners]


class _Changes:
    """Where variables may go up or down."""

    def __init__(self, usage: Usage, ranges: Ranges | None) -> None:
        self.usage = usage
        self.ranges = ranges
        self._starts: dict[tuple[Variable, bool], list[int]] = {}

    def of(self, variable: Variable, binding: nodes.Node) -> tuple[bool, bool]:
        """Whether a binding may raise, and whether it may lower, the variable."""
        step = self.ranges.step(variable, binding) if self.ranges is not None else None
        return (True, True) if step is None else (step.high > 0, step.low < 0)

    def any_inside(self, variable: Variable, span: Span, up: bool) -> bool:
        starts = self._starts.get((variable, up))
        if starts is None:
            bindings = self.usage.of(variable).bindings
            found = (b.span.start for b in bindings if self.of(variable, b)[0 if up else 1])
            starts = self._starts[variable, up] = sorted(found)
        number = bisect_left(starts, span.start)
        return number < len(starts) and starts[number] < span.end


class _Walker:
    """The walk over one body."""

    def __init__(
        self,
        resolution: Resolution,
        typing: Typing,
        usage: Usage,
        ranges: Ranges | None,
        guards: Guards,
        changes: _Changes,
    ) -> None:
        self.variables = resolution.variables
        self.typing = typing
        self.usage = usage
        self.ranges = ranges
        self.guards = guards
        self.changes = changes
        self.facts: dict[Variable, tuple[Fact, ...]] = {}
        self.ups: dict[Variable, int] = {}
        self.downs: dict[Variable, int] = {}
        self.loops: list[nodes.Node] = []
        self.trail: list[tuple[Variable, tuple[Fact, ...]]] = []
        self.bound_count = 0
        self.runs_once = False

    def visit(self, node: nodes.Node) -> None:
        handler = _HANDLERS.get(type(node))
        if handler is not None:
            handler(self, node)
            return
        for part in parts(node):
            self.visit(part)

    # -- facts ---------------------------------------------------------------------------

    def forget_from(self, mark: int) -> None:
        """Leave a branch: facts found since then are forgotten, changes of variables are not."""
        while len(self.trail) > mark:
            variable, facts = self.trail.pop()
            self.facts[variable] = facts

    def in_branch(self, node: nodes.Node, condition: nodes.Node | None, holds: bool) -> None:
        """Visit what runs only where a condition holds, or does not."""
        mark = len(self.trail)
        if condition is not None:
            self.assume(condition, holds)
        self.visit(node)
        self.forget_from(mark)

    def variable(self, node: nodes.Node) -> Variable | None:
        """The int variable that a name reads, unless closures share it."""
        while type(node) is nodes.Copy:
            node = node.value
        variable = self.variables.get(node) if type(node) is nodes.Name else None
        return variable if variable is not None and self.is_followed(variable) else None

    def is_followed(self, variable: Variable) -> bool:
        return variable.type is INT and not self.usage.of(variable).shared

    def add(self, variable: Variable, fact: Fact) -> None:
        old = self.facts.get(variable, ())
        self.trail.append((variable, old))
        self.facts[variable] = (*old[-_MOST_FACTS + 1 :], fact)

    def learn(
        self,
        variable: Variable,
        comparison: Comparison | Literal["%"],
        bound: nodes.Node | int,
        other: Variable | None = None,
        of_length: bool = False,
    ) -> None:
        self.add(
            variable,
            Fact(
                comparison,
                bound,
                other,
                of_length,
                self.ups.get(variable, 0),
                self.downs.get(variable, 0),
                0 if other is None else self.ups.get(other, 0),
                0 if other is None else self.downs.get(other, 0),
                len(self.loops),
            ),
        )

    def holding(self, variable: Variable) -> Iterator[Fact]:
        """The facts about a variable that still hold, the numeric part of them."""
        for fact in self.facts.get(variable, ()):
            up, down = fact.comparison not in _DOWN, fact.comparison not in _UP
            if up and (
                fact.ups != self.ups.get(variable, 0) or self.changes_since(variable, fact, True)
            ):
                continue
            if down and (
                fact.downs != self.downs.get(variable, 0)
                or self.changes_since(variable, fact, False)
            ):
                continue
            yield fact

    def changes_since(self, variable: Variable, fact: Fact, up: bool) -> bool:
        """Whether a loop entered since the fact was found may change the variable in that
        direction, in an earlier round.
        """
        if fact.loops == len(self.loops):
            return False
        return self.changes.any_inside(variable, self.loops[fact.loops].span, up)

    def other_holds(self, fact: Fact) -> bool:
        """Whether the fact is still about the same value of the other variable, or a further one.
        A length only grows while its variable holds the same array.
        """
        other = fact.other
        if other is None:
            return False
        up = fact.comparison not in _UP or fact.of_length
        down = fact.comparison not in _DOWN or fact.of_length
        if up and (
            fact.other_ups != self.ups.get(other, 0) or self.changes_since(other, fact, True)
        ):
            return False
        return not (
            down
            and (
                fact.other_downs != self.downs.get(other, 0)
                or self.changes_since(other, fact, False)
            )
        )

    def assume(self, condition: nodes.Node, holds: bool) -> None:
        match condition:
            case nodes.Operation(operators=operators, operands=operands) if operators[0] in (
                "&&",
                "||",
            ):
                if holds is (operators[0] == "&&"):
                    for operand in operands:
                        self.assume(operand, holds)
            case nodes.Operation(operators=(operator,), operands=(left, right)) if (
                operator in MIRRORED
            ):
                self.compare(left, MIRRORED[MIRRORED[operator]], right, holds)
            case nodes.Unary(operator="!", operand=operand):
                self.assume(operand, not holds)

    def compare(
        self, left: nodes.Node, comparison: Comparison, right: nodes.Node, holds: bool
    ) -> None:
        if self.typing.of(left) is not INT or self.typing.of(right) is not INT:
            return
        comparison = comparison if holds else NEGATED[comparison]
        self.learn_of(left, comparison, right)
        self.learn_of(right, MIRRORED[comparison], left)
        if comparison == "==" and _is_zero(right):
            self.learn_multiple(left)

    def learn_of(self, node: nodes.Node, comparison: Comparison, bound: nodes.Node) -> None:
        variable = self.variable(node)
        if variable is None:
            return
        if isinstance(bound, nodes.Length):
            container = self.container(bound.value)
            self.learn(variable, comparison, bound, container, of_length=True)
        elif _is_simple(bound):
            self.learn(variable, comparison, bound, self.variable(bound))

    def learn_multiple(self, node: nodes.Node) -> None:
        """`v % 2`, which has been found to be zero."""
        if isinstance(node, nodes.Operation) and node.operators == ("%",):
            variable, divisor = self.variable(node.operands[0]), node.operands[1]
            if variable is not None and isinstance(divisor, nodes.IntLiteral):
                self.learn(variable, "%", divisor.value)

    def container(self, node: nodes.Node) -> Variable | None:
        """The array variable that a name reads, unless closures share it."""
        variable = self.variables.get(node) if type(node) is nodes.Name else None
        return variable if variable is not None and self.is_followed_array(variable) else None

    def is_followed_array(self, variable: Variable) -> bool:
        return is_array(variable.type) and not self.usage.of(variable).shared

    # -- reads ---------------------------------------------------------------------------

    def name(self, node: nodes.Name) -> None:
        variable = self.variable(node)
        if variable is None or not self.facts.get(variable):
            return
        bounds = tuple(
            (fact.comparison, fact.bound)
            for fact in self.holding(variable)
            if fact.comparison != "%"
        )
        if bounds:
            self.guards.bounds[node] = bounds

    def operation(self, node: nodes.Operation) -> None:
        if node.operators[0] in ("&&", "||"):
            self.logical(node)
            return
        for operand in node.operands:
            self.visit(operand)
        if node.operators == ("-",):
            self.difference(node)
        elif node.operators == ("/",):
            self.quotient(node)

    def logical(self, node: nodes.Operation) -> None:
        mark = len(self.trail)
        *earlier, last = flat_operands(node)
        for operand in earlier:
            if self.condition(operand):
                self.assume(operand, node.operators[0] == "&&")
        self.visit(last)
        self.forget_from(mark)

    def condition(self, node: nodes.Node) -> bool:
        """Visit a condition; whether it changes no variable, so that what it says holds after."""
        mark = self.bound_count
        self.visit(node)
        return self.bound_count == mark

    def difference(self, node: nodes.Operation) -> None:
        left, right = map(self.variable, node.operands)
        if left is None or right is None:
            return
        for fact in self.holding(left):
            same = fact.other is right and not fact.of_length
            if same and fact.comparison in (">", ">=", "==") and self.other_holds(fact):
                least = int(fact.comparison == ">")
                self.guards.differences[node] = max(least, self.guards.differences.get(node, 0))

    def quotient(self, node: nodes.Operation) -> None:
        variable, divisor = self.variable(node.operands[0]), node.operands[1]
        if variable is None or not isinstance(divisor, nodes.IntLiteral) or divisor.value < 1:
            return
        for fact in self.holding(variable):
            known = fact.bound if fact.comparison == "%" else None
            if isinstance(known, int) and known % divisor.value == 0:
                self.guards.exact.add(node)

    # -- bindings ------------------------------------------------------------------------

    def bind(self, node: nodes.Node, value: nodes.Node | None = None) -> None:
        variable = self.variables.get(node)
        if variable is None:
            return
        self.bound_count += 1
        source = self.variable(value) if value is not None else None
        known = list(self.holding(source)) if source is not None else []
        known = [fact if self.other_holds(fact) else replace(fact, other=None) for fact in known]
        up, down = self.changes.of(variable, node)
        if up:
            self.ups[variable] = self.ups.get(variable, 0) + 1
        if down:
            self.downs[variable] = self.downs.get(variable, 0) + 1
        if source is not None and source is not variable and self.is_followed(variable):
            self.copy(variable, source, known, value)
        if isinstance(value, nodes.ArrayLiteral) and self.is_followed_array(variable):
            self.learn(variable, ">=", len(value.items))

    def copy(
        self, variable: Variable, source: Variable, known: list[Fact], value: nodes.Node | None
    ) -> None:
        """`let j = i`: what holds of i holds of j."""
        for fact in known[-_MOST_FACTS + 2 :]:
            if fact.other is not variable:
                self.learn(variable, fact.comparison, fact.bound, fact.other, fact.of_length)
        if value is not None:
            self.learn(variable, "<=", value, source)
            self.learn(variable, ">=", value, source)

    def note_loops(self, node: nodes.Node) -> None:
        if self.runs_once and len(self.loops) <= _MOST_LOOPS:
            self.guards.loops[node] = tuple(self.loops)

    def let(self, node: nodes.Let | nodes.Assign) -> None:
        self.note_loops(node.value)
        self.visit(node.value)
        self.bind(node, node.value)

    def add_assign(self, node: nodes.AddAssign) -> None:
        self.note_loops(node)
        self.visit(node.value)
        self.bind(node)

    def pattern(self, node: nodes.BindPattern) -> None:
        self.bind(node)

    def store(self, node: nodes.IndexAssign) -> None:
        self.visit(node.index)
        mark = self.bound_count
        self.visit(node.value)
        container = self.variables.get(node)
        if self.ranges is None or container is None or not self.is_followed_array(container):
            return
        if self.bound_count > mark or not self.ranges.is_non_negative(node.index):
            return
        variable = self.variable(node.index)
        below = self.ranges.of(node.index).high < self.least_length(container)
        if variable is not None and not below:
            below = self.is_below_length(variable, container, True, _MOST_STEPS)
        if below:
            self.guards.in_bounds.add(node)

    def least_length(self, container: Variable) -> int:
        """What an array literal says; arrays do not shrink."""
        found = (fact for fact in self.holding(container) if isinstance(fact.bound, int))
        return max((fact.bound for fact in found if isinstance(fact.bound, int)), default=0)

    def is_below_length(
        self, variable: Variable, container: Variable, strict: bool, steps: int
    ) -> bool:
        """Whether facts prove `variable < container.length` (`<=` unless strict)."""
        for fact in self.holding(variable):
            if fact.other is None or fact.comparison not in _UP or not self.other_holds(fact):
                continue
            rest = strict and fact.comparison != "<"
            if fact.of_length:
                proved = fact.other is container and not rest
            else:
                proved = steps > 0 and self.is_below_length(fact.other, container, rest, steps - 1)
            if proved:
                return True
        return False

    # -- control flow --------------------------------------------------------------------

    def if_(self, node: nodes.If | nodes.IfExpr) -> None:
        condition = node.condition if self.condition(node.condition) else None
        self.in_branch(node.then, condition, True)
        if node.orelse is not None:
            self.in_branch(node.orelse, condition, False)
        elif condition is not None and isinstance(node.then, nodes.Block) and _ends(node.then):
            self.assume(condition, False)

    def match(self, node: nodes.Match) -> None:
        self.visit(node.scrutinee)
        for arm in node.arms:
            self.in_branch(arm, None, True)

    def enter(self, loop: nodes.Node) -> int:
        self.loops.append(loop)
        return len(self.trail)

    def leave(self, mark: int) -> None:
        self.forget_from(mark)
        self.loops.pop()

    def while_(self, node: nodes.While) -> None:
        mark = self.enter(node)
        if self.condition(node.condition):
            self.assume(node.condition, True)
        self.visit(node.body)
        self.leave(mark)

    def for_map(self, node: nodes.ForMap) -> None:
        mark = self.enter(node)
        self.bind(node.key)
        self.bind(node.value)
        self.visit(node.body)
        self.leave(mark)

    def for_range(self, node: nodes.ForRange) -> None:
        self.visit(node.start)
        mark = self.enter(node)
        self.bind(node)
        variable = self.variables.get(node)
        self.visit(node.end)
        if variable is not None and self.is_followed(variable):
            self.learn_bounds(variable, node)
        self.visit(node.body)
        self.leave(mark)
        self.bind(node)
        self.learn_filled(node)

    def learn_bounds(self, variable: Variable, node: nodes.ForRange) -> None:
        comparison: Comparison = "<=" if node.inclusive else "<"
        if isinstance(node.end, nodes.Length):
            container = self.container(node.end.value)
            self.learn(variable, comparison, node.end, container, of_length=True)
        elif _is_simple(node.end):
            self.learn(variable, comparison, node.end, self.variable(node.end))
        if _is_simple(node.start) and not self.usage.of(variable).is_bound_inside(node.body.span):
            start = self.variable(node.start)
            steady = start is not None and not self._changes_inside(start, node)
            self.learn(variable, ">=", node.start, start if steady else None)

    def learn_filled(self, node: nodes.ForRange) -> None:
        """After `for i in 0..n { a[a.length] = …; }` the array has at least n items."""
        filled = list(self._appends(node.body))
        if not filled or not _is_zero(node.start) or self._moves_itself(node):
            return
        limit = self.variable(node.end)
        if _leaves(node.body) or (limit is not None and self._changes_inside(limit, node)):
            return
        for statement, array in filled:
            if self._changes_inside(array, node):
                continue
            if limit is not None:
                self.learn(limit, "<=", statement.index, array, of_length=True)
            elif isinstance(node.end, nodes.IntLiteral):
                self.learn(array, ">=", node.end.value)

    def _appends(self, body: nodes.Block) -> Iterator[tuple[nodes.IndexAssign, Variable]]:
        """The statements `a[a.length] = …` directly in a block, with their arrays."""
        for node in body.statements:
            if isinstance(node, nodes.IndexAssign) and isinstance(node.index, nodes.Length):
                array = self.container(node.index.value)
                if array is not None and array is self.variables.get(node):
                    yield node, array

    def _changes_inside(self, variable: Variable, loop: nodes.ForRange) -> bool:
        return self.usage.of(variable).is_bound_inside(loop.span)

    def _moves_itself(self, loop: nodes.ForRange) -> bool:
        variable = self.variables.get(loop)
        return variable is None or self.usage.of(variable).is_bound_inside(loop.body.span)

    def body(self, node: nodes.Node) -> None:
        """Functions and closures are bodies of their own."""


_HANDLERS: Final[dict[type[nodes.Node], Callable[[_Walker, Any], None]]] = {
    nodes.Name: _Walker.name,
    nodes.Operation: _Walker.operation,
    nodes.Let: _Walker.let,
    nodes.Assign: _Walker.let,
    nodes.AddAssign: _Walker.add_assign,
    nodes.BindPattern: _Walker.pattern,
    nodes.IndexAssign: _Walker.store,
    nodes.If: _Walker.if_,
    nodes.IfExpr: _Walker.if_,
    nodes.Match: _Walker.match,
    nodes.While: _Walker.while_,
    nodes.ForRange: _Walker.for_range,
    nodes.ForMap: _Walker.for_map,
    nodes.Function: _Walker.body,
    nodes.Closure: _Walker.body,
}


def _is_zero(node: nodes.Node) -> bool:
    return isinstance(node, nodes.IntLiteral) and node.value == 0


def _is_simple(node: nodes.Node) -> bool:
    """Bounds are evaluated at every read of what they bound, so they are small."""
    match node:
        case nodes.IntLiteral() | nodes.Name():
            return True
        case nodes.Length() | nodes.Copy() | nodes.Unary(operator="-"):
            return _is_simple(parts(node)[0])
        case nodes.Operation(operands=operands):
            return len(operands) == 2 and all(
                isinstance(operand, (nodes.IntLiteral, nodes.Name)) for operand in operands
            )
        case _:
            return False


def _ends(block: nodes.Block) -> bool:
    """Whether control never runs past the block."""
    return bool(block.statements) and isinstance(
        block.statements[-1], (nodes.Break, nodes.Continue)
    )


def _leaves(block: nodes.Block) -> bool:
    """Whether some round may not run the whole block."""
    return any(isinstance(part, (nodes.Break, nodes.Continue)) for part in body_parts(block))
