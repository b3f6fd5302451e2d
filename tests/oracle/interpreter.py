"""A direct interpreter of RustScript, written from language reference 5 and naive on purpose.

It shares the parser and the resolution of names with the compiler and nothing else: no inferred
types, no decisions about copies, ranges or loops, and not the run-time library.
"""

from __future__ import annotations

from collections.abc import Iterator

from flintc.analysis.symbols import BuiltinTarget, HostTarget, Resolution, Variable
from flintc.syntax import nodes
from tests.oracle import values
from tests.oracle.evaluation import Evaluator
from tests.oracle.state import Break, Continue, Frame, Function, Outcome, OutOfSteps
from tests.oracle.values import Fault, Unsupported, Value


def interpret(resolution: Resolution, max_steps: int = 200_000) -> Outcome:
    """Run a program of one module. `OutOfSteps` or `Unsupported` where there is no answer."""
    machine = Machine(resolution, max_steps)
    error = None
    try:
        machine.run()
    except Fault as fault:
        error = str(fault)
    except RecursionError:
        raise OutOfSteps from None
    return Outcome("".join(machine.output), [values.typed(v) for v in machine.results], error)


class Machine(Evaluator):
    """Statements and loops."""

    def run(self) -> None:
        self.bind_hosts()
        for statement in self.resolution.root.program.statements:
            self.execute(statement, self.top)

    def bind_hosts(self) -> None:
        """A host function that nobody registers stops the program before it starts (8.6)."""
        targets = self.resolution.targets.values()
        unbound = {t.name for t in targets if isinstance(t, HostTarget) and t.function is None}
        functions = self.resolution.functions.values()
        unbound |= {f.name for f in functions if f.node.body is None} - {"print", "println"}
        if len(unbound) > 1:
            raise Unsupported("which of several host functions is found missing")
        for name in unbound:
            raise Fault(f"unbound host import '{name}'")

    # -- statements ----------------------------------------------------------------------

    def execute(self, node: nodes.Node, frame: Frame) -> None:
        self.tick()
        match node:
            case nodes.Let() | nodes.Assign():
                self.bind(node, frame)
            case nodes.AddAssign():
                cell = frame.cell(self.variable(node))
                before = cell.value
                cell.value = values.add(before, self.evaluate(node.value, frame))
            case nodes.MemberAssign():
                value = self.evaluate(node.value, frame)
                self.update(node, node.member.name, value, frame)
            case nodes.IndexAssign():
                key = self.evaluate(node.index, frame)
                self.update(node, key, self.evaluate(node.value, frame), frame)
            case nodes.ExprStatement():
                self.expression_statement(node, frame)
            case nodes.Block():
                self.block(node, frame)
            case nodes.If():
                self.choose(node, frame)
            case nodes.While() | nodes.ForRange() | nodes.ForMap():
                self.loop(node, frame)
            case nodes.Break():
                raise Break
            case nodes.Continue():
                raise Continue
            case nodes.Function():
                self.declare(node, frame)
            case nodes.Use() | nodes.Struct():
                pass
            case _:
                raise Unsupported(type(node).__name__)

    def bind(self, node: nodes.Let | nodes.Assign, frame: Frame) -> None:
        value = self.evaluate(node.value, frame)
        variable = self.variable(node)
        frame.cell(variable).value = value
        if isinstance(node, nodes.Let) and isinstance(node.value, nodes.Closure):
            self.tie(value, variable, node.value)

    def tie(self, closure: Function, variable: Variable, node: nodes.Closure) -> None:
        """A closure may call itself by the name that `let` binds to it (2.13)."""
        own = closure.cells.get(variable)
        if own is not None and not node.span.text.startswith("||"):
            own.value = closure

    def update(self, node: nodes.Node, key: Value, value: Value, frame: Frame) -> None:
        cell = frame.cell(self.variable(node))
        cell.value = values.updated(cell.value, key, value)

    def expression_statement(self, node: nodes.ExprStatement, frame: Frame) -> None:
        value = self.evaluate(node.value, frame)
        call = node.value
        target = self.resolution.targets.get(call) if isinstance(call, nodes.Call) else None
        leaves_nothing = isinstance(target, BuiltinTarget) and target.name == "assert"
        if frame is self.top and not leaves_nothing:
            self.results.append(value)

    def block(self, node: nodes.Block, frame: Frame) -> None:
        for statement in node.statements:
            self.execute(statement, frame)

    def choose(self, node: nodes.If, frame: Frame) -> None:
        if values.truth(self.evaluate(node.condition, frame)):
            self.block(node.then, frame)
        elif node.orelse is not None:
            self.execute(node.orelse, frame)

    def declare(self, node: nodes.Function, frame: Frame) -> None:
        symbol = self.resolution.functions[node]
        if symbol.scope is not None and symbol.scope.captures:
            frame.functions[symbol] = self.function(symbol, frame)

    # -- loops (2.3) ---------------------------------------------------------------------

    def loop(self, node: nodes.While | nodes.ForRange | nodes.ForMap, frame: Frame) -> None:
        for _ in self.turns(node, frame):
            self.tick()
            try:
                self.block(node.body, frame)
            except Break:
                return
            except Continue:
                continue

    def turns(
        self, node: nodes.While | nodes.ForRange | nodes.ForMap, frame: Frame
    ) -> Iterator[None]:
        match node:
            case nodes.While():
                return self.while_turns(node, frame)
            case nodes.ForRange():
                return self.range_turns(node, frame)
            case nodes.ForMap():
                return self.map_turns(node, frame)

    def while_turns(self, node: nodes.While, frame: Frame) -> Iterator[None]:
        while values.truth(self.evaluate(node.condition, frame)):
            yield

    def range_turns(self, node: nodes.ForRange, frame: Frame) -> Iterator[None]:
        cell = frame.cell(self.variable(node))
        cell.value = self.evaluate(node.start, frame)
        compare = values.BINARY["<=" if node.inclusive else "<"]
        while True:
            current = cell.value
            if not compare(current, self.evaluate(node.end, frame)):
                return
            yield
            cell.value = values.add(cell.value, 1)

    def map_turns(self, node: nodes.ForMap, frame: Frame) -> Iterator[None]:
        source = frame.cell(self.variable(node)).value
        if not isinstance(source, values.Map):
            raise values.mismatch("map")
        entries = list(source.entries.values())
        if any(type(key) is not str for key, _ in entries):
            raise Fault("host error: borrowed map iteration requires string keys")
        for key, value in entries:
            frame.cell(self.variable(node.key)).value = key
            frame.cell(self.variable(node.value)).value = value
            yield
