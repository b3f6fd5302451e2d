"""Values and loops nested too deeply for Python go into local functions.

CPython reads at most 100 levels of indentation and 20 nested blocks. A function starts anew, and
what it does is still done where and when it is needed: where it is called.
"""

from __future__ import annotations

import ast
from bisect import bisect_left
from collections.abc import Callable
from typing import Final, TypeVar

from flintc.analysis.symbols import FunctionSymbol, Variable
from flintc.emit import branches, tree, typehints
from flintc.emit.body import Body
from flintc.source import Span
from flintc.syntax import nodes

_Node = TypeVar("_Node", bound=nodes.Node)
MAX_DEPTH: Final = 24
_WITH_BLOCKS: Final = (
    *(nodes.IfExpr, nodes.Match, nodes.ValueBlock),
    *(nodes.Operation, nodes.UnwrapOr),  # `&&`, `||` and defaults that are not always evaluated
)


def should_lift(body: Body, node: nodes.Node) -> bool:
    """Whether lowering a node as it is would indent too far, and a function can take its place."""
    return (
        body.depth > MAX_DEPTH
        and isinstance(node, _WITH_BLOCKS)
        and body.context.shape.needs_statements(node)
        and not body.context.shape.leaves_loop(node)
    )


def lifted(body: Body, node: nodes.Node) -> ast.expr:
    """The call of a local function that returns the value of `node`."""
    returns = typehints.annotation(body.context, body.type_of(node), node.span)
    definition = local_function(
        body,
        node,
        "inner_value",
        returns,
        lambda inner: branches.lower_into(inner, node, branches.Return()),
    )
    body.base.append(definition)
    return tree.call(tree.name(definition.name, node.span), [], node.span)


def local_function(
    body: Body, node: nodes.Node, hint: str, returns: ast.expr, fill: Callable[[Body], None]
) -> ast.FunctionDef:
    """A function without parameters for a part of a body, which `fill` lowers; what the part
    assigns or declares stays the body's own.
    """
    inner = Body(body.context, body.scope, body.lower, body.lower_all)
    inner.temporaries, inner.made = body.temporaries, body.made
    inner.annotated, inner.in_bounds = body.annotated, dict(body.in_bounds)
    inner.declared, inner.aliases, inner.untyped = body.declared, body.aliases, body.untyped
    name, span = body.temporary(hint), node.span
    shared = _shared_variables(body, node)
    for variable in shared:
        _declare_shared(body, node, variable)
    functions = _declared_functions(body, node)
    for symbol in functions:
        _declare_function(body, symbol)
    with inner.block() as statements:
        names = [body.python(variable) for variable in shared]
        named = {symbol: body.context.names.functions[symbol] for symbol in functions}
        exported = [name for symbol, name in named.items() if body.context.is_exported(symbol)]
        names += [name for name in named.values() if name not in exported]
        if exported:
            inner.emit(tree.at(ast.Global(exported), span))
        if names:
            inner.emit(tree.at(ast.Nonlocal(names), span))
        fill(inner)
    arguments = tree.parameters([], [], span)
    return tree.at(ast.FunctionDef(name, arguments, statements, [], returns, None), span)


def _declared_functions(body: Body, node: nodes.Node) -> list[FunctionSymbol]:
    """The functions that come into being in a part of a body."""
    known = body.context.facts.resolution.functions
    symbols = map(known.get, _inside(body.scope.parts_of(nodes.Function), node.span))
    return [s for s in symbols if s is not None and body.context.is_defined_at(s, body.scope)]


def _declare_function(body: Body, symbol: FunctionSymbol) -> None:
    if symbol in body.declared or body.context.is_exported(symbol):
        return
    body.declared.add(symbol)
    span = symbol.node.name.span
    target = tree.store(body.context.names.functions[symbol], span)
    kind = typehints.of_function(body.context, symbol)
    body.emit(tree.at(ast.AnnAssign(target, kind, None, 1), span))


def _shared_variables(body: Body, node: nodes.Node) -> list[Variable]:
    """The variables that a part of a body assigns and that live outside it too."""
    found: dict[Variable, None] = {}
    scope = body.scope
    bindings: list[nodes.Node] = [
        *_inside(scope.parts_of(nodes.Let), node.span),
        *_inside(scope.parts_of(nodes.Assign), node.span),
        *_inside(scope.parts_of(nodes.AddAssign), node.span),
        *_inside(scope.parts_of(nodes.ForRange), node.span),
    ]
    for part in sorted(bindings, key=_start):
        variable = body.variable(part)
        if variable is not None and _lives_outside(body, variable, node.span):
            found[variable] = None
    return list(found)


def _inside(parts: list[_Node], span: Span) -> list[_Node]:
    """Those of some nodes of a body, in the order of the text, that a part of it begins with or
    has in it.
    """
    first = bisect_left(parts, span.start, key=_start)
    return parts[first : bisect_left(parts, span.end, key=_start)]


def _start(node: nodes.Node) -> int:
    return node.span.start


def _lives_outside(body: Body, variable: Variable, span: Span) -> bool:
    uses = body.context.facts.usage.of(variable)
    is_outer = variable.kind in ("param", "closure_param") or variable.scope is not body.scope
    return is_outer or uses.is_bound_outside(span) or uses.is_read_outside(span)


def _is_bound_before(body: Body, variable: Variable, span: Span) -> bool:
    """Whether Python has seen a binding of a variable before a part of the text."""
    bindings = body.context.facts.usage.of(variable).bindings
    return any(
        binding.span.start < span.start
        and not any(part.start <= binding.span.start < part.end for part in body.context.dropped)
        for binding in bindings
    )


def _declare_shared(body: Body, node: nodes.Node, variable: Variable) -> None:
    """Python wants a `nonlocal` variable to be local further out, and annotated only there."""
    is_outer = variable.scope is not body.scope
    known = variable in body.annotated or is_outer or _is_bound_before(body, variable, node.span)
    body.annotated.add(variable)
    if not known and variable.kind not in ("param", "closure_param"):
        target = tree.store(body.python(variable), node.span)
        kind = typehints.annotation(body.context, variable.type, node.span)
        body.emit(tree.at(ast.AnnAssign(target, kind, None, 1), node.span))
