"""Values against the types that their places declare (language reference 3.8, 3.9)."""

from __future__ import annotations

from abc import abstractmethod

from flintc.analysis import check_values as v
from flintc.analysis.check_expressions import ExpressionChecker
from flintc.analysis.check_report import Place, conversion
from flintc.analysis.check_state import Slot
from flintc.analysis.check_values import Kind, Value
from flintc.analysis.expectations import result_parts
from flintc.analysis.lattice import item_at
from flintc.analysis.type_names import type_name
from flintc.analysis.types import (
    NULL,
    UNKNOWN,
    Array,
    Map,
    Optional,
    StructRef,
    Tuple,
    Type,
    TypeParameter,
)
from flintc.analysis.types import Callable as CallableType
from flintc.syntax import nodes

_Value = nodes.Expr | nodes.ValueBlock


class DeclaredChecker(ExpressionChecker):
    """Checks what is bound, passed and returned."""

    @abstractmethod
    def closure_result(self, node: nodes.Closure, params: tuple[Value, ...]) -> Value:
        """What a closure gives for arguments of these kinds; reports what is wrong with that."""

    def check(self, node: _Value, value: Value, declared: Type, place: Place) -> None:
        """Report a value that does not fit the type that its place declares."""
        self.closures(node, declared)
        at = _last(node)
        if isinstance(declared, TypeParameter) or declared is UNKNOWN:
            return
        if not isinstance(declared, Optional) and value.optional:
            self.report.optional(f"it can be {place.name}", at.span)
        elif value.schema is not None:
            self._check_schema(at, value.schema, declared, place)
        elif value.read != v.ANY and not _fits(v.kind_of(declared), value.read):
            reason = f"it is {v.describe(value)}, not {type_name(declared)}"
            help = conversion(declared, v.scalar(value.read))
            self.report.mismatch(place, reason, at.span, help)

    def unknown(self, node: nodes.Expr, what: str) -> None:
        """A value of unknown type where an argument needs a known one (3.10)."""
        if self.lenient:
            return
        title = f"{what} needs a value of known type"
        help = "name its type first: `let x: int = …;` and pass `x`"
        self.report.error("E_UNKNOWN_VALUE", title, node.span, help)

    def _check_schema(self, at: nodes.Node, actual: Type, declared: Type, place: Place) -> None:
        if actual is NULL and not isinstance(declared, Optional) and declared is not NULL:
            reason = f"it is null, not {type_name(declared)}"
            help = f"declare it `{type_name(declared)}?` if it may be null"
            self.report.mismatch(place, reason, at.span, help)
            return
        difference = self.schemas.mismatch(declared, actual)
        if difference is not None:
            self.report.mismatch(place, difference, at.span, conversion(declared, actual))

    # -- closures ------------------------------------------------------------------------

    def closures(self, node: _Value, declared: Type) -> None:
        """Check the closures in an expression against the callable types declared for them."""
        if isinstance(node, (nodes.Name, nodes.Call, nodes.Operation, nodes.Index, nodes.Member)):
            return  # by far the most
        if isinstance(declared, Optional):
            declared = declared.inner
        match node, declared:
            case nodes.Closure(), CallableType():
                self._closure(node, declared)
            case nodes.ArrayLiteral(), Array() | Tuple():
                for at, item in enumerate(node.items):
                    self.closures(item, item_at(declared, at))
            case nodes.MapLiteral(), Map():
                for entry in node.entries:
                    self.closures(entry.value, declared.value)
            case nodes.MapLiteral(), StructRef():
                fields = self.schemas.fields(declared)
                for entry in node.entries:
                    if isinstance(entry.key, nodes.StringLiteral):
                        self.closures(entry.value, fields.get(entry.key.value, UNKNOWN))
            case nodes.IfExpr() | nodes.Match() | nodes.ValueBlock() | nodes.Copy(), _:
                for part in result_parts(node):
                    self.closures(part, declared)
            case _:
                return

    def _closure(self, node: nodes.Closure, declared: CallableType) -> None:
        if declared.params is None:
            return
        if len(declared.params) != len(node.params):
            title = f"the closure takes {len(node.params)} parameters, unlike {type_name(declared)}"
            self.report.error("E_TYPE_MISMATCH", title, node.span)
            return
        params = tuple(v.of(param, declared=True) for param in declared.params)
        result = self.closure_result(node, params)
        self.check(node.body, result, declared.result, Place("the closure's result"))

    # -- optional values of variables ----------------------------------------------------

    def slot(self, value: Value, declared: Type | None) -> Slot:
        """What a variable holds after `let` with this value (3.5)."""
        if declared is None:
            return Slot(value)
        known = v.of(declared, declared=True)
        inner = declared.inner if isinstance(declared, Optional) else declared
        return Slot(Value(known.kind, inner, known.optional, True, closure=value.closure), declared)


def _fits(expected: Kind, actual: Kind) -> bool:
    if v.ANY in (expected, actual) or expected.name == actual.name:
        return True
    return expected == v.NUMBER_KIND and actual.name in v.NUMERIC


def _last(node: _Value) -> nodes.Node:
    """Where a value is written: the last expression of a block."""
    return node.value if isinstance(node, nodes.ValueBlock) else node
