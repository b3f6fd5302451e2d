"""Function definitions: parameters, the opening of a body, and its result."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from flintc.analysis.symbols import FunctionSymbol, Scope
from flintc.analysis.types import NULL, Type
from flintc.emit import branches, checks, closures, tree, typehints
from flintc.emit.body import Body
from flintc.emit.printer import docstring
from flintc.source import Span
from flintc.syntax import nodes


def inner_body(body: Body, scope: Scope) -> Body:
    """The body of a function or closure inside `body`."""
    return Body(
        body.context,
        scope,
        body.lower,
        body.lower_all,
        temporaries=set(body.temporaries),
    )


def open_body(body: Body, owner: nodes.Function | nodes.Closure) -> None:
    """What a body starts with: `nonlocal`, and copies of parameters that it changes in place."""
    declared = closures.nonlocal_statement(body, body.scope, owner.span)
    if declared is not None:
        body.emit(declared)
    for variable in body.scope.variables:
        if variable in body.context.facts.sharing.parameters:
            name, span = body.python(variable), variable.span
            copied = body.copy_of(tree.name(name, span), variable.type, span)
            body.emit(tree.assign(tree.store(name, span), copied, span))
    define_hoisted(body)


def define_hoisted(body: Body) -> None:
    """The functions that are in this body only because they use others that are."""
    for symbol in body.context.placement.hoisted(body.scope):
        bring_into_being(body, symbol)


def bring_into_being(body: Body, symbol: FunctionSymbol) -> None:
    """A function's `def` in a body. mypyc binds its name there, even if it is global or an outer
    function's: those get the function by an assignment.
    """
    definition = define(body, symbol)
    body.emit(definition)
    elsewhere = symbol in body.declared or body.context.is_exported(symbol)
    if body.context.options.checked and elsewhere:
        name, span = definition.name, symbol.node.name.span
        definition.name = body.temporary(name)
        body.emit(tree.assign(tree.store(name, span), tree.name(definition.name, span), span))


def declared_result(body: Body, node: nodes.Function) -> Type | None:
    annotations = body.context.facts.resolution.annotations
    return None if node.result is None else annotations.get(node.result)


def return_value(
    body: Body,
    node: nodes.Node,
    result: nodes.Node,
    kind: str | None = None,
    hint: ast.expr | None = None,
) -> None:
    """Return the value of `node`; the final `null` of a function run for its effect is Python's
    own.
    """
    gives_null = body.type_of(result) is NULL
    destination = branches.Drop() if gives_null else branches.Return(kind, hint)
    branches.lower_into(body, node, destination)


def decorators(body: Body, node: nodes.Node) -> list[str]:
    return ["recursive"] if node in body.context.facts.depths.counted else []


def _depth_parameter(body: Body, node: nodes.Function) -> list[tuple[str, ast.expr, ast.expr]]:
    """The parameter for the depth of the call, with that of calls by the top level."""
    name = body.context.names.depths.get(node)
    span = node.name.span
    return [] if name is None else [(name, tree.name("int", span), tree.constant(1, span))]


def define(body: Body, symbol: FunctionSymbol) -> ast.FunctionDef:
    """A declared function as a `def`."""
    node = symbol.node
    scope = body.context.facts.resolution.scopes[node]
    context = body.context
    span = node.name.span
    params = [
        (body.python(v), typehints.shown(context, v.declared, v.type, v.span))
        for v in symbol.params
    ]
    # A type parameter that no argument tells is Any to Python's callers.
    with context.signature([hint for _, hint in params]):
        returns = typehints.shown(context, declared_result(body, node), symbol.result, span)
    frozen = list(closures.frozen_captures(body, node, scope))
    inner = inner_body(body, scope)
    with context.signature([*(hint for _, hint in params), returns]), inner.block() as statements:
        _docstring(inner, node)
        open_body(inner, node)
        if node.body is not None:
            kind = checks.kind(declared_result(body, node))
            return_value(inner, node.body, node.body.value, kind, returns)
    arguments = tree.parameters(params, frozen, span, _depth_parameter(body, node))
    name = context.names.functions[symbol]
    return make_def(body, name, arguments, statements, returns, node, decorators(body, node))


def _docstring(body: Body, node: nodes.Function) -> None:
    lines = body.context.comments.docstring(node)
    if lines:
        text = tree.constant(docstring(lines, "    "), node.name.span)
        body.emit(tree.expression(text, node.name.span))


def make_def(
    body: Body,
    name: str,
    arguments: ast.arguments,
    statements: list[ast.stmt],
    returns: ast.expr,
    node: nodes.Function | nodes.Closure,
    decorator_names: Sequence[str],
) -> ast.FunctionDef:
    span = node.span
    head = Span(span.file, span.start, max(span.start + 1, span.end))
    definition = ast.FunctionDef(
        name=name,
        args=arguments,
        body=statements or [tree.at(ast.Pass(), span)],
        decorator_list=[tree.name(body.context.lang(d), span) for d in decorator_names],
        returns=returns,
        type_comment=None,
    )
    return tree.at(definition, head)
