"""The types of expressions, as far as their parts and `Facts` tell."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Final

from flintc.analysis import arithmetic
from flintc.analysis.expectations import Expectations
from flintc.analysis.lattice import (
    BOTTOM,
    MIXED,
    ZERO,
    bounded,
    commit,
    commit_parts,
    element,
    item_at,
    join,
    join_all,
    map_value,
    tuple_of,
)
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
    Handle,
    Map,
    Object,
    Optional,
    Primitive,
    StructRef,
    Tuple,
    Type,
    strip_optional,
)
from flintc.analysis.types import Callable as CallableType
from flintc.source import Span
from flintc.syntax import nodes


class ExpressionTyper(Expectations):
    """Types expressions and records each type; the latest visit of a body counts."""

    def type(self, node: nodes.Expr | nodes.ValueBlock) -> Type:
        """The type of an expression; BOTTOM where it is not known yet."""
        handler = _EXPRESSIONS.get(type(node))
        type_ = UNKNOWN if handler is None else handler(self, node)
        if not isinstance(type_, Primitive) and type(node) not in _TRANSPARENT:
            type_ = commit_parts(type_)
        self.types[node] = type_
        return type_

    @abstractmethod
    def statements(self, statements: tuple[nodes.Statement, ...]) -> None:
        """Visit the statements of a block."""

    @abstractmethod
    def call(self, node: nodes.Call) -> Type:
        """The type of a call's result."""

    @abstractmethod
    def function_value(self, node: nodes.Name) -> Type:
        """The type of a function that is used as a value."""

    @abstractmethod
    def receive(self, params: list[Variable]) -> None:
        """The parameters of a function value: any call of a value may reach them."""

    # -- names and literals --------------------------------------------------------------

    def int_literal(self, node: nodes.IntLiteral) -> Type:
        return ZERO if node.value == 0 and self.uses.has_handles else INT

    def name(self, node: nodes.Name) -> Type:
        variable = self.resolution.variables.get(node)
        return self.function_value(node) if variable is None else self.variable(variable)

    def variable(self, variable: Variable) -> Type:
        known = self.facts.read(variable)
        wanted = self.refined.get(variable)
        return known if wanted is None else _refine(known, wanted)

    def array_literal(self, node: nodes.ArrayLiteral) -> Type:
        type_ = tuple_of([self.type(item) for item in node.items], node in self.uniform)
        if isinstance(type_, Array):
            self.demand_all(node.items, type_.element)
        return type_

    def map_literal(self, node: nodes.MapLiteral) -> Type:
        fields: dict[str, Type] = {}
        others: list[Type] = []
        for entry in node.entries:
            self.type(entry.key)
            value = self.type(entry.value)
            if isinstance(entry.key, nodes.StringLiteral):
                fields[entry.key.value] = value
            else:
                others.append(value)
        if others or node in self.uniform:
            value = join_all([*fields.values(), *others])
            self.demand_all([entry.value for entry in node.entries], value)
            return bounded(Map(value))
        return bounded(Object(tuple(fields.items())))

    def closure(self, node: nodes.Closure) -> Type:
        params = [self.resolution.variables[param] for param in node.params]
        if node not in self.uses.private_closures:
            self.receive(params)
        result = commit(self.type(node.body))
        return bounded(CallableType(tuple(self.facts.read(param) for param in params), result))

    # -- operators -----------------------------------------------------------------------

    def operation(self, node: nodes.Operation) -> Type:
        operands = [self.type(operand) for operand in node.operands]
        if node.operators[0] not in ("==", "!=", "&&", "||"):
            self.used_as_int(*node.operands)
        result = operands[0]
        for operator, operand in zip(node.operators, operands[1:], strict=True):
            result = arithmetic.apply(operator, result, operand)
        return result

    def unary(self, node: nodes.Unary) -> Type:
        operand = self.type(node.operand)
        if node.operator == "-":
            return arithmetic.negative(operand)
        return BOOL if node.operator == "!" else operand

    def used_as_int(self, *operands: nodes.Expr) -> None:
        """Variables that take part in arithmetic are numbers, even if they are only ever `0`."""
        for operand in operands:
            if isinstance(operand, nodes.Name):
                variable = self.resolution.variables.get(operand)
                if variable is not None:
                    self.uses.numbers.add(variable)

    # -- blocks and branches -------------------------------------------------------------

    def value_block(self, node: nodes.ValueBlock) -> Type:
        self.statements(node.statements)
        return self.type(node.value)

    def if_expr(self, node: nodes.IfExpr) -> Type:
        self.type(node.condition)
        with self.refined_by(node.condition, node.then.span):
            then = self.type(node.then)
        type_ = join(then, self.type(node.orelse))
        self.demand_all((node.then, node.orelse), type_)
        return type_

    def match(self, node: nodes.Match) -> Type:
        scrutinee = self.type(node.scrutinee)
        results = []
        for arm in node.arms:
            variable = self.resolution.variables.get(arm.pattern)
            if variable is not None:
                self.facts.add(variable, self._present(node.scrutinee, scrutinee))
            results.append(self.type(arm.body))
        type_ = join_all(results)
        self.demand_all([arm.body for arm in node.arms], type_)
        return type_

    def _present(self, node: nodes.Expr, type_: Type) -> Type:
        """The type of what is not null; as declared, where nothing but null was seen."""
        if type_ is not NULL:
            return strip_optional(type_)
        variable = self.resolution.variables.get(node) if isinstance(node, nodes.Name) else None
        declared = variable.declared if variable is not None else None
        return strip_optional(declared) if isinstance(declared, Optional) else BOTTOM

    @contextmanager
    def refined_by(self, condition: nodes.Expr, where: Span) -> Iterator[None]:
        """The part of a body in which a condition holds (3.6)."""
        found = refinement(condition, self.resolution)
        if found is None or not self.uses.is_unchanged(found[0], where):
            yield
            return
        variable, wanted = found
        before = self.refined.get(variable)
        self.refined[variable] = wanted
        yield
        if before is None:
            del self.refined[variable]
        else:
            self.refined[variable] = before

    # -- containers ----------------------------------------------------------------------

    def member(self, node: nodes.Member) -> Type:
        return self._access(node, self.type(node.container), node.name.name, None)

    def index(self, node: nodes.Index) -> Type:
        container = self.type(node.container)
        self.type(node.key)
        self.used_as_int(node.key)
        field = node.key.value if isinstance(node.key, nodes.StringLiteral) else None
        at = node.key.value if isinstance(node.key, nodes.IntLiteral) else None
        return self._access(node, container, field, at)

    def _access(
        self, node: nodes.Member | nodes.Index, container: Type, field: str | None, at: int | None
    ) -> Type:
        found = self.part(strip_optional(container), field, at)
        return join(NULL, found) if node.optional else found

    def part(self, container: Type, field: str | None, at: int | None) -> Type:
        """The type of `container[key]`: of a literal field or position, or of any."""
        if isinstance(container, StructRef):
            if field is not None:
                return self.facts.field(container, field)
            container = self.facts.expand(container)
        if isinstance(container, Object):
            return map_value(container) if field is None else container.field(field) or BOTTOM
        if isinstance(container, Map):
            return container.value
        if isinstance(container, (Array, Tuple)):
            return element(container) if at is None else item_at(container, at)
        if container is STRING:
            return STRING
        if container is BYTES:
            return INT
        return container if container is BOTTOM or container is UNKNOWN else MIXED

    def slice(self, node: nodes.Slice) -> Type:
        container = strip_optional(self.type(node.container))
        for bound in (node.start, node.end):
            if bound is not None:
                self.type(bound)
                self.used_as_int(bound)
        return Array(element(container)) if isinstance(container, Tuple) else container

    def copy(self, node: nodes.Copy) -> Type:
        return self.type(node.value)

    def unwrap_or(self, node: nodes.UnwrapOr) -> Type:
        value, default = self.type(node.value), self.type(node.default)
        return join(BOTTOM if value is NULL else strip_optional(value), default)

    def length(self, node: nodes.Length) -> Type:
        self.type(node.value)
        return INT

    def has(self, node: nodes.Has) -> Type:
        self.type(node.value)
        self.type(node.key)
        return BOOL

    def keys(self, node: nodes.Keys) -> Type:
        container = strip_optional(self.type(node.value))
        if isinstance(container, (Array, Tuple)):
            return Array(INT)
        return Array(STRING if isinstance(container, (StructRef, Object)) else UNKNOWN)


def _refine(known: Type, wanted: Type) -> Type:
    """The type of a variable where a condition says that its value is of type `wanted`."""
    if known is BOTTOM or known is NULL:
        return BOTTOM
    inner = strip_optional(known)
    if wanted is UNKNOWN or isinstance(inner, Handle) or inner is BOTTOM or inner is ZERO:
        return inner
    if inner is MIXED and wanted is INT:  # handles are ints to a program
        return inner
    if inner is MIXED or inner is UNKNOWN:
        return wanted
    return wanted if not isinstance(wanted, (Array, Map)) and wanted is not NULL else inner


# Expressions whose value is that of a part, or of a literal that is made here.
_TRANSPARENT: Final = frozenset(
    {
        nodes.ArrayLiteral,
        nodes.MapLiteral,
        nodes.ValueBlock,
        nodes.IfExpr,
        nodes.Match,
        nodes.Copy,
        nodes.Unary,
        nodes.UnwrapOr,
    }
)

_Handler = Callable[[ExpressionTyper, Any], Type]
_EXPRESSIONS: Final[dict[type[nodes.Node], _Handler]] = {
    nodes.IntLiteral: ExpressionTyper.int_literal,
    nodes.FloatLiteral: lambda self, node: FLOAT,
    nodes.StringLiteral: lambda self, node: STRING,
    nodes.BytesLiteral: lambda self, node: BYTES,
    nodes.BoolLiteral: lambda self, node: BOOL,
    nodes.NullLiteral: lambda self, node: NULL,
    nodes.Name: ExpressionTyper.name,
    nodes.Call: lambda self, node: self.call(node),
    nodes.Operation: ExpressionTyper.operation,
    nodes.Unary: ExpressionTyper.unary,
    nodes.ValueBlock: ExpressionTyper.value_block,
    nodes.IfExpr: ExpressionTyper.if_expr,
    nodes.Match: ExpressionTyper.match,
    nodes.Closure: ExpressionTyper.closure,
    nodes.ArrayLiteral: ExpressionTyper.array_literal,
    nodes.MapLiteral: ExpressionTyper.map_literal,
    nodes.Member: ExpressionTyper.member,
    nodes.Index: ExpressionTyper.index,
    nodes.Slice: ExpressionTyper.slice,
    nodes.Copy: ExpressionTyper.copy,
    nodes.UnwrapOr: ExpressionTyper.unwrap_or,
    nodes.Length: ExpressionTyper.length,
    nodes.Has: ExpressionTyper.has,
    nodes.Keys: ExpressionTyper.keys,
}
