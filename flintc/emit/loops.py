"""Loops. A range loop is Python's `for … in range(…)` where that is the same.

The language re-evaluates the end before every turn, leaves the variable at its final value, and
lets `for mut` bodies move it (2.3); where any of that can be seen the loop is a `while`.
"""

from __future__ import annotations

import ast
from typing import Final

from flintc.analysis.intervals import I64_MAX
from flintc.analysis.symbols import Variable
from flintc.analysis.types import FLOAT, INT, STRING, is_array, is_map
from flintc.emit import lifting, operators, statements, tree
from flintc.emit.body import Body
from flintc.emit.steady import is_kept, is_steady
from flintc.source import Span
from flintc.syntax import nodes

_Loop = nodes.While | nodes.ForRange | nodes.ForMap
_MAX_NESTING: Final = 12  # CPython refuses more than 20 nested blocks


def lower(body: Body, node: _Loop) -> None:
    if len(body.loop_step) >= _MAX_NESTING:
        _lift(body, node)
        return
    match node:
        case nodes.While():
            _while(body, node)
        case nodes.ForMap():
            _for_map(body, node)
        case nodes.ForRange():
            _for_range(body, node)


def continue_(body: Body, node: nodes.Continue) -> None:
    step = body.loop_step[-1] if body.loop_step else None
    if step is not None:
        for statement in step():
            body.emit(statement)
    body.emit(tree.at(ast.Continue(), node.span))


def _loop_body(body: Body, node: nodes.Block) -> list[ast.stmt]:
    body.loop_step.append(None)
    try:
        return statements.block(body, node)
    finally:
        body.loop_step.pop()


def _while(body: Body, node: nodes.While) -> None:
    with body.block() as before:
        condition = operators.truth(body, node.condition)
    inside = _loop_body(body, node.body)
    if before:
        condition, inside = _test_inside(condition, before, inside, node.condition.span)
    body.emit(tree.at(ast.While(condition, inside, []), node.span))


def _test_inside(
    condition: ast.expr, before: list[ast.stmt], inside: list[ast.stmt], span: Span
) -> tuple[ast.expr, list[ast.stmt]]:
    """A condition that needs statements is tested at the top of an endless loop."""
    leave = tree.at(ast.Break(), span)
    test = tree.at(ast.If(tree.unary(ast.Not(), condition, span), [leave], []), span)
    return tree.constant(True, span), [*before, test, *inside]


def _for_map(body: Body, node: nodes.ForMap) -> None:
    source = body.variable(node)
    variables = body.context.facts.resolution.variables
    key, value = variables[node.key], variables[node.value]
    if source is None:
        return
    target = ast.Tuple(
        [
            tree.store(body.python(key), node.key.span),
            tree.store(body.python(value), node.value.span),
        ],
        tree.STORE,
    )
    items = body.helper(
        "map_items", node.source.span, tree.name(body.python(source), node.source.span)
    )
    inside = _loop_body(body, node.body)
    body.emit(tree.at(ast.For(tree.at(target, node.span), items, inside, []), node.span))


# -- range loops -----------------------------------------------------------------------------


def _for_range(body: Body, node: nodes.ForRange) -> None:
    variable = body.variable(node)
    if variable is None:
        return
    if not _is_plain_range(body, node, variable):
        _while_range(body, node, variable)
        return
    arguments = [body.expr(node.start), body.expr(node.end)]
    if node.inclusive:
        arguments[1] = _one_more(arguments[1], node.end.span)
    if isinstance(arguments[0], ast.Constant) and arguments[0].value == 0:
        del arguments[0]
    turns = tree.call(tree.name("range", node.span), arguments, node.span)
    bounded = _bounded_container(body, node)
    if bounded is not None:
        body.in_bounds[variable] = bounded
    inside = _loop_body(body, node.body)
    body.in_bounds.pop(variable, None)
    target = tree.store(body.python(variable), node.name.span)
    body.emit(tree.at(ast.For(target, turns, inside, []), node.span))


def _one_more(end: ast.expr, span: Span) -> ast.expr:
    if isinstance(end, ast.Constant) and isinstance(end.value, int):
        return tree.constant(end.value + 1, span)
    return tree.binary(end, ast.Add(), tree.constant(1, span), span)


def _is_plain_range(body: Body, node: nodes.ForRange, variable: Variable) -> bool:
    if body.type_of(node.start) is not INT or body.type_of(node.end) is not INT:
        return False
    if isinstance(node.end, nodes.IntLiteral) and node.end.value == I64_MAX:
        return False  # the closed range to the last int never ends
    return (
        _only_used_inside(body, node, variable)
        and not _rebinds(body, node, variable)
        and is_steady(body, node, node.end)
        and not body.context.shape.needs_statements(node.end)
    )


def _only_used_inside(body: Body, node: nodes.ForRange, variable: Variable) -> bool:
    """Whether nothing sees the variable after the loop: every read is inside one of its loops."""
    uses = body.context.facts.usage.of(variable)
    if uses.shared or variable.scope is not body.scope:
        return False
    return uses.is_only_read_in_loops


def _rebinds(body: Body, node: nodes.ForRange, variable: Variable) -> bool:
    """Whether the body moves the variable, or an inner loop uses it too."""
    return body.context.facts.usage.of(variable).is_bound_inside(node.body.span)


def _bounded_container(body: Body, node: nodes.ForRange) -> Variable | None:
    """The list or string whose indices the loop runs over: `for i in 0..items.length`."""
    match node.end:
        case nodes.Length(value=nodes.Name() as name) if not node.inclusive:
            container = body.variable(name)
        case _:
            return None
    if container is None or not body.context.facts.ranges.is_non_negative(node.start):
        return None
    if not (is_array(container.type) or container.type is STRING) or is_map(container.type):
        return None
    return container if is_kept(body, node, container) else None


def _while_range(body: Body, node: nodes.ForRange, variable: Variable) -> None:
    name, span = body.python(variable), node.name.span
    body.emit(tree.assign(tree.store(name, span), body.expr(node.start), node.span))
    current: ast.expr = tree.name(name, span)
    with body.block() as before:
        if body.is_kept_during(variable, node.end.span):
            end = body.expr(node.end)
        else:
            current, end = body.exprs([node.end], earlier=[current])
    operator = "<=" if node.inclusive else "<"
    types = (variable.type, body.type_of(node.end))
    condition = operators.ordering(body, operator, current, types[0], end, types[1], node.span)
    body.loop_step.append(lambda: [_step(body, node, variable)])
    try:
        inside = statements.block(body, node.body)
    finally:
        body.loop_step.pop()
    if isinstance(inside[-1], ast.Pass):
        inside = [body.context.comments.moved(inside[-1], _step(body, node, variable))]
    elif not isinstance(inside[-1], (ast.Break, ast.Continue)):
        inside.append(_step(body, node, variable))
    if before:
        condition, inside = _test_inside(condition, before, inside, node.end.span)
    body.emit(tree.at(ast.While(condition, inside, []), node.span))


def _step(body: Body, node: nodes.ForRange, variable: Variable) -> ast.stmt:
    name, span = body.python(variable), node.name.span
    one = tree.constant(1, span)
    fits = variable.type is INT and body.context.facts.ranges.loop_step_fits(variable)
    if fits or variable.type is FLOAT:
        return tree.at(ast.AugAssign(tree.store(name, span), ast.Add(), one), span)
    current = tree.name(name, span)
    if variable.type is INT:
        value: ast.expr = body.helper("wrap", span, tree.binary(current, ast.Add(), one, span))
    else:
        value = body.helper("add", span, current, one)
    return tree.assign(tree.store(name, span), value, span)


# -- deep nesting ----------------------------------------------------------------------------


def _lift(body: Body, node: _Loop) -> None:
    """Put a deeply nested loop into a function of its own, called in its place."""
    span = node.span
    definition = lifting.local_function(
        body, node, "inner_loop", tree.constant(None, span), lambda inner: lower(inner, node)
    )
    body.emit(definition)
    body.emit(tree.expression(tree.call(tree.name(definition.name, span), [], span), span))
