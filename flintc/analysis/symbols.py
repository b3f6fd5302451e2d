"""Names as objects: variables, functions, scopes, modules, and what each name in the tree means.

Blocks open no scopes (language reference 2.13): there is one scope for a file's top level and one
for each function and closure body. Only map-loop and `Some(x)` bindings are narrower; they are
variables of their own.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, TypeVar

from flintc.analysis.parts import body_parts
from flintc.analysis.types import UNKNOWN, StructRef, Type
from flintc.source import SourceFile, Span
from flintc.syntax import nodes

if TYPE_CHECKING:
    from flintc.catalogue import HostFunction

_Node = TypeVar("_Node", bound=nodes.Node)
VariableKind: TypeAlias = Literal["let", "param", "closure_param", "loop", "map_loop", "binding"]


class Capture(Enum):
    """How a function body holds a variable of the enclosing body (5.8)."""

    SNAPSHOT = "snapshot"  # only read: the value at creation
    SHARED = "shared"  # assigned, mutated or borrowed: one cell for both
    OWNED = "owned"  # only used further in, or not at all: a copy of its own


@dataclass(eq=False, slots=True)
class Variable:
    """One storage slot. `type` is the merge of all its bindings, with handles found."""

    name: str
    kind: VariableKind
    scope: Scope
    span: Span
    mutable: bool = False
    declared: Type | None = None
    type: Type = UNKNOWN


@dataclass(eq=False, slots=True)
class FunctionSymbol:
    """A declared function; `scope` is None for a host declaration without body (8.7)."""

    name: str
    node: nodes.Function
    module: Module
    enclosing: Scope
    scope: Scope | None = None
    params: list[Variable] = field(default_factory=list)
    result: Type = UNKNOWN


@dataclass(eq=False, slots=True)
class Scope:
    """A file's top level, or a function or closure body.

    `variables` in order of first binding; `captures` are the variables of enclosing scopes that the
    body uses directly or through nested bodies, in order of first use.
    """

    owner: nodes.Program | nodes.Function | nodes.Closure
    parent: Scope | None
    module: Module
    variables: list[Variable] = field(default_factory=list)
    captures: dict[Variable, Capture] = field(default_factory=dict)
    functions: list[FunctionSymbol] = field(default_factory=list)  # declared directly in this body
    closures: list[nodes.Closure] = field(default_factory=list)  # written directly in this body
    _parts: list[nodes.Node] | None = None
    _by_kind: dict[type[nodes.Node], list[Any]] | None = None

    @property
    def parts(self) -> list[nodes.Node]:
        """What is evaluated in the body, in order: `body_parts` of its owner, found once."""
        if self._parts is None:
            self._parts = body_parts(self.owner)
        return self._parts

    def parts_of(self, kind: type[_Node]) -> list[_Node]:
        """Those of `parts` that are of one class, in order."""
        if self._by_kind is None:
            self._by_kind = {}
            for node in self.parts:
                self._by_kind.setdefault(type(node), []).append(node)
        return self._by_kind.get(kind, [])


# -- what a name or a call means ---------------------------------------------------------


@dataclass(frozen=True, slots=True)
class VariableTarget:
    variable: Variable


@dataclass(frozen=True, slots=True)
class FunctionTarget:
    """A function with a body, of this module or an imported one."""

    function: FunctionSymbol


@dataclass(frozen=True, slots=True)
class BuiltinTarget:
    """A global builtin: print, type, assert, string_…; as values also len, slice, … (6.1)."""

    name: str


@dataclass(frozen=True, slots=True)
class NamespaceTarget:
    """A member of a builtin namespace, `math::sqrt`; `function` is its signature."""

    namespace: str
    name: str
    function: HostFunction


@dataclass(frozen=True, slots=True)
class HostTarget:
    """A host function by its full name, `flint::llama::model_load`; `function` is None where the
    catalogue lacks it: then running the program fails with `unbound host import` (8.6)."""

    name: str
    function: HostFunction | None


Target: TypeAlias = VariableTarget | FunctionTarget | BuiltinTarget | NamespaceTarget | HostTarget


@dataclass(eq=False, slots=True)
class Module:
    """One source file of a program. `name` is its dotted Python module path below the output
    package: the file's stem for the root (`lfm2`), `lib.shapes` for `use lib::shapes;`."""

    name: str
    file: SourceFile
    program: nodes.Program
    imports: list[Module] = field(default_factory=list)  # in order of first `use`
    top: Scope = field(init=False)
    functions: dict[str, FunctionSymbol] = field(default_factory=dict)
    structs: dict[str, nodes.Struct] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class StructSchema:
    """A struct's type parameters and declared fields; one per name in a program (8.4)."""

    name: str
    params: tuple[str, ...]
    fields: dict[str, Type]


@dataclass(eq=False, slots=True)
class Resolution:
    """What every name means, for all modules of a program.

    `variables` has an entry for: Name (of a variable), Let, Assign, AddAssign, MemberAssign,
    IndexAssign, ForRange, ForMap (its source), Param, BindPattern, and the Idents of closure
    parameters and of map-loop and `Some` bindings.
    `targets` has one for every Call, and every Name that is not a variable.
    `scopes` has one for every Program, Function with body, and Closure.
    `functions` has one for every Function node.
    `annotations` has the meaning of every type that is written, `structs` every schema by its name.
    """

    modules: list[Module]  # dependency order: the root is last
    variables: dict[nodes.Node, Variable] = field(default_factory=dict)
    targets: dict[nodes.Node, Target] = field(default_factory=dict)
    scopes: dict[nodes.Node, Scope] = field(default_factory=dict)
    functions: dict[nodes.Function, FunctionSymbol] = field(default_factory=dict)
    annotations: dict[nodes.TypeExpr, Type] = field(default_factory=dict)
    structs: dict[str, StructSchema] = field(default_factory=dict)

    def annotation(self, written: nodes.TypeExpr | None) -> Type | None:
        """The declared type, None where none is written."""
        return None if written is None else self.annotations.get(written, UNKNOWN)

    @property
    def root(self) -> Module:
        return self.modules[-1]


@dataclass(eq=False, slots=True)
class Typing:
    """The type of every expression (optional ones as `Optional`), handles found.

    A literal `0` that stands for "no handle" has the type of the handle. `fields` has the type of
    each struct field by struct and name, over all values of the struct, `literals` the struct that
    a brace literal's context declares it to be.

    `trusted` are the variables whose declared type nothing has checked, `operand_checks` the
    operands to check for that, with their type's name, `present` the optional fields that are read
    where null does not fit, `untyped` the variables whose uses no one type describes.
    """

    types: dict[nodes.Node, Type] = field(default_factory=dict)
    fields: dict[tuple[str, str], Type] = field(default_factory=dict)
    literals: dict[nodes.MapLiteral, StructRef] = field(default_factory=dict)
    trusted: set[Variable] = field(default_factory=set)
    operand_checks: dict[nodes.Node, str] = field(default_factory=dict)
    present: set[nodes.Node] = field(default_factory=set)
    untyped: set[Variable] = field(default_factory=set)

    def of(self, node: nodes.Node) -> Type:
        return self.types.get(node, UNKNOWN)
