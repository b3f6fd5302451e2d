"""Types of expressions in the order of the text, and what is wrong with them.

Language reference 3.3, 3.4, 3.6, 3.8 to 3.11. Where the reference knows too little of a value to
allow something that is right (its listed quirks), this checker allows it.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Final

from flintc.analysis import check_values as v
from flintc.analysis.check_containers import ContainerChecker
from flintc.analysis.check_state import Slot
from flintc.analysis.check_values import Kind, Value
from flintc.analysis.refinement import refinement
from flintc.analysis.symbols import Variable
from flintc.analysis.types import (
    BOOL,
    BYTES,
    FLOAT,
    INT,
    NULL,
    STRING,
    UNKNOWN,
    Array,
    Map,
    Object,
    Tuple,
    Type,
)
from flintc.analysis.types import Callable as CallableType
from flintc.syntax import nodes

_LONG: Final = 64  # items of an array literal from which on its type is kept short
_ARITHMETIC: Final = ("-", "*", "/", "%")


class ExpressionChecker(ContainerChecker):
    """Checks expressions against the `State` of variables at their place."""

    @abstractmethod
    def statements(self, statements: tuple[nodes.Statement, ...]) -> None: ...

    @abstractmethod
    def call(self, node: nodes.Call) -> Value: ...

    @abstractmethod
    def function_value(self, node: nodes.Name) -> Value: ...

    def value(self, node: nodes.Expr | nodes.ValueBlock) -> Value:
        handler = _EXPRESSIONS.get(type(node))
        return v.UNKNOWN_VALUE if handler is None else handler(self, node)

    # -- names and literals --------------------------------------------------------------

    def name(self, node: nodes.Name) -> Value:
        variable = self.resolution.variables.get(node)
        return self.function_value(node) if variable is None else self.state.get(variable)

    def array_literal(self, node: nodes.ArrayLiteral) -> Value:
        items = [self.value(item) for item in node.items]
        schemas = tuple(v.schema_of(item) for item in items)
        kind = v.container_kind("array", [item.read for item in items])
        if not items or (len(items) > _LONG and len(set(schemas)) == 1):
            return Value(kind, Array(schemas[0] if items else UNKNOWN))
        return Value(kind, Tuple(schemas))

    def map_literal(self, node: nodes.MapLiteral) -> Value:
        fields: dict[str, Type] = {}
        values: list[Value] = []
        keyed = True
        for entry in node.entries:
            self.value(entry.key)
            values.append(self.value(entry.value))
            if isinstance(entry.key, nodes.StringLiteral):
                fields[entry.key.value] = v.schema_of(values[-1])
            else:
                keyed = False
        kind = v.container_kind("map", [value.read for value in values])
        if keyed:
            return Value(kind, Object(tuple(fields.items())))
        return Value(kind, Map(v.schema_of(values[-1])))

    def closure(self, node: nodes.Closure) -> Value:
        params = (UNKNOWN,) * len(node.params)
        return Value(v.CALLABLE_KIND, CallableType(params, UNKNOWN), closure=node)

    # -- operators -----------------------------------------------------------------------

    def operation(self, node: nodes.Operation) -> Value:
        operands = [self.value(operand) for operand in node.operands]
        for at, operand in enumerate(operands):
            if operand.optional and not _compares_null(node, at):
                self.report.optional("an operation", node.operands[at].span)
        kind = operands[0].read
        for operator, operand in zip(node.operators, operands[1:], strict=True):
            kind = _apply(operator, kind, operand.read)
        return v.operator_result(kind)

    def unary(self, node: nodes.Unary) -> Value:
        if node.operator in ("&", "&mut"):
            return self.value(node.operand)
        operand = self.plain(node.operand, "an operation")
        if node.operator == "!":
            return v.operator_result(v.BOOL_KIND)
        known = operand.read.name in v.NUMERIC
        return v.operator_result(operand.read if known else v.ANY)

    # -- blocks and branches -------------------------------------------------------------

    def value_block(self, node: nodes.ValueBlock) -> Value:
        self.statements(node.statements)
        return self.value(node.value)

    def if_expr(self, node: nodes.IfExpr) -> Value:
        self.value(node.condition)
        ends: list[dict[Variable, Slot]] = []
        with self.state.branch(ends), self.refined_by(node.condition):
            then = self.value(node.then)
        with self.state.branch(ends):
            orelse = self.value(node.orelse)
        self.state.meet(ends)
        return self._branches([(then, node.then), (orelse, node.orelse)], "the branches")

    def match(self, node: nodes.Match) -> Value:
        scrutinee = self.value(node.scrutinee)
        ends: list[dict[Variable, Slot]] = []
        results: list[tuple[Value, nodes.Node]] = []
        for arm in node.arms:
            with self.state.branch(ends):
                self._pattern(arm.pattern, scrutinee)
                results.append((self.value(arm.body), arm.body))
        self.state.meet(ends)
        return self._branches(results, "the arms")

    def _pattern(self, pattern: nodes.Pattern, scrutinee: Value) -> None:
        is_none = isinstance(pattern, nodes.NullPattern) and pattern.is_none
        if isinstance(pattern, nodes.BindPattern):
            variable = self.resolution.variables[pattern]
            self.state.put(variable, Slot(scrutinee.plain()))
        elif not is_none:
            return
        if not scrutinee.optional and scrutinee.kind not in (v.ANY, v.NULL_KIND):
            title = "`Some(…)` and `None` only match optional values"
            help = f"the value is of type {v.describe(scrutinee)}: match it without them"
            self.report.error("E_NOT_OPTIONAL", title, pattern.span, help)

    def _branches(self, results: list[tuple[Value, nodes.Node]], what: str) -> Value:
        """The value of an if-expression or match (3.3, 3.11)."""
        first = results[0][0]
        common: Type | None = first.schema
        kind, merged = first.read, first.read
        for value, node in results[1:]:
            if not self.agree(merged, value.read) or v.callables_differ(first, value):
                self.report.branches(what, results[0][0], value, _result_span(node))
            common = v.same_or_none(common, value.schema)
            kind = kind if kind == value.read else v.ANY
            merged = value.read if merged == v.NULL_KIND else v.merge(merged, value.read)
        optional = any(value.optional for value, _ in results)
        inner = v.kind_of(common) if common is not None and kind == v.ANY else kind
        if optional:
            known = [value.kind for value, _ in results if value.kind != v.NULL_KIND]
            inner = known[0] if known and all(one == known[0] for one in known) else v.ANY
        return Value(inner, common, optional, all(value.declared for value, _ in results))

    @contextmanager
    def refined_by(self, condition: nodes.Expr) -> Iterator[None]:
        """The part in which a condition holds (3.6)."""
        found = refinement(condition, self.resolution)
        if found is None:
            yield
            return
        variable, wanted = found
        value = self.state.get(variable).plain()
        if wanted is not UNKNOWN and v.kind_of(wanted) != value.kind:
            value = Value(v.kind_of(wanted))
        with self.state.refined(variable, value):
            yield

    # -- helpers -------------------------------------------------------------------------------

    def copy(self, node: nodes.Copy) -> Value:
        return self.value(node.value)

    def unwrap_or(self, node: nodes.UnwrapOr) -> Value:
        value = self.value(node.value)
        default = self.plain(node.default, "it can be a fallback")
        if not value.optional and value.kind not in (v.ANY, v.NULL_KIND):
            title = f"`.unwrap_or` needs an optional value; this is {v.describe(value)}"
            self.report.error("E_NOT_OPTIONAL", title, node.value.span, "leave it out")
        inner = value.kind if value.kind not in (v.ANY, v.NULL_KIND) else default.kind
        if not self.agree(inner, default.kind):
            self.report.branches("value and fallback", value.plain(), default, node.default.span)
        schema = value.schema if value.schema is not None else default.schema
        return Value(inner, schema)


def _compares_null(node: nodes.Operation, at: int) -> bool:
    """Whether an operand is only compared with the literal null."""
    if len(node.operands) != 2 or node.operators[0] not in ("==", "!="):
        return False
    return isinstance(node.operands[1 - at], nodes.NullLiteral)


def _apply(operator: str, left: Kind, right: Kind) -> Kind:
    if operator == "+":
        return v.add(left, right)
    return v.numeric(left, right) if operator in _ARITHMETIC else v.BOOL_KIND


def _result_span(node: nodes.Node) -> Any:
    return node.value.span if isinstance(node, nodes.ValueBlock) else node.span


_Handler = Callable[[ExpressionChecker, Any], Value]
_EXPRESSIONS: Final[dict[type[nodes.Node], _Handler]] = {
    nodes.IntLiteral: lambda self, node: v.of(INT),
    nodes.FloatLiteral: lambda self, node: v.of(FLOAT),
    nodes.StringLiteral: lambda self, node: v.of(STRING),
    nodes.BytesLiteral: lambda self, node: v.of(BYTES),
    nodes.BoolLiteral: lambda self, node: v.of(BOOL),
    nodes.NullLiteral: lambda self, node: v.of(NULL),
    nodes.Name: ExpressionChecker.name,
    nodes.Call: lambda self, node: self.call(node),
    nodes.Operation: ExpressionChecker.operation,
    nodes.Unary: ExpressionChecker.unary,
    nodes.ValueBlock: ExpressionChecker.value_block,
    nodes.IfExpr: ExpressionChecker.if_expr,
    nodes.Match: ExpressionChecker.match,
    nodes.Closure: ExpressionChecker.closure,
    nodes.ArrayLiteral: ExpressionChecker.array_literal,
    nodes.MapLiteral: ExpressionChecker.map_literal,
    nodes.Member: ExpressionChecker.member,
    nodes.Index: ExpressionChecker.index,
    nodes.Slice: ExpressionChecker.slice,
    nodes.Copy: ExpressionChecker.copy,
    nodes.UnwrapOr: ExpressionChecker.unwrap_or,
    nodes.Length: ExpressionChecker.length,
    nodes.Has: ExpressionChecker.has,
    nodes.Keys: ExpressionChecker.keys,
}
