"""If-expressions, matches and value blocks, lowered towards where their value goes.

A destination says what becomes of a value: returned, assigned, recorded or dropped. Branches store
into it directly, so that `let x = if …` becomes an `if` statement that assigns x, and not a
temporary.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import Final, TypeAlias

from flintc.analysis.types import BYTES, INT, NULL, STRING, UNKNOWN, Type
from flintc.emit import closures, lifting, operators, printing, tree
from flintc.emit.body import Body
from flintc.source import Span
from flintc.syntax import nodes


@dataclass(frozen=True, slots=True)
class Return:
    """The value of a function. `kind` is its declared type, for values that are only trusted;
    `hint` its annotation, for literals that type checkers cannot see through.
    """

    kind: str | None = None
    hint: ast.expr | None = None


@dataclass(frozen=True, slots=True)
class Assign:
    """The value of a variable, by its Python name."""

    name: str
    annotation: ast.expr | None = None


@dataclass(frozen=True, slots=True)
class Drop:
    """The value of an expression statement: evaluated for effect."""


@dataclass(frozen=True, slots=True)
class Record:
    """The value of a top-level expression statement, when results are recorded (5.10)."""


Destination: TypeAlias = Return | Assign | Drop | Record


def lower_into(body: Body, node: nodes.Node, destination: Destination) -> None:
    """Evaluate `node` and store its value."""
    if lifting.should_lift(body, node) and not _copied(body, node):
        store(body, lifting.lifted(body, node), destination, node.span)
    elif isinstance(node, nodes.ValueBlock):
        _block(body, node, destination)
    elif isinstance(node, nodes.IfExpr) and isinstance(node.condition, nodes.BoolLiteral):
        lower_into(body, _chosen(body, node), destination)
    elif isinstance(node, nodes.IfExpr) and not (
        body.context.shape.reads_well_inline(node) or _copied(body, node)
    ):
        _if(body, node, destination)
    elif isinstance(node, nodes.Match) and not _copied(body, node):
        _match(body, node, destination)
    else:
        _store_expression(body, node, destination)


def _chosen(body: Body, node: nodes.IfExpr) -> nodes.Node:
    """The branch of an if-expression whose condition is written out; the other leaves no trace.

    Closures say like this that they have statements: `if true => { …; x } else => { x }`.
    """
    holds = isinstance(node.condition, nodes.BoolLiteral) and node.condition.value
    chosen, other = (node.then, node.orelse) if holds else (node.orelse, node.then)
    body.context.dropped.append(other.span)
    return chosen


def _block(body: Body, node: nodes.ValueBlock, destination: Destination) -> None:
    body.lower_all(body, node.statements)
    mark = len(body.statements)
    lower_into(body, node.value, destination)
    body.context.comments.attach(node.value, body.statements[mark:])
    body.context.comments.attach_tail(node, body.statements)


def _copied(body: Body, node: nodes.Node) -> bool:
    return node in body.context.facts.sharing.copies


def _store_expression(body: Body, node: nodes.Node, destination: Destination) -> None:
    if isinstance(destination, Drop) and isinstance(node, nodes.Call):
        printed = printing.print_statement(body, node)
        if printed is not None:
            body.emit(tree.expression(printed, node.span))
            return
    if isinstance(destination, Assign) and isinstance(node, nodes.Closure):
        value = closures.named(body, node)
    else:
        value = body.expr(node)
    if isinstance(destination, Assign) and _gives_nothing(body, node):
        body.emit(tree.expression(value, node.span))
        value = tree.constant(None, node.span)
    if isinstance(destination, Return) and destination.kind and body.type_of(node) is UNKNOWN:
        kind = tree.constant(destination.kind, node.span)
        value = body.helper("checked_result", node.span, value, kind)
        body.context.untyped.add(value)
    if isinstance(destination, Return) and destination.hint and value in body.untyped:
        value = _typed(body, value, destination.hint, node.span)
    store(body, value, destination, node.span)


def _typed(body: Body, value: ast.expr, hint: ast.expr, span: Span) -> ast.expr:
    """A value that type checkers see as Any, by way of a variable of the type that it has."""
    if isinstance(hint, ast.Name) and hint.id == "Any":
        return value
    name = body.temporary("result")
    body.emit(tree.annotated(tree.store(name, span), hint, value, span))
    return tree.name(name, span)


def _gives_nothing(body: Body, node: nodes.Node) -> bool:
    """Whether a call is one of a function that returns None: not to be used as a value."""
    return isinstance(node, nodes.Call) and body.type_of(node) is NULL


def store(body: Body, value: ast.expr, destination: Destination, span: Span) -> None:
    if isinstance(destination, Return):
        body.emit(tree.at(ast.Return(value), span))
    elif isinstance(destination, Assign):
        target = tree.store(destination.name, span)
        if destination.annotation is None:
            body.emit(tree.assign(target, value, span))
        else:
            body.emit(tree.annotated(target, destination.annotation, value, span))
    elif isinstance(destination, Record):
        recorded = tree.call(tree.name("record", span), [value], span)
        body.emit(tree.expression(recorded, span))
    elif not isinstance(value, ast.Constant):
        body.emit(tree.expression(value, span))


def declare_first(body: Body, destination: Destination, span: Span) -> Destination:
    """An annotated variable that several branches assign is declared before them."""
    if isinstance(destination, Assign) and destination.annotation is not None:
        target = tree.store(destination.name, span)
        bare = ast.AnnAssign(target, destination.annotation, None, 1)
        body.emit(tree.at(bare, span))
        return Assign(destination.name)
    return destination


def _branch(body: Body, node: nodes.Node, destination: Destination) -> list[ast.stmt]:
    with body.block() as statements:
        lower_into(body, node, destination)
    return statements


def _or_pass(statements: list[ast.stmt], span: Span) -> list[ast.stmt]:
    return statements or [tree.at(ast.Pass(), span)]


def _if(body: Body, node: nodes.IfExpr, destination: Destination) -> None:
    """An `if` statement; after branches that return, what follows needs no `else`."""
    destination = declare_first(body, destination, node.span)
    condition = operators.truth(body, node.condition)
    then = _or_pass(_branch(body, node.then, destination), node.then.span)
    if isinstance(destination, Return) and ends(then):
        body.emit(tree.at(ast.If(condition, then, []), node.span))
        lower_into(body, node.orelse, destination)
        return
    orelse = _branch(body, node.orelse, destination)
    body.emit(tree.at(ast.If(condition, then, orelse), node.span))


def ends(statements: list[ast.stmt]) -> bool:
    """Whether control never runs past these statements."""
    last = statements[-1] if statements else None
    if isinstance(last, ast.If):
        return bool(last.orelse) and ends(last.body) and ends(last.orelse)
    return isinstance(last, (ast.Return, ast.Raise, ast.Break, ast.Continue))


# -- match -----------------------------------------------------------------------------------


def _match(body: Body, node: nodes.Match, destination: Destination) -> None:
    """An `if` chain over the arms; the wildcard is the last `else`."""
    destination = declare_first(body, destination, node.span)
    subject = body.simple(body.expr(node.scrutinee), "subject", node.scrutinee.span)
    _arms(body, node, node.arms, subject, destination)


def _arms(
    body: Body,
    node: nodes.Match,
    arms: tuple[nodes.Arm, ...],
    subject: ast.expr,
    destination: Destination,
) -> None:
    """As for `if`: after arms that return, what follows needs no `else`."""
    chain = first = list[ast.stmt]()  # complete before it is emitted, as functions go before it
    seen: set[type[nodes.Pattern]] = set()
    for arm in arms:
        seen.add(type(arm.pattern))
        # of `Some(name)` and `None`, the second takes all that is left
        is_last = isinstance(arm.pattern, _HALVES) and seen.issuperset(_HALVES)
        test = None if is_last else _test(body, node, arm, subject)
        with body.block() as statements:
            _bind(body, arm, subject)
            lower_into(body, arm.body, destination)
        if test is None:
            chain.extend(statements if chain is first else _or_pass(statements, arm.span))
            break
        branch = tree.at(ast.If(test, _or_pass(statements, arm.span), []), arm.span)
        chain.append(branch)
        if not (isinstance(destination, Return) and ends(branch.body)):
            chain = branch.orelse
    body.statements.extend(first)


def _bind(body: Body, arm: nodes.Arm, subject: ast.expr) -> None:
    variable = body.variable(arm.pattern) if isinstance(arm.pattern, nodes.BindPattern) else None
    if variable is not None:
        target = tree.store(body.python(variable), arm.pattern.span)
        body.emit(tree.assign(target, subject, arm.pattern.span))


_HALVES: Final = (nodes.BindPattern, nodes.NullPattern)
_LITERAL_TYPES: Final[dict[type[nodes.Node], Type]] = {
    nodes.IntLiteral: INT,
    nodes.StringLiteral: STRING,
    nodes.BytesLiteral: BYTES,
}


def _test(body: Body, node: nodes.Match, arm: nodes.Arm, subject: ast.expr) -> ast.expr | None:
    """The condition of an arm; None for the wildcard."""
    span = arm.pattern.span
    match arm.pattern:
        case nodes.LiteralPattern(_, value):
            lowered = body.expr(value)
            subject_type = body.type_of(node.scrutinee)
            type_ = _LITERAL_TYPES[type(value)]
            return operators.equality(body, subject, subject_type, lowered, type_, span, False)
        case nodes.NullPattern():
            return operators.null_test(subject, tree.constant(None, span), span, False)
        case nodes.TypePattern(_, kind):
            return body.helper("matches", span, subject, tree.constant(kind, span))
        case nodes.BindPattern():
            return tree.is_none(subject, span, negate=True)
        case _:
            return None


# -- as values -------------------------------------------------------------------------------


def value(body: Body, node: nodes.IfExpr | nodes.Match | nodes.ValueBlock) -> ast.expr:
    """A conditional expression where the parts are plain, else a variable set by the branches."""
    if isinstance(node, nodes.ValueBlock) and not node.statements:
        return body.expr(node.value)
    if isinstance(node, nodes.IfExpr) and isinstance(node.condition, nodes.BoolLiteral):
        return body.expr(_chosen(body, node))
    if isinstance(node, nodes.IfExpr) and not body.context.shape.needs_statements(node):
        condition = operators.truth(body, node.condition)
        then, orelse = body.expr(node.then), body.expr(node.orelse)
        return tree.at(ast.IfExp(condition, then, orelse), node.span)
    name = body.temporary("chosen")
    destination = Assign(name)
    match node:
        case nodes.IfExpr():
            _if(body, node, destination)
        case nodes.Match():
            _match(body, node, destination)
        case nodes.ValueBlock():
            lower_into(body, node, destination)
    return tree.name(name, node.span)
