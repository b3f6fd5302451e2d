"""Closures and functions with captures: lambdas, nested `def`s, and how they hold outer variables.

Python closures share variables. That is the language's rule for captures that are assigned or
borrowed; a variable that is only read is captured by value (5.8), so where it may change later its
value is kept as the default of a keyword-only parameter.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from flintc.analysis.symbols import Capture, Scope, Variable
from flintc.analysis.types import Callable
from flintc.emit import functions, tree, typehints
from flintc.emit.body import Body
from flintc.source import Span
from flintc.syntax import nodes

_BINDINGS = (nodes.Let, nodes.Assign, nodes.AddAssign, nodes.ForRange)


def value(body: Body, node: nodes.Closure, hint: str = "inner") -> ast.expr:
    """A lambda if the body is one Python expression, else the name of a `def` emitted before."""
    if body.context.shape.needs_def(node) or assigned_captures(body, scope_of(body, node)):
        return named(body, node, hint)
    scope = scope_of(body, node)
    inner = functions.inner_body(body, scope)
    expression = inner.expr(node.body)
    params: list[tuple[str, ast.expr | None]] = [
        (name, None) for name in parameter_names(body, node)
    ]
    frozen = [(name, None, default) for name, _, default in frozen_captures(body, node, scope)]
    arguments = tree.parameters(params, frozen, node.span)
    return tree.at(ast.Lambda(arguments, expression), node.span)


def named(
    body: Body, node: nodes.Closure, hint: str = "inner", own: Variable | None = None
) -> ast.expr:
    """A closure as a `def` before the statement, by its name."""
    name = body.temporary(hint)
    body.emit(definition(body, node, name, own))
    return tree.name(name, node.span)


def calls_itself(body: Body, node: nodes.Closure, own: Variable) -> bool:
    """Whether a closure holds itself, by the variable that `let` binds to it (2.13)."""
    holds_name = not node.span.text.startswith("||")  # those see an older variable of the name
    return holds_name and scope_of(body, node).captures.get(own) is Capture.SNAPSHOT


def definition(
    body: Body, node: nodes.Closure, name: str, own: Variable | None = None
) -> ast.FunctionDef:
    """A closure as a `def`; `own` is the variable that is being bound to it."""
    scope = scope_of(body, node)
    params = [
        (python, typehints.annotation(body.context, variable.type, node.span))
        for python, variable in zip(parameter_names(body, node), _params(body, node), strict=True)
    ]
    frozen = list(frozen_captures(body, node, scope, own))
    result = body.type_of(node)
    result_type = result.result if isinstance(result, Callable) else body.type_of(node.body)
    returns = typehints.annotation(body.context, result_type, node.span)
    inner = functions.inner_body(body, scope)
    if own is not None:
        inner.aliases[own] = name
    with inner.block() as statements:
        functions.open_body(inner, node)
        functions.return_value(inner, node.body, node.body, hint=returns)
    return functions.make_def(
        body,
        name,
        tree.parameters(params, frozen, node.span),
        statements,
        returns,
        node,
        functions.decorators(body, node),
    )


def outlives_turn(body: Body, node: nodes.Closure, own: Variable) -> bool:
    """Whether a closure that calls itself is made in a loop and may be called after its turn, when
    the variable holds the one of a later turn.
    """
    usage = body.context.facts.usage
    uses = usage.of(own)
    kept = bool(uses.reads) or uses.captured > 1  # as a value, or by another closure than itself
    return kept and usage.loop_depth[node] > 0 and calls_itself(body, node, own)


def made_anew(body: Body, node: nodes.Closure, name: str, own: Variable) -> ast.expr:
    """A closure made by a function, whose variable holds it for its calls of itself."""
    maker, span = body.temporary(f"make_{name}"), node.span
    statements: list[ast.stmt] = [
        definition(body, node, name, own),
        tree.at(ast.Return(tree.name(name, span)), span),
    ]
    arguments = tree.parameters([], [], span)
    returns = typehints.annotation(body.context, own.type, span)
    body.emit(functions.make_def(body, maker, arguments, statements, returns, node, []))
    return tree.call(tree.name(maker, span), [], span)


def scope_of(body: Body, node: nodes.Node) -> Scope:
    return body.context.facts.resolution.scopes[node]


def _params(body: Body, node: nodes.Closure) -> list[Variable]:
    variables = body.context.facts.resolution.variables
    return [variables[param] for param in node.params]


def parameter_names(body: Body, node: nodes.Closure) -> list[str]:
    return [body.python(variable) for variable in _params(body, node)]


def frozen_captures(
    body: Body, node: nodes.Closure | nodes.Function, scope: Scope, own: Variable | None = None
) -> Iterator[tuple[str, ast.expr | None, ast.expr]]:
    """The captures whose value is kept at creation: name, annotation, value."""
    usage = body.context.facts.usage
    for variable, capture in scope.captures.items():
        if capture is Capture.SHARED or variable is own:
            continue
        if not usage.may_change(variable):
            continue
        name = body.python(variable)
        current: ast.expr = tree.name(name, node.span)
        if (node, variable) in body.context.facts.sharing.captures:
            current = body.helper("own", node.span, current)
        yield name, typehints.annotation(body.context, variable.type, node.span), current


def assigned_captures(body: Body, scope: Scope) -> list[str]:
    """The captured variables that the body itself assigns: its `nonlocal` names."""
    names: dict[str, None] = {}
    for part in scope.parts if scope.captures else ():
        variable = body.variable(part) if isinstance(part, _BINDINGS) else None
        if variable is not None and variable in scope.captures:
            names[body.python(variable)] = None
    return list(names)


def nonlocal_statement(body: Body, scope: Scope, span: Span) -> ast.stmt | None:
    names = assigned_captures(body, scope)
    return tree.at(ast.Nonlocal(names), span) if names else None
