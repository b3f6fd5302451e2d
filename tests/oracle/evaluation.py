"""The oracle's expressions and calls."""

from __future__ import annotations

from typing import Any

from flintc.analysis.symbols import (
    BuiltinTarget,
    Capture,
    FunctionSymbol,
    FunctionTarget,
    NamespaceTarget,
    Resolution,
    Scope,
    Variable,
    VariableTarget,
)
from flintc.analysis.types import NULL, UNKNOWN, Optional, TypeParameter
from flintc.syntax import nodes
from tests.oracle import builtin, values
from tests.oracle.state import Cell, Frame, Function, OutOfSteps
from tests.oracle.values import Fault, Unsupported, Value

CALL_LIMIT = 1024
MAX_LENGTH = 1 << 12
"""Of texts and arrays that operators make; what doubles in a loop would fill the memory."""


class Evaluator:
    """`steps` is how many more nodes may be evaluated."""

    def __init__(self, resolution: Resolution, max_steps: int) -> None:
        self.resolution = resolution
        self.steps = max_steps
        self.depth = 0
        self.output: list[str] = []
        self.results: list[Value] = []
        self.top = Frame(resolution.root.top, None)

    def tick(self) -> None:
        self.steps -= 1
        if self.steps < 0:
            raise OutOfSteps

    def variable(self, node: nodes.Node) -> Variable:
        return self.resolution.variables[node]

    def execute(self, node: nodes.Node, frame: Frame) -> None:
        raise NotImplementedError

    def evaluate(self, node: nodes.Node, frame: Frame) -> Value:
        self.tick()
        match node:
            case (
                nodes.IntLiteral()
                | nodes.FloatLiteral()
                | nodes.StringLiteral()
                | nodes.BytesLiteral()
                | nodes.BoolLiteral()
            ):
                return node.value
            case nodes.NullLiteral():
                return None
            case nodes.Name():
                return self.name(node, frame)
            case nodes.Call():
                return self.call(node, frame)
            case nodes.Operation():
                return self.operation(node, frame)
            case nodes.Unary():
                return self.unary(node, frame)
            case nodes.Copy():
                return self.evaluate(node.value, frame)
            case nodes.ValueBlock():
                for statement in node.statements:
                    self.execute(statement, frame)
                return self.evaluate(node.value, frame)
            case nodes.IfExpr():
                chosen = values.truth(self.evaluate(node.condition, frame))
                return self.evaluate(node.then if chosen else node.orelse, frame)
            case nodes.Match():
                return self.match(node, frame)
            case nodes.Closure():
                params = [self.variable(param) for param in node.params]
                scope = self.resolution.scopes[node]
                return Function(scope, params, node.body, self.captured(scope, frame), frame)
            case _:
                return self.container(node, frame)

    def container(self, node: nodes.Node, frame: Frame) -> Value:
        match node:
            case nodes.ArrayLiteral():
                return tuple([self.evaluate(item, frame) for item in node.items])
            case nodes.MapLiteral():
                return self.map_literal(node, frame)
            case nodes.Member():
                container = self.evaluate(node.container, frame)
                read = values.optional_item if node.optional else values.item
                return read(container, node.name.name)
            case nodes.Index():
                container = self.evaluate(node.container, frame)
                read = values.optional_item if node.optional else values.item
                return read(container, self.evaluate(node.key, frame))
            case nodes.Slice():
                container = self.evaluate(node.container, frame)
                bounds = (node.start, node.end)
                start, end = (b and self.evaluate(b, frame) for b in bounds)
                return values.sliced(container, start, end)
            case nodes.UnwrapOr():
                found = self.evaluate(node.value, frame)
                return found if found is not None else self.evaluate(node.default, frame)
            case nodes.Length():
                return values.length(self.evaluate(node.value, frame))
            case nodes.Has():
                container = self.evaluate(node.value, frame)
                return values.has(container, self.evaluate(node.key, frame))
            case nodes.Keys():
                return values.keys(self.evaluate(node.value, frame))
            case _:
                raise Unsupported(type(node).__name__)

    def map_literal(self, node: nodes.MapLiteral, frame: Frame) -> Value:
        result = values.Map({})
        for entry in node.entries:
            key = self.evaluate(entry.key, frame)
            result = result.with_entry(key, self.evaluate(entry.value, frame))
        return result

    def name(self, node: nodes.Name, frame: Frame) -> Value:
        variable = self.resolution.variables.get(node)
        if variable is not None:
            return frame.cell(variable).value
        target = self.resolution.targets.get(node)
        if isinstance(target, FunctionTarget):
            return self.declared(target.function, frame)
        raise Unsupported(f"the value `{node.name}`")

    def operation(self, node: nodes.Operation, frame: Frame) -> Value:
        result = self.evaluate(node.operands[0], frame)
        for operator, operand in zip(node.operators, node.operands[1:], strict=True):
            if operator in ("&&", "||"):
                if values.truth(result) is (operator == "||"):
                    continue
                result = values.truth(self.evaluate(operand, frame))
            else:
                result = values.BINARY[operator](result, self.evaluate(operand, frame))
        if isinstance(result, str | tuple) and len(result) > MAX_LENGTH:
            raise OutOfSteps
        return result

    def unary(self, node: nodes.Unary, frame: Frame) -> Value:
        value = self.evaluate(node.operand, frame)
        if node.operator == "-":
            return values.negate(value)
        return not values.truth(value) if node.operator == "!" else value

    def match(self, node: nodes.Match, frame: Frame) -> Value:
        value = self.evaluate(node.scrutinee, frame)
        for arm in node.arms:
            if self.fits(arm.pattern, value):
                if isinstance(arm.pattern, nodes.BindPattern):
                    frame.cell(self.variable(arm.pattern)).value = value
                return self.evaluate(arm.body, frame)
        raise Unsupported("a match without a wildcard")

    def fits(self, pattern: nodes.Pattern, value: Value) -> bool:
        match pattern:
            case nodes.LiteralPattern(value=literal):
                return values.equal(value, literal.value)
            case nodes.NullPattern():
                return value is None
            case nodes.BindPattern():
                return value is not None
            case nodes.TypePattern(kind=kind):
                name = values.type_name(value)
                return name == kind or (kind == "number" and name in ("int", "float"))
            case _:
                return True

    # -- calls (5.8) ---------------------------------------------------------------------

    def call(self, node: nodes.Call, frame: Frame) -> Value:
        match self.resolution.targets.get(node):
            case VariableTarget(variable):
                callee = frame.cell(variable).value
            case FunctionTarget(function):
                callee = self.declared(function, frame)
            case BuiltinTarget(name):
                return builtin.call(name, self.arguments(node, frame), self.output)
            case NamespaceTarget(namespace, name, _):
                return builtin.member(namespace, name, self.arguments(node, frame))
            case _:
                raise Unsupported("a host call")
        return self.apply(callee, self.arguments(node, frame))

    def arguments(self, node: nodes.Call, frame: Frame) -> list[Value]:
        return [self.evaluate(argument, frame) for argument in node.args]

    def declared(self, symbol: FunctionSymbol, frame: Frame) -> Value:
        """A declared function; one with captures has to be reached first. One without belongs to
        the call of the function around it, if it is named there, and sees what exists in it.
        """
        at: Frame | None = frame
        while at is not None:
            if symbol in at.functions:
                return at.functions[symbol]
            if at.scope is symbol.enclosing and not _has_captures(symbol):
                break
            at = at.outer
        if _has_captures(symbol):
            return None
        home = at or self.top
        return home.functions.setdefault(symbol, self.function(symbol, home))

    def function(self, symbol: FunctionSymbol, frame: Frame) -> Function:
        if symbol.scope is None or symbol.node.body is None:
            raise Unsupported("a host function")
        cells = self.captured(symbol.scope, frame)
        return Function(symbol.scope, symbol.params, symbol.node.body, cells, frame)

    def captured(self, scope: Scope, frame: Frame) -> dict[Variable, Cell]:
        """The cells of a new closure: shared with the frame, or its own with the value of now."""
        return {
            variable: (
                frame.cell(variable) if mode is Capture.SHARED else Cell(frame.cell(variable).value)
            )
            for variable, mode in scope.captures.items()
        }

    def apply(self, callee: Value, arguments: list[Any]) -> Value:
        if not isinstance(callee, Function):
            raise Fault("callvalue operand is not callable")
        if len(arguments) != len(callee.params):
            raise Unsupported("a call with another number of arguments")
        if any(map(_is_refused, callee.params, arguments)):
            raise Fault("type mismatch: expected callable argument schema")
        if self.depth >= CALL_LIMIT:
            raise Fault(f"script call stack limit {CALL_LIMIT} exceeded")
        frame = Frame(callee.scope, callee.home, dict(callee.cells))
        for variable, argument in zip(callee.params, arguments, strict=True):
            frame.cells[variable] = Cell(argument)
        self.depth += 1
        try:
            return self.evaluate(callee.body, frame)
        finally:
            self.depth -= 1


def _has_captures(symbol: FunctionSymbol) -> bool:
    return symbol.scope is not None and bool(symbol.scope.captures)


def _is_refused(parameter: Variable, argument: Value) -> bool:
    """Whether a parameter's declared type does not admit null (5.8)."""
    declared = parameter.declared
    if argument is not None or declared in (None, NULL, UNKNOWN):
        return False
    return not isinstance(declared, (Optional, TypeParameter))
