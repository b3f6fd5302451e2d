"""Statements, one function a kind; loops are in `loops`."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from typing import Any, Final

from flintc.analysis.parts import body_parts
from flintc.analysis.symbols import BuiltinTarget, Variable
from flintc.analysis.types import (
    FLOAT,
    INT,
    STRING,
    UNKNOWN,
    Object,
    Primitive,
    StructRef,
    Tuple,
    Type,
    is_array,
    is_map,
)
from flintc.emit import (
    branches,
    closures,
    functions,
    literals,
    loops,
    operators,
    order,
    tree,
    typehints,
)
from flintc.emit.body import Body
from flintc.emit.branches import Assign, Destination, Drop, Record
from flintc.syntax import nodes


def lower_all(body: Body, statements: Sequence[nodes.Statement]) -> None:
    for statement in statements:
        mark = len(body.statements)
        lower(body, statement)
        body.context.comments.attach(statement, body.statements[mark:])


def lower(body: Body, node: nodes.Statement) -> None:
    """`use` and `struct` only say what names mean; errors are reported elsewhere."""
    handler = _STATEMENTS.get(type(node))
    if handler is not None:
        handler(body, node)


def _expression(body: Body, node: nodes.ExprStatement) -> None:
    branches.lower_into(body, node.value, _result_destination(body, node))


def _break(body: Body, node: nodes.Break) -> None:
    body.emit(tree.at(ast.Break(), node.span))


def _result_destination(body: Body, node: nodes.ExprStatement) -> Destination:
    """A statement on the top level leaves its value, but `assert` has none (5.10, 6.1)."""
    leaves = body.scope.parent is None and body.context.options.record
    target = body.context.facts.resolution.targets.get(node.value)
    return Record() if leaves and target != BuiltinTarget("assert") else Drop()


# -- binding ---------------------------------------------------------------------------------


def _let(body: Body, node: nodes.Let) -> None:
    variable = body.variable(node)
    if variable is None:
        return
    name = body.python(variable)
    if isinstance(node.value, nodes.Closure) and closures.outlives_turn(body, node.value, variable):
        made = closures.made_anew(body, node.value, name, variable)
        branches.store(body, made, Assign(name, _annotation(body, node, variable)), node.span)
        return
    if isinstance(node.value, nodes.Closure) and _is_only_binding(body, variable):
        body.emit(closures.definition(body, node.value, name, own=variable))
        return
    annotation = _annotation(body, node, variable)
    if isinstance(node.value, nodes.Closure) and closures.calls_itself(body, node.value, variable):
        made = closures.named(body, node.value, own=variable)
        branches.store(body, made, Assign(name, annotation), node.span)
        return
    branches.lower_into(body, node.value, Assign(name, annotation))


def _is_only_binding(body: Body, variable: Variable) -> bool:
    return len(body.context.facts.usage.of(variable).bindings) == 1


def _annotation(body: Body, node: nodes.Let, variable: Variable) -> ast.expr | None:
    """The first binding of a variable carries the type that the script gives it."""
    untyped = variable in body.context.facts.typing.untyped
    needs = node.annotation is not None or _needs_annotation(node.value, variable.type) or untyped
    if not needs or variable in body.annotated or variable.scope is not body.scope:
        return None
    if variable.type is UNKNOWN and not untyped:
        return None
    body.annotated.add(variable)
    if untyped:
        return typehints.any_(body.context, node.name.span)
    return typehints.shown(body.context, variable.declared, variable.type, node.name.span)


def _needs_annotation(node: nodes.Node, type_: Type) -> bool:
    """Whether a type checker would not see from a literal what else the variable may hold."""
    match node:
        case nodes.Call(type_args=type_args):
            return bool(type_args)  # Python has no place for them at the call
        case nodes.ArrayLiteral(items=items):
            return not items or (isinstance(type_, Tuple) and len({*type_.items}) > 1)
        case nodes.MapLiteral(entries=entries):
            mixed = isinstance(type_, Object) and len({kind for _, kind in type_.fields}) > 1
            return not entries or mixed
        case _:
            return False


def _assign(body: Body, node: nodes.Assign) -> None:
    variable = body.variable(node)
    if variable is None:
        return
    name = body.python(variable)
    if _accumulate(body, node, variable, name):
        return
    branches.lower_into(body, node.value, Assign(name))
    if variable.type in (INT, FLOAT):
        _shorten(body.statements)


def _shorten(statements: list[ast.stmt]) -> None:
    """A last `n = n // 2` as `n //= 2`."""
    match statements[-1]:
        case ast.Assign(
            targets=[ast.Name(id=name) as target],
            value=ast.BinOp(left=ast.Name(id=left), op=operator, right=right),
        ) as assignment if (
            left == name
        ):
            short = ast.AugAssign(target, operator, right)
            statements[-1] = ast.copy_location(short, assignment)


def _accumulate(body: Body, node: nodes.Assign, variable: Variable, name: str) -> bool:
    """`x = x + y` of numbers and strings as `x += y` (a list would be extended in place)."""
    value = node.value
    if not isinstance(value, nodes.Operation) or value.operators not in (("+",), ("-",)):
        return False
    if body.variable(value.operands[0]) is not variable:
        return False
    types = [body.type_of(operand) for operand in value.operands]
    if types not in ([INT, INT], [FLOAT, FLOAT], [STRING, STRING]):
        return False
    if types[0] is INT and not body.context.facts.ranges.exact(value).fits:
        return False
    operator: ast.operator = ast.Add() if value.operators[0] == "+" else ast.Sub()
    _change(body, node, name, operator, value.operands[1])
    return True


def _change(
    body: Body,
    node: nodes.Assign | nodes.AddAssign,
    name: str,
    operator: ast.operator,
    by: nodes.Node,
) -> None:
    """`x += by`; `x = x + by` where evaluating `by` takes statements, which may change x."""
    target = tree.store(name, node.name.span)
    current, added = _summands(body, node, name, by)
    if isinstance(current, ast.Name) and current.id == name:
        body.emit(tree.at(ast.AugAssign(target, operator, added), node.span))
    else:
        result = tree.binary(current, operator, added, node.span)
        body.emit(tree.assign(target, result, node.span))


def _summands(
    body: Body, node: nodes.Assign | nodes.AddAssign, name: str, by: nodes.Node
) -> tuple[ast.expr, ast.expr]:
    """The variable's value from before `by` is evaluated, and `by`."""
    current = tree.name(name, node.name.span)
    variable = body.variable(node)
    if variable is not None and body.is_kept_during(variable, by.span):
        return current, body.expr(by)
    before, added = body.exprs([by], earlier=[current])
    return before, added


def _add_assign(body: Body, node: nodes.AddAssign) -> None:
    variable = body.variable(node)
    if variable is None:
        return
    name = body.python(variable)
    types = (variable.type, body.type_of(node.value))
    if types == (FLOAT, FLOAT) or (types == (INT, INT) and _stays_small(body, variable, node)):
        _change(body, node, name, ast.Add(), node.value)
        return
    target = tree.store(name, node.name.span)
    current, added = _summands(body, node, name, node.value)
    if types == (INT, INT):
        total = tree.binary(current, ast.Add(), added, node.span)
        body.emit(tree.assign(target, body.helper("wrap", node.span, total), node.span))
        return
    body.emit(tree.assign(target, body.helper("add", node.span, current, added), node.span))


def _stays_small(body: Body, variable: Variable, node: nodes.AddAssign) -> bool:
    ranges = body.context.facts.ranges
    return ranges.sum_of(variable, node.value).fits


# -- elements --------------------------------------------------------------------------------


def _store_item(body: Body, node: nodes.MemberAssign | nodes.IndexAssign) -> None:
    variable = body.variable(node)
    if variable is None:
        return
    container = tree.name(body.python(variable), node.name.span)
    if isinstance(node, nodes.IndexAssign):
        if is_array(variable.type) and _is_append(body, node, variable):
            value = body.expr(node.value)
            appended = tree.method(container, "append", node.span, value)
            body.emit(tree.expression(appended, node.span))
            return
        key, value = body.exprs((node.index, node.value))
        if is_array(variable.type) and _is_in_bounds(body, node, variable):
            _store_plainly(body, node, container, key, value)
            return
        plain = literals.is_plain_key(body.type_of(node.index))
    else:
        key, plain = tree.constant(node.member.name, node.member.span), True
        value = body.expr(node.value)
    keeps_shape = _keeps_shape(body, node, variable)
    if is_map(variable.type) and plain and keeps_shape:
        if not order.commutes(body, key, value):  # Python evaluates the value first
            key = body.keep(key, "key", node.span)
        _store_plainly(body, node, container, key, value)
        return
    stored = body.helper("set_item", node.span, container, key, value)
    body.emit(tree.expression(stored, node.span))


def _keeps_shape(
    body: Body, node: nodes.MemberAssign | nodes.IndexAssign, variable: Variable
) -> bool:
    """Whether the value is never null (null removes the entry) and of its field's declared type."""
    type_ = body.type_of(node.value)
    if not literals.never_null(type_):
        return False
    if not isinstance(node, nodes.MemberAssign) or not isinstance(variable.declared, StructRef):
        return True
    schema = body.context.facts.resolution.structs.get(variable.declared.name)
    field = schema.fields.get(node.member.name) if schema is not None else None
    return field is not None and (not isinstance(field, Primitive) or field == type_)


def _store_plainly(
    body: Body,
    node: nodes.MemberAssign | nodes.IndexAssign,
    container: ast.expr,
    key: ast.expr,
    value: ast.expr,
) -> None:
    target = tree.at(ast.Subscript(container, key, tree.STORE), node.span)
    body.emit(tree.assign(target, value, node.span))


def _is_in_bounds(body: Body, node: nodes.IndexAssign, variable: Variable) -> bool:
    """Whether `items[i] = value` replaces an item and cannot fail."""
    if body.context.facts.ranges.stays_in_bounds(node):
        return True
    index = body.variable(node.index)
    return index is not None and body.in_bounds.get(index) is variable


def _is_append(body: Body, node: nodes.IndexAssign, variable: Variable) -> bool:
    """`items[items.length] = value`, where the value does not change the length."""
    index = node.index
    if not isinstance(index, nodes.Length) or body.variable(index.value) is not variable:
        return False
    uses, span = body.context.facts.usage.of(variable), node.value.span
    changed = uses.is_bound_inside(span) or uses.is_mutated_inside(span)
    calls = (isinstance(part, nodes.Call) for part in (node.value, *body_parts(node.value)))
    return not changed and not (uses.shared and any(calls))


# -- control flow ----------------------------------------------------------------------------


def _if(body: Body, node: nodes.If) -> None:
    condition = operators.truth(body, node.condition)
    then = block(body, node.then)
    orelse: list[ast.stmt] = []
    if isinstance(node.orelse, nodes.If):
        with body.block() as orelse:
            lower(body, node.orelse)
    elif node.orelse is not None and _says_something(body, node.orelse):
        orelse = block(body, node.orelse)
    body.emit(tree.at(ast.If(condition, then, orelse), node.span))


def _says_something(body: Body, node: nodes.Block) -> bool:
    """Whether a block has statements, or a comment that says why it has none."""
    return bool(node.statements) or body.context.comments.has_inside(node.span)


def block(body: Body, node: nodes.Block) -> list[ast.stmt]:
    """The statements of a `{ … }`, never empty."""
    with body.block() as statements:
        lower_all(body, node.statements)
    body.context.comments.attach_tail(node, statements)
    return statements or [tree.at(ast.Pass(), node.span)]


def _function(body: Body, node: nodes.Function) -> None:
    """A function that uses variables of this body comes into being here; others are elsewhere."""
    symbol = body.context.facts.resolution.functions.get(node)
    if symbol is None or not body.context.is_defined_at(symbol, body.scope):
        return
    functions.bring_into_being(body, symbol)


_STATEMENTS: Final[dict[type[nodes.Node], Callable[[Body, Any], None]]] = {
    nodes.Let: _let,
    nodes.Assign: _assign,
    nodes.AddAssign: _add_assign,
    nodes.MemberAssign: _store_item,
    nodes.IndexAssign: _store_item,
    nodes.ExprStatement: _expression,
    nodes.If: _if,
    nodes.While: loops.lower,
    nodes.ForRange: loops.lower,
    nodes.ForMap: loops.lower,
    nodes.Break: _break,
    nodes.Continue: loops.continue_,
    nodes.Function: _function,
}
