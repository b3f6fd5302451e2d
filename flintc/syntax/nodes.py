"""The RustScript syntax tree: nodes with spans, compared by identity and never changed.

(`frozen=True` would make each of them four times as slow to create.)

Operator chains of one precedence level (`a + b - c`) are one flat `Operation`, so that the
depth of a tree is the nesting that a person wrote and passes may recurse. Parentheses leave no
node; the parser limits nesting.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from flintc.source import SourceFile, Span


@dataclass(slots=True, eq=False)
class Node:
    span: Span


@dataclass(slots=True, eq=False)
class Ident(Node):
    """A name where it is written."""

    name: str


@dataclass(slots=True, eq=False)
class Comment(Node):
    """`text` includes the comment marks. `own_line`: nothing but white space stands before it."""

    text: str
    own_line: bool


# -- types (language reference 2.8) --------------------------------------------------------


@dataclass(slots=True, eq=False)
class NamedType(Node):
    """`int`, `array<T>`, `map<T>`, a struct or a type parameter; bare `array` has no args."""

    name: str
    args: tuple[TypeExpr, ...]


@dataclass(slots=True, eq=False)
class TupleType(Node):
    """`[A, B, R...]`. `[T]`, `T[]` and `[T...]` are `NamedType("array", (T,))` instead."""

    items: tuple[TypeExpr, ...]
    rest: TypeExpr | None


@dataclass(slots=True, eq=False)
class FunctionType(Node):
    params: tuple[TypeExpr, ...]
    result: TypeExpr


@dataclass(slots=True, eq=False)
class OptionalType(Node):
    inner: TypeExpr


TypeExpr: TypeAlias = NamedType | TupleType | FunctionType | OptionalType

# -- expressions (2.9, 2.10, 2.11) ---------------------------------------------------------


@dataclass(slots=True, eq=False)
class IntLiteral(Node):
    """`value` is in signed 64-bit range (a unary minus on 2^63 is folded into the literal);
    `text` is the literal as written."""

    value: int
    text: str


@dataclass(slots=True, eq=False)
class FloatLiteral(Node):
    value: float
    text: str


@dataclass(slots=True, eq=False)
class StringLiteral(Node):
    value: str


@dataclass(slots=True, eq=False)
class BytesLiteral(Node):
    value: bytes


@dataclass(slots=True, eq=False)
class BoolLiteral(Node):
    value: bool


@dataclass(slots=True, eq=False)
class NullLiteral(Node):
    pass


@dataclass(slots=True, eq=False)
class Name(Node):
    """A bare name used as a value: a variable, or a function (then `type_args` may be given)."""

    name: str
    type_args: tuple[TypeExpr, ...] = ()


@dataclass(slots=True, eq=False)
class Call(Node):
    """`f(…)`, `f::<T>(…)`, `a::b::c(…)`: `path` is the name, after the parts of a namespace."""

    path: tuple[Ident, ...]
    type_args: tuple[TypeExpr, ...]
    args: tuple[Expr, ...]


Operator: TypeAlias = Literal["||", "&&", "==", "!=", "<", "<=", ">", ">=", "+", "-", "*", "/", "%"]


@dataclass(slots=True, eq=False)
class Operation(Node):
    """A left-associative chain of one precedence level: n operands, n-1 operators between them.

    The levels are `||`; `&&`; the six comparisons; `+ -`; `* / %`.
    """

    operands: tuple[Expr, ...]
    operators: tuple[Operator, ...]


@dataclass(slots=True, eq=False)
class Unary(Node):
    operator: Literal["-", "!", "&", "&mut"]
    operand: Expr


@dataclass(slots=True, eq=False)
class ValueBlock(Node):
    """`{ statements… value }`: a function body or the branch of an if-expression.

    A last expression statement with its `;` is `value` too (`terminated` then says so).
    """

    statements: tuple[Statement, ...]
    value: Expr
    terminated: bool = False


@dataclass(slots=True, eq=False)
class IfExpr(Node):
    condition: Expr
    then: ValueBlock
    orelse: ValueBlock | IfExpr


@dataclass(slots=True, eq=False)
class LiteralPattern(Node):
    value: IntLiteral | StringLiteral | BytesLiteral


@dataclass(slots=True, eq=False)
class NullPattern(Node):
    """`null` (`is_none` false) or `None` / `Option::None`."""

    is_none: bool


@dataclass(slots=True, eq=False)
class WildcardPattern(Node):
    pass


@dataclass(slots=True, eq=False)
class TypePattern(Node):
    """`Some(Int)` and the like; `kind` is int, float, number, bool, string, bytes, array or map."""

    kind: str


@dataclass(slots=True, eq=False)
class BindPattern(Node):
    """`Some(name)`."""

    name: Ident


Pattern: TypeAlias = LiteralPattern | NullPattern | WildcardPattern | TypePattern | BindPattern


@dataclass(slots=True, eq=False)
class Arm(Node):
    pattern: Pattern
    body: Expr


@dataclass(slots=True, eq=False)
class Match(Node):
    """Exactly one wildcard arm, the last (the parser reports anything else)."""

    scrutinee: Expr
    arms: tuple[Arm, ...]


@dataclass(slots=True, eq=False)
class Closure(Node):
    params: tuple[Ident, ...]
    body: Expr


@dataclass(slots=True, eq=False)
class ArrayLiteral(Node):
    """`[a, b]`, or a brace literal none of whose entries has a key."""

    items: tuple[Expr, ...]


@dataclass(slots=True, eq=False)
class MapEntry(Node):
    """The parser fills in the int keys of keyless entries and makes bare names strings."""

    key: Expr
    value: Expr


@dataclass(slots=True, eq=False)
class MapLiteral(Node):
    entries: tuple[MapEntry, ...]


@dataclass(slots=True, eq=False)
class Member(Node):
    """`container.name`, or `container?.name` when `optional`."""

    container: Expr
    name: Ident
    optional: bool


@dataclass(slots=True, eq=False)
class Index(Node):
    """`container[key]`, or `container?.[key]` when `optional`."""

    container: Expr
    key: Expr
    optional: bool


@dataclass(slots=True, eq=False)
class Slice(Node):
    container: Expr
    start: Expr | None
    end: Expr | None


@dataclass(slots=True, eq=False)
class Copy(Node):
    value: Expr


@dataclass(slots=True, eq=False)
class UnwrapOr(Node):
    value: Expr
    default: Expr


@dataclass(slots=True, eq=False)
class Length(Node):
    value: Expr


@dataclass(slots=True, eq=False)
class Has(Node):
    value: Expr
    key: Expr


@dataclass(slots=True, eq=False)
class Keys(Node):
    value: Expr


@dataclass(slots=True, eq=False)
class ErrorExpr(Node):
    """What the parser could not read; a problem has been reported."""


Expr: TypeAlias = (
    IntLiteral
    | FloatLiteral
    | StringLiteral
    | BytesLiteral
    | BoolLiteral
    | NullLiteral
    | Name
    | Call
    | Operation
    | Unary
    | IfExpr
    | Match
    | Closure
    | ArrayLiteral
    | MapLiteral
    | Member
    | Index
    | Slice
    | Copy
    | UnwrapOr
    | Length
    | Has
    | Keys
    | ErrorExpr
)

# -- statements (2.1) ----------------------------------------------------------------------


@dataclass(slots=True, eq=False)
class Block(Node):
    """`{ statements… }`; the span includes the braces."""

    statements: tuple[Statement, ...]


@dataclass(slots=True, eq=False)
class Let(Node):
    name: Ident
    mutable: bool
    annotation: TypeExpr | None
    value: Expr


@dataclass(slots=True, eq=False)
class Assign(Node):
    name: Ident
    value: Expr


@dataclass(slots=True, eq=False)
class AddAssign(Node):
    name: Ident
    value: Expr


@dataclass(slots=True, eq=False)
class MemberAssign(Node):
    name: Ident
    member: Ident
    value: Expr


@dataclass(slots=True, eq=False)
class IndexAssign(Node):
    name: Ident
    index: Expr
    value: Expr


@dataclass(slots=True, eq=False)
class ExprStatement(Node):
    value: Expr


@dataclass(slots=True, eq=False)
class If(Node):
    condition: Expr
    then: Block
    orelse: Block | If | None


@dataclass(slots=True, eq=False)
class While(Node):
    condition: Expr
    body: Block


@dataclass(slots=True, eq=False)
class ForRange(Node):
    """`for i in start..end` (`..=` when `inclusive`)."""

    name: Ident
    mutable: bool
    start: Expr
    end: Expr
    inclusive: bool
    body: Block


@dataclass(slots=True, eq=False)
class ForMap(Node):
    """`for (key: K, value: V) in &source`."""

    key: Ident
    key_type: TypeExpr | None
    value: Ident
    value_type: TypeExpr | None
    source: Ident
    body: Block


@dataclass(slots=True, eq=False)
class Break(Node):
    pass


@dataclass(slots=True, eq=False)
class Continue(Node):
    pass


@dataclass(slots=True, eq=False)
class Param(Node):
    name: Ident
    annotation: TypeExpr | None


@dataclass(slots=True, eq=False)
class Function(Node):
    """`fn name<T>(params) -> result body`. No body: a host function declaration (8.7).

    `fn f(x) = e;` has a body without statements.
    """

    name: Ident
    public: bool
    type_params: tuple[Ident, ...]
    params: tuple[Param, ...]
    result: TypeExpr | None
    body: ValueBlock | None


@dataclass(slots=True, eq=False)
class Field(Node):
    name: Ident
    type: TypeExpr


@dataclass(slots=True, eq=False)
class Struct(Node):
    name: Ident
    type_params: tuple[Ident, ...]
    fields: tuple[Field, ...]


@dataclass(slots=True, eq=False)
class ImportItem(Node):
    name: Ident
    alias: Ident | None


@dataclass(slots=True, eq=False)
class Use(Node):
    """`use a::b;` / `as x` / `::*` (`wildcard`) / `::{f, g as h}` (`items`)."""

    path: tuple[Ident, ...]
    alias: Ident | None
    wildcard: bool
    items: tuple[ImportItem, ...] | None


Declaration: TypeAlias = Function | Struct | Use


@dataclass(slots=True, eq=False)
class ErrorStatement(Node):
    """What the parser skipped; a problem has been reported."""


Statement: TypeAlias = (
    Let
    | Assign
    | AddAssign
    | MemberAssign
    | IndexAssign
    | ExprStatement
    | If
    | While
    | ForRange
    | ForMap
    | Break
    | Continue
    | Function
    | Struct
    | Use
    | ErrorStatement
)


@dataclass(slots=True, eq=False)
class Program(Node):
    """A whole file. `comments` are all of them, in order; `declarations` those of `statements` and
    of every block, in the order of the text."""

    file: SourceFile
    statements: tuple[Statement, ...]
    comments: tuple[Comment, ...]
    declarations: tuple[Declaration, ...]
