"""What may happen to variables after a point of a body, before they are bound anew.

A set of variables (a bit mask) flows backward through one body in the order of evaluation, from the
nodes that add to it. Every node is visited twice at most, loops included.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet

from flintc.analysis.parts import parts
from flintc.analysis.symbols import Resolution, Variable
from flintc.syntax import nodes

_Loop = nodes.While | nodes.ForRange | nodes.ForMap


def after(
    resolution: Resolution,
    owner: nodes.Node,
    bits: Mapping[Variable, int],
    events: Mapping[nodes.Node, int],
    watched: AbstractSet[nodes.Node],
) -> dict[nodes.Node, int]:
    """For each watched node of a body the variables to which an event may happen after it.

    `events` are the variables of each node at which something happens to them.
    """
    flow = _Flow(resolution, bits, events, watched)
    flow.body(owner)
    return flow.found


class _Flow:
    def __init__(
        self,
        resolution: Resolution,
        bits: Mapping[Variable, int],
        events: Mapping[nodes.Node, int],
        watched: AbstractSet[nodes.Node],
    ) -> None:
        self.resolution = resolution
        self.bits = bits
        self.events = events
        self.watched = watched
        self.found: dict[nodes.Node, int] = {}
        self.exposed: dict[nodes.Node, int] = {}  # what a loop adds to what comes before it
        self.is_first_visit = False  # of what a loop is made of, to find what it adds
        self.on_break = 0
        self.on_continue = 0

    def body(self, owner: nodes.Node) -> None:
        if isinstance(owner, nodes.Program):
            self.block(owner.statements, 0)
        else:
            for part in parts(owner):
                self.value(part, 0)

    # -- statements ----------------------------------------------------------------------

    def block(self, statements: Sequence[nodes.Node], later: int) -> int:
        for statement in reversed(statements):
            later = self.statement(statement, later)
        return later

    def statement(self, node: nodes.Node, later: int) -> int:
        if isinstance(node, nodes.Break):
            return self.on_break
        if isinstance(node, nodes.Continue):
            return self.on_continue
        if isinstance(node, nodes.Function):
            return later
        if isinstance(node, nodes.Block):
            return self.block(node.statements, later)
        if isinstance(node, nodes.If):
            then = self.statement(node.then, later)
            orelse = later if node.orelse is None else self.statement(node.orelse, later)
            return self.value(node.condition, then | orelse)
        if isinstance(node, (nodes.While, nodes.ForRange, nodes.ForMap)):
            return self.loop(node, later)
        if isinstance(node, (nodes.Let, nodes.Assign, nodes.AddAssign)):
            variable = self.resolution.variables.get(node)
            later &= ~(self.bits.get(variable, 0) if variable is not None else 0)
        return self.operands(node, later)

    def loop(self, node: _Loop, later: int) -> int:
        exposed = self.exposed.get(node)
        if exposed is None:
            outer, self.is_first_visit = self.is_first_visit, True
            exposed = self.exposed[node] = self.turn(node, 0, 0)
            self.is_first_visit = outer
        head = later | exposed
        if not self.is_first_visit:
            self.turn(node, head, later)
        return self.value(node.start, head) if isinstance(node, nodes.ForRange) else head

    def turn(self, node: _Loop, head: int, later: int) -> int:
        """Before one turn, which is followed by another (`head`) or by what comes `later`."""
        outer = self.on_break, self.on_continue
        self.on_break, self.on_continue = later, head
        before = self.block(node.body.statements, head) | later
        self.on_break, self.on_continue = outer
        if isinstance(node, nodes.While):
            return self.value(node.condition, before)
        if isinstance(node, nodes.ForRange):
            return self.value(node.end, before)
        return before | self.events.get(node, 0)

    # -- expressions ---------------------------------------------------------------------

    def value(self, node: nodes.Node, later: int) -> int:
        """Before the evaluation of an expression."""
        if node in self.watched:
            self.found[node] = self.found.get(node, 0) | later
        if isinstance(node, nodes.ValueBlock):
            return self.block(node.statements, self.value(node.value, later))
        if isinstance(node, nodes.IfExpr):
            then, orelse = self.value(node.then, later), self.value(node.orelse, later)
            return self.value(node.condition, then | orelse)
        if isinstance(node, nodes.Match):
            chosen = later
            for arm in node.arms:
                chosen |= self.value(arm.body, later)
            return self.value(node.scrutinee, chosen)
        if isinstance(node, nodes.UnwrapOr):
            return self.value(node.value, later | self.value(node.default, later))
        if isinstance(node, nodes.Operation) and node.operators[0] in ("&&", "||"):
            before = later
            for operand in reversed(node.operands):
                before = later | self.value(operand, before)
            return before
        if isinstance(node, (nodes.Function, nodes.Closure)):
            return later
        return self.operands(node, later)

    def operands(self, node: nodes.Node, later: int) -> int:
        """Parts that are evaluated one after the other, before the event of their whole."""
        later |= self.events.get(node, 0)
        for part in reversed(parts(node)):
            later = self.value(part, later)
        return later
