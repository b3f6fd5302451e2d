"""Calls of functions, function values, builtins and host functions."""

from __future__ import annotations

import ast
from typing import Final

from flintc.analysis.symbols import (
    BuiltinTarget,
    FunctionSymbol,
    FunctionTarget,
    HostTarget,
    NamespaceTarget,
    Variable,
    VariableTarget,
)
from flintc.analysis.types import Callable
from flintc.catalogue import HostFunction
from flintc.emit import checks, tree
from flintc.emit.body import Body
from flintc.emit.existence import Existing
from flintc.source import Span
from flintc.syntax import nodes

BUILTINS: Final = {
    "print": "print_",
    "type": "type_name",
    "assert": "assert_",
    "len": "length",
    "slice": "slice_count",
    "set": "set_",
    "get": "item",
}
"""Builtins whose name in `flint.lang` differs."""


def call(body: Body, node: nodes.Call) -> ast.expr:
    target = body.context.facts.resolution.targets.get(node)
    if isinstance(target, FunctionTarget):
        return _call_function(body, target.function, node)
    if isinstance(target, VariableTarget):
        return _call_value(body, target.variable, node)
    if isinstance(target, BuiltinTarget):
        helper = BUILTINS.get(target.name, target.name)
        return body.helper(helper, node.span, *body.exprs(node.args))
    if isinstance(target, (NamespaceTarget, HostTarget)) and target.function is not None:
        return _call_host(body, target.function, node)
    if isinstance(target, HostTarget):
        args = [tree.constant(target.name, node.span), *body.exprs(node.args)]
        return body.helper("unbound", node.span, *args)
    return tree.constant(None, node.span)


def _call_function(body: Body, function: FunctionSymbol, node: nodes.Call) -> ast.expr:
    if existing(body, function, node.span) is Existing.NO:
        nothing = tree.constant(None, node.span)
        return body.helper("call", node.span, nothing, *body.exprs(node.args))
    reference = function_reference(body, function, node.path[-1].span)
    called = tree.call(reference, _arguments(body, function, node), node.span)
    return _with_depth(body, function, called, node.span)


def _with_depth(body: Body, function: FunctionSymbol, call: ast.Call, span: Span) -> ast.Call:
    """Tell a function its depth: one more than ours, or nothing where it is the usual 1.

    `DEEPER[depth]` fails at the limit, after the other arguments (5.8, 5.9).
    """
    names, depths = body.context.names.depths, body.context.facts.depths
    if function.node not in depths.told:
        return call
    own = names.get(body.scope.owner)
    if own is not None:
        deeper = tree.name(body.context.lang("DEEPER"), span)
        call.args.append(tree.subscript(deeper, tree.name(own, span), span))
    elif depths.least[body.scope.owner] > 0:
        depth = tree.constant(int(depths.least[body.scope.owner]) + 1, span)
        call.keywords.append(tree.at(ast.keyword(names[function.node], depth), span))
    return call


def _arguments(body: Body, function: FunctionSymbol, node: nodes.Call) -> list[ast.expr]:
    """The arguments; one that nothing but an annotation vouches for (a value from JSON or a host)
    is checked as it is passed (5.8).
    """
    lowered = body.exprs(node.args)
    for number, (argument, param) in enumerate(zip(node.args, function.params, strict=False)):
        kind = checks.kind(param.declared)
        if kind is None:
            continue
        if checks.is_only_trusted(body, argument) or checks.is_null_for(body, argument, kind):
            text = tree.constant(kind, argument.span)
            lowered[number] = body.helper("checked_argument", argument.span, lowered[number], text)
    return lowered


def _call_value(body: Body, variable: Variable, node: nodes.Call) -> ast.expr:
    """A plain call where the type says that the value is callable with that many arguments."""
    function: ast.expr = tree.name(body.python(variable), node.path[-1].span)
    if body.context.facts.usage.is_rebound(variable):  # perhaps by an argument
        function, *args = body.exprs(node.args, earlier=[function])
    else:
        args = body.exprs(node.args)
    type_ = variable.type
    if isinstance(type_, Callable) and type_.params is not None and len(type_.params) == len(args):
        return tree.call(function, args, node.span)
    return body.helper("call", node.span, function, *args)


def _call_host(body: Body, function: HostFunction, node: nodes.Call) -> ast.expr:
    lowered = body.exprs(node.args)
    for number, (argument, param) in enumerate(zip(node.args, function.params, strict=False)):
        lowered[number] = checks.some_handle(body, argument, lowered[number], param.type)
    return tree.call(host_reference(body, function, node.span), lowered, node.span)


def host_reference(body: Body, function: HostFunction, span: Span) -> ast.expr:
    """`llama.model_load`: the namespace is imported, its functions are reached through it.

    A function of the user's own modules has a name of its own (`flintc.emit.hosts`).
    """
    if function.user:
        return tree.name(body.context.imports.use_function(function), span)
    package, _, namespace = function.module.rpartition(".")
    alias = body.context.imports.use(package, namespace)
    return tree.attribute(tree.name(alias, span), function.name, span)


def existing(body: Body, function: FunctionSymbol, span: Span) -> Existing:
    """Whether a function exists when its name at `span` is read."""
    in_loop = body.context.facts.usage.loop_depth[function.node] > 0
    return body.context.existence.at(function, body.scope, span, in_loop)


def function_reference(body: Body, function: FunctionSymbol, span: Span) -> ast.expr:
    """A script function by its name, through its module when it is another one."""
    if function.module is body.context.module:
        return tree.name(body.context.names.functions[function], span)
    alias = body.context.import_module(function.module)
    name = body.context.names_of(function.module).functions[function.name]
    return tree.attribute(tree.name(alias, span), name, span)
