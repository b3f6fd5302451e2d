"""One Python function body under construction."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from flintc.analysis.symbols import FunctionSymbol, Scope, Variable
from flintc.analysis.types import Type, is_array, is_map
from flintc.emit import tree
from flintc.emit.context import ModuleContext
from flintc.emit.names import Either, python_name
from flintc.emit.untyped import Untyped
from flintc.source import Span
from flintc.syntax import nodes

_UNTYPED = frozenset(
    {
        "add",
        "call",
        "divide",
        "item",
        "mul",
        "negate",
        "optional_item",
        "remainder",
        "sub",
        "without_nulls",
    }
)
"""Functions of `flint.lang` whose result type checkers cannot know."""

LowerExpression = Callable[["Body", nodes.Node], ast.expr]
LowerStatements = Callable[["Body", Sequence[nodes.Statement]], None]


@dataclass(eq=False)
class Body:
    """Statements are appended to `statements`; lowering an expression may append what must run
    before it and returns the Python expression.
    """

    context: ModuleContext
    scope: Scope
    lower: LowerExpression
    lower_all: LowerStatements
    statements: list[ast.stmt] = field(default_factory=list)
    annotated: set[Variable] = field(default_factory=set)
    declared: set[FunctionSymbol] = field(default_factory=set)  # that a local function defines
    in_bounds: dict[Variable, Variable] = field(default_factory=dict)  # loop variable → its array
    loop_step: list[Callable[[], list[ast.stmt]] | None] = field(default_factory=list)
    temporaries: set[str] = field(default_factory=set)
    made: dict[str, int] = field(default_factory=dict)  # how many of each hint
    aliases: dict[Variable, str] = field(default_factory=dict)  # names that only hold in here
    depth: int = 0  # of the block being filled
    base: list[ast.stmt] = field(default_factory=list)  # the statements of the outermost block
    untyped: Untyped = field(init=False)

    def __post_init__(self) -> None:
        self.untyped = Untyped(self.context.untyped)

    def expr(self, node: nodes.Node) -> ast.expr:
        return self.lower(self, node)

    def exprs(
        self,
        operands: Sequence[nodes.Node],
        lower: LowerExpression | None = None,
        earlier: Sequence[ast.expr] = (),
    ) -> list[ast.expr]:
        """Lower operands left to right. What an operand runs beforehand must not overtake the
        operands before it, so those are kept in variables first; likewise `earlier` ones, which are
        lowered already and come first in the result.
        """
        results = list(earlier)
        before: list[nodes.Node | None] = [None] * len(earlier)
        for operand in operands:
            mark = len(self.statements)
            lowered = (lower or self.lower)(self, operand)
            if len(self.statements) > mark:
                self._keep_before(mark, results, before, operand.span)
            results.append(lowered)
            before.append(operand)
        return results

    def _keep_before(
        self, mark: int, results: list[ast.expr], operands: list[nodes.Node | None], span: Span
    ) -> None:
        """Keep the results so far, before the statements that the operand at `span` took."""
        later = self.statements[mark:]
        del self.statements[mark:]
        only_defines = all(isinstance(statement, ast.FunctionDef) for statement in later)
        for number, earlier in enumerate(results):
            if is_fixed(earlier) or (isinstance(earlier, ast.Name) and only_defines):
                continue  # defining a function changes no variable
            if not self._is_kept_anyway(operands[number], earlier, span):
                results[number] = self.keep(earlier, "value", span)
        self.statements.extend(later)

    def _is_kept_anyway(self, operand: nodes.Node | None, value: ast.expr, span: Span) -> bool:
        """Whether an operand is a variable that nothing at `span` can assign."""
        if not isinstance(operand, nodes.Name) or not isinstance(value, ast.Name):
            return False
        variable = self.variable(operand)
        if variable is None or value.id != self.python(variable):
            return False
        return self.is_kept_during(variable, span)

    def is_kept_during(self, variable: Variable, span: Span) -> bool:
        """Whether nothing that a part of the text runs assigns a variable."""
        uses = self.context.facts.usage.of(variable)
        return not uses.shared and not uses.is_bound_inside(span)

    def keep(self, value: ast.expr, hint: str, span: Span) -> ast.Name:
        """Store a value in a new variable."""
        identifier = self.temporary(hint)
        self.emit(tree.assign(tree.store(identifier, span), value, span))
        return tree.name(identifier, span)

    def simple(self, value: ast.expr, hint: str, span: Span) -> ast.expr:
        """`value` if it may be written twice, otherwise a variable that holds it."""
        if isinstance(value, (ast.Name, ast.Constant)):
            return value
        return self.keep(value, hint, span)

    def temporary(self, hint: str) -> str:
        """A new name for this body."""
        imports = self.context.imports
        around = self.context.names.around(self.scope)
        taken = Either(Either(around, self.temporaries), imports.local_names)
        made = self.made.get(hint, 0)  # one of a number has been taken for each
        identifier = python_name(hint, taken, max(made, 2))
        self.made[hint] = made + 1
        self.temporaries.add(identifier)
        imports.temporaries.add(identifier)
        return identifier

    def emit(self, statement: ast.stmt) -> None:
        self.statements.append(statement)
        self.untyped.note(statement)

    def block(self) -> _Block:
        """Collect the statements of an indented block."""
        return _Block(self)

    def helper(self, name: str, span: Span, *args: ast.expr) -> ast.Call:
        """A call of a function of `flint.lang`."""
        called = tree.call(tree.name(self.context.lang(name), span), args, span)
        if name in _UNTYPED:
            self.context.untyped.add(called)
        return called

    def copy_of(self, value: ast.expr, type_: Type, span: Span) -> ast.expr:
        """A shallow copy of an array or map."""
        if is_array(type_) or is_map(type_):
            return tree.method(value, "copy", span)
        return self.helper("own", span, value)

    def type_of(self, node: nodes.Node) -> Type:
        return self.context.type_of(node)

    def variable(self, node: nodes.Node) -> Variable | None:
        return self.context.variable(node)

    def python(self, variable: Variable) -> str:
        return self.aliases.get(variable) or self.context.names.variables[variable]


class _Block:
    """The statements of an indented block are those of its body meanwhile."""

    def __init__(self, body: Body) -> None:
        self.body = body
        self.outer = body.statements

    def __enter__(self) -> list[ast.stmt]:
        body = self.body
        statements: list[ast.stmt] = []
        body.statements = statements
        body.depth += 1
        if body.depth == 1:
            body.base = statements
        return statements

    def __exit__(self, *exception: object) -> None:
        self.body.depth -= 1
        self.body.statements = self.outer


def is_fixed(value: ast.expr) -> bool:
    """Whether an expression is the same whenever it is evaluated: constants, and lists of them."""
    if isinstance(value, ast.List):
        return all(is_fixed(item) for item in value.elts)
    return isinstance(value, ast.Constant)
