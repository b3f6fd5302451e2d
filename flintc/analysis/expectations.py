"""What the context of an expression wants of it: a declared type, or a handle in place of `0`."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable

from flintc.analysis.declared import coerce
from flintc.analysis.facts import DemandKey, Facts, FieldKey
from flintc.analysis.lattice import BOTTOM, ZERO, item_at, join_all
from flintc.analysis.program_uses import ProgramUses
from flintc.analysis.symbols import FunctionSymbol, FunctionTarget, Resolution, Variable
from flintc.analysis.types import (
    NULL,
    UNKNOWN,
    Array,
    Handle,
    Map,
    Optional,
    StructRef,
    Tuple,
    Type,
    TypeParameter,
    strip_optional,
)
from flintc.analysis.types import Callable as CallableType
from flintc.syntax import nodes


class Expectations(ABC):
    """The part of typing expressions that looks from a context into its expressions."""

    def __init__(self, resolution: Resolution, facts: Facts, uses: ProgramUses) -> None:
        self.resolution = resolution
        self.facts = facts
        self.uses = uses
        self.types: dict[nodes.Node, Type] = {}
        self.refined: dict[Variable, Type] = {}
        # what a closure's context declares its parameters to be
        self.expected: dict[Variable, Type] = {}
        self.uniform: set[nodes.Node] = set()  # literals whose items are declared to be alike
        self.literals: dict[nodes.MapLiteral, StructRef] = {}  # those that are declared as structs
        self.present: set[nodes.Node] = set()  # optional fields where a plain value is declared

    @abstractmethod
    def type(self, node: nodes.Expr | nodes.ValueBlock) -> Type:
        """The type of an expression; BOTTOM where it is not known yet."""

    # -- expectations --------------------------------------------------------------------

    def declared_type(self, node: nodes.Expr | nodes.ValueBlock, declared: Type | None) -> Type:
        """The type of an expression whose context declares one; branches are looked at apart."""
        if declared is None:
            return self.type(node)
        self.expect(node, declared)
        self.type(node)
        return self._declare(node, declared)

    def _declare(self, node: nodes.Expr | nodes.ValueBlock, declared: Type) -> Type:
        if isinstance(node, (nodes.ValueBlock, nodes.IfExpr, nodes.Match)):
            branches = [self._declare(part, declared) for part in result_parts(node)]
            self.types[node] = join_all(branches)
            return self.types[node]
        self._expect_present(node, declared)
        type_ = coerce(self.types[node], declared, self.facts)
        if isinstance(node, nodes.MapLiteral) and isinstance(declared, StructRef):
            for entry in node.entries:
                if isinstance(entry.key, nodes.StringLiteral):
                    self.demand(entry.value, self.facts.field(declared, entry.key.value))
        return type_

    def _expect_present(self, node: nodes.Expr | nodes.ValueBlock, declared: Type) -> None:
        """An optional field counts as plain where it is read (3.6), so it must not be null here."""
        if isinstance(declared, (Optional, TypeParameter)):
            return
        if declared is UNKNOWN or declared is NULL:
            return
        read = _what_is_read(node)
        if not isinstance(read, (nodes.Member, nodes.Index)) or not self._is_optional_field(read):
            return
        self.present.add(read)
        type_ = self.types[node]
        value = coerce(UNKNOWN, declared, self.facts) if type_ is NULL else strip_optional(type_)
        self.types[node] = self.types[read] = value

    def _is_optional_field(self, node: nodes.Member | nodes.Index) -> bool:
        container = self.types.get(node.container)
        schema = self.facts.schema(container) if isinstance(container, StructRef) else None
        if isinstance(node, nodes.Member):
            name = node.name.name
        else:
            name = node.key.value if isinstance(node.key, nodes.StringLiteral) else ""
        if schema is None or node.optional:
            return False
        return isinstance(schema.fields.get(name), Optional)

    def expect(self, node: nodes.Expr | nodes.ValueBlock, declared: Type) -> None:
        """Tell the closures in an expression which callable type its context declares."""
        if isinstance(node, (nodes.Name, nodes.Call, nodes.Operation, nodes.Index, nodes.Member)):
            return  # by far the most
        if isinstance(declared, Optional):
            declared = declared.inner
        if isinstance(node, nodes.Closure) and isinstance(declared, CallableType):
            self._expect_params(node, declared)
        elif isinstance(node, nodes.ArrayLiteral) and isinstance(declared, (Array, Tuple)):
            if isinstance(declared, Array):
                self.uniform.add(node)
            for at, item in enumerate(node.items):
                self.expect(item, item_at(declared, at))
        elif isinstance(node, nodes.MapLiteral) and isinstance(declared, Map):
            self.uniform.add(node)
            for entry in node.entries:
                self.expect(entry.value, declared.value)
        elif isinstance(node, nodes.MapLiteral) and isinstance(declared, StructRef):
            self.literals[node] = declared
            self._expect_fields(node, declared)
        else:
            for part in result_parts(node):
                self.expect(part, declared)

    def _expect_params(self, node: nodes.Closure, declared: CallableType) -> None:
        if declared.params is None or len(declared.params) != len(node.params):
            return
        for param, type_ in zip(node.params, declared.params, strict=True):
            variable = self.resolution.variables[param]
            if self.expected.setdefault(variable, type_) != type_:
                self.expected[variable] = UNKNOWN
        self.expect(node.body, declared.result)

    def _expect_fields(self, node: nodes.MapLiteral, declared: StructRef) -> None:
        schema = self.facts.schema(declared)
        if schema is None:
            return
        fields = self.facts.declared_fields(declared, schema)
        for entry in node.entries:
            if isinstance(entry.key, nodes.StringLiteral) and entry.key.value in fields:
                self.expect(entry.value, fields[entry.key.value])

    # -- demands -------------------------------------------------------------------------

    def demand(self, node: nodes.Expr | nodes.ValueBlock, handle: Type) -> None:
        """A handle is wanted here: what is only known to be `0` is none of that class."""
        if not isinstance(handle, Handle):
            return
        key = self._source(node)
        if key is not None:
            self.facts.add(DemandKey(key), handle)
        for part in result_parts(node):
            self.demand(part, handle)

    def demand_all(self, parts: Iterable[nodes.Expr | nodes.ValueBlock], handle: Type) -> None:
        for part in parts if isinstance(handle, Handle) else ():
            self.demand(part, handle)

    def follow_demand(
        self, node: nodes.Expr | nodes.ValueBlock, key: Variable | FunctionSymbol
    ) -> None:
        """What is wanted of `key` is wanted of the values that it gets."""
        if not self.uses.has_handles:
            return
        known = self.facts.read(key)
        self.demand(node, known if isinstance(known, Handle) else self.facts.read(DemandKey(key)))

    def _source(
        self, node: nodes.Expr | nodes.ValueBlock
    ) -> Variable | FunctionSymbol | FieldKey | None:
        """Where the value of an expression is kept, if it may be only known to be `0`."""
        if self.types.get(node) not in (BOTTOM, ZERO):
            return None
        if isinstance(node, nodes.Name):
            return self.resolution.variables.get(node)
        if isinstance(node, nodes.Call):
            target = self.resolution.targets.get(node)
            return target.function if isinstance(target, FunctionTarget) else None
        if isinstance(node, nodes.Member):
            container = strip_optional(self.types.get(node.container, UNKNOWN))
            if isinstance(container, StructRef):
                return FieldKey(container, node.name.name)
        return None


def _what_is_read(node: nodes.Node) -> nodes.Node:
    """The expression below `&` and `.copy()`."""
    while isinstance(node, (nodes.Copy, nodes.Unary)):
        if isinstance(node, nodes.Unary):
            if node.operator not in ("&", "&mut"):
                return node
            node = node.operand
        else:
            node = node.value
    return node


def result_parts(node: nodes.Node) -> tuple[nodes.Expr | nodes.ValueBlock, ...]:
    """The parts of an expression whose value may be its value."""
    if isinstance(node, (nodes.ValueBlock, nodes.Copy)):
        return (node.value,)
    if isinstance(node, nodes.IfExpr):
        return (node.then, node.orelse)
    if isinstance(node, nodes.Match):
        return tuple(arm.body for arm in node.arms)
    if isinstance(node, nodes.UnwrapOr):
        return (node.value, node.default)
    if isinstance(node, nodes.Unary) and node.operator in ("&", "&mut"):
        return (node.operand,)
    return ()
