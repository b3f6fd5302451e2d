"""The walk over one file: bindings, uses, mutability and captures in the order of the text."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from flintc.analysis.captures import borrowed_name
from flintc.analysis.resolve_calls import CallResolver
from flintc.analysis.resolve_hosts import HostCalls
from flintc.analysis.resolve_imports import ImportBuilder
from flintc.analysis.resolve_scope import Names
from flintc.analysis.resolve_types import TypeReader
from flintc.analysis.symbols import Capture, Resolution, Scope, Variable, VariableKind
from flintc.analysis.types import Map, Type
from flintc.analysis.walk import children
from flintc.problems import Label, Phase, Problems
from flintc.source import Span
from flintc.syntax import nodes


class BodyResolver:
    """Fills the `Resolution` with everything that one file says."""

    def __init__(
        self,
        resolution: Resolution,
        types: TypeReader,
        imports: ImportBuilder,
        hosts: HostCalls,
        problems: Problems,
    ) -> None:
        self.resolution = resolution
        self.module = types.module
        self.types = types
        self.builder = imports
        self.problems = problems
        self.names = Names(self.module.top, resolution, problems)
        self.calls = CallResolver(self.names, types, imports.declare(), hosts, problems)
        self.borrowed: list[Variable] = []  # sources of the map loops around
        self.type_params: tuple[str, ...] = ()
        self.last_declared: dict[Variable, Type | None] = {}

    def run(self) -> None:
        for statement in self.module.program.statements:
            self.visit(statement)

    def visit(self, node: nodes.Node) -> None:
        handler = _HANDLERS.get(type(node))
        if handler is not None:
            handler(self, node)
        else:
            self.visit_children(node)

    def visit_children(self, node: nodes.Node) -> None:
        for child in children(node):
            self.visit(child)

    # -- bindings ------------------------------------------------------------------------

    def let(self, node: nodes.Let) -> None:
        declared = self._annotation(node.annotation)
        # a closure may call itself by the name that it is bound to (2.13)
        declared_first = isinstance(
            node.value, nodes.Closure
        ) and not node.value.span.text.startswith("||")
        if not declared_first:
            self.visit(node.value)
        variable = self.names.bind(node.name, "let")
        self._check_borrowed(variable, "bind", node.name.span)
        variable.mutable |= node.mutable
        self._declare(variable, declared)
        self.resolution.variables[node] = variable
        if declared_first:
            self.visit(node.value)

    def _declare(self, variable: Variable, declared: Type | None) -> None:
        """A variable keeps a declared type that all its `let`s agree on."""
        known = self.last_declared.get(variable, declared)
        variable.declared = declared if declared == known else None
        self.last_declared[variable] = declared

    def for_range(self, node: nodes.ForRange) -> None:
        self.visit(node.start)
        variable = self.names.bind(node.name, "loop")
        self._check_borrowed(variable, "bind", node.name.span)
        variable.mutable = node.mutable
        self._declare(variable, None)
        self.resolution.variables[node] = variable
        self.visit(node.end)
        self.visit(node.body)

    def for_map(self, node: nodes.ForMap) -> None:
        source = self.names.use_ident(node.source, Capture.SNAPSHOT)
        if source is not None:
            self.resolution.variables[node] = source
        key, value = (self._inner(ident, "map_loop") for ident in (node.key, node.value))
        key.declared = self._annotation(node.key_type)
        value.declared = self._annotation(node.value_type)
        self._check_map_types(node, source, value.declared)
        if source is not None:
            self.borrowed.append(source)
        with self.names.narrow(key), self.names.narrow(value):
            self.visit(node.body)
        if source is not None:
            self.borrowed.pop()

    def _inner(self, ident: nodes.Ident, kind: VariableKind) -> Variable:
        variable = self.names.fresh(ident, kind)
        self.resolution.variables[ident] = variable
        return variable

    def _check_map_types(
        self, node: nodes.ForMap, source: Variable | None, wanted: Type | None
    ) -> None:
        declared = self.last_declared.get(source) if source is not None else None
        if source is None or wanted is None or node.value_type is None:
            return
        if not isinstance(declared, Map):
            title = f"the value type cannot be checked: `{source.name}` is not declared `map<T>`"
            help = f"declare the variable, as in `let {source.name}: map<T> = …`"
            self._error("E_MAP_LOOP", title, node.value_type.span, help)
        elif declared.value != wanted:
            title = f"the values of `{source.name}` are not of type `{node.value_type.span.text}`"
            self._error("E_MAP_LOOP", title, node.value_type.span, None)

    def match(self, node: nodes.Match) -> None:
        self.visit(node.scrutinee)
        for arm in node.arms:
            if isinstance(arm.pattern, nodes.BindPattern):
                variable = self._inner(arm.pattern.name, "binding")
                self.resolution.variables[arm.pattern] = variable
                with self.names.narrow(variable):
                    self.visit(arm.body)
            else:
                self.visit(arm.body)

    # -- changes -------------------------------------------------------------------------

    def assign(self, node: nodes.Assign | nodes.AddAssign) -> None:
        self.visit(node.value)
        self._change(node, node.name, "assign to")

    def member_assign(self, node: nodes.MemberAssign) -> None:
        self.visit(node.value)
        self._change(node, node.name, "mutate")

    def index_assign(self, node: nodes.IndexAssign) -> None:
        self.visit(node.index)
        self.visit(node.value)
        self._change(node, node.name, "mutate")

    def _change(self, node: nodes.Node, name: nodes.Ident, action: str) -> None:
        variable = self.names.use_ident(name, Capture.SHARED)
        if variable is None:
            return
        self.resolution.variables[node] = variable
        self._check_mutable(variable, action, name.span)
        self._check_borrowed(variable, action, name.span)

    def unary(self, node: nodes.Unary) -> None:
        root = borrowed_name(node.operand) if node.operator in ("&", "&mut") else None
        if root is None:
            self.visit(node.operand)
            return
        self._place(node.operand)
        variable = self.resolution.variables.get(root)
        if node.operator == "&mut" and variable is not None:
            self._check_mutable(variable, "take a mutable borrow of", root.span)
            self._check_borrowed(variable, "mutably borrow", root.span)

    def _place(self, operand: nodes.Node) -> None:
        """A borrowed place: its root variable is shared, keys in it are plain values."""
        if isinstance(operand, nodes.Name):
            self._name(operand, Capture.SHARED)
            return
        for child in children(operand):
            if child is getattr(operand, "container", None):
                self._place(child)
            else:
                self.visit(child)

    def _check_mutable(self, variable: Variable, action: str, span: Span) -> None:
        if variable.mutable:
            return
        title = f"cannot {action} immutable local `{variable.name}`"
        label = Label(variable.span, "bound here")
        help = None
        if variable.kind == "let":
            help = f"declare it with `let mut {variable.name}`"
        elif variable.kind == "loop":
            help = f"write `for mut {variable.name} in …`"
        elif variable.kind in ("map_loop", "binding"):
            help = f"copy it first: `let mut copy = {variable.name}.copy();`"
        self.problems.error("E_IMMUTABLE_LOCAL", title, span, Phase.PARSE, label, help=help)

    def _check_borrowed(self, variable: Variable, action: str, span: Span) -> None:
        if variable not in self.borrowed:
            return
        title = f"cannot {action} `{variable.name}` while a map loop borrows it"
        help = "loop over a copy, or collect the changes and apply them after the loop"
        self._error("E_BORROW_CONFLICT", title, span, help)

    # -- bodies --------------------------------------------------------------------------

    def function(self, node: nodes.Function) -> None:
        symbol = self.resolution.functions[node]
        scope = self.names.scope
        symbol.enclosing = scope
        scope.functions.append(symbol)
        if scope is self.module.top:
            self._check_function_name(node)
        outer_params = self.type_params
        self.type_params = tuple(param.name for param in node.type_params)
        self._annotation(node.result)
        if node.body is None:
            for param in node.params:
                self._annotation(param.annotation)
        else:
            symbol.scope = self._open(node)
            with self.names.inside(symbol.scope):
                symbol.params = [self._param(param) for param in node.params]
                self.visit(node.body)
        self.type_params = outer_params

    def _param(self, param: nodes.Param) -> Variable:
        variable = self.names.bind(param.name, "param")
        variable.mutable = True
        variable.declared = self._annotation(param.annotation)
        self.last_declared[variable] = variable.declared
        self.resolution.variables[param] = variable
        return variable

    def _check_function_name(self, node: nodes.Function) -> None:
        earlier = self.names.own(node.name.name)
        if earlier is None:
            return
        title = f"`{node.name.name}` is already the name of a local"
        label = Label(earlier.span, "bound here")
        help = "rename the function or the local"
        span = node.name.span
        self.problems.error("E_DUPLICATE_NAME", title, span, Phase.PARSE, label, help=help)

    def closure(self, node: nodes.Closure) -> None:
        scope = self._open(node)
        self.names.scope.closures.append(node)
        with self.names.inside(scope):
            for param in node.params:
                variable = self.names.bind(param, "closure_param")
                variable.mutable = True
                self.resolution.variables[param] = variable
            self.visit(node.body)

    def _open(self, node: nodes.Function | nodes.Closure) -> Scope:
        scope = Scope(node, self.names.scope, self.module)
        self.resolution.scopes[node] = scope
        return scope

    # -- uses ----------------------------------------------------------------------------

    def name(self, node: nodes.Name) -> None:
        self._name(node, Capture.SNAPSHOT)

    def _name(self, node: nodes.Name, mode: Capture) -> None:
        self._type_args(node.type_args)
        variable = self.names.use(node.name, mode, node.span)
        if variable is not None:
            self.resolution.variables[node] = variable
            self.calls.no_type_args(node, variable)
            return
        target = self.calls.value(node)
        if target is not None:
            self.resolution.targets[node] = target

    def call(self, node: nodes.Call) -> None:
        self._type_args(node.type_args)
        target = self.calls.target(node)
        if target is not None:
            self.resolution.targets[node] = target
        for arg in node.args:
            self.visit(arg)

    def use(self, node: nodes.Use) -> None:
        self.builder.enter(node)

    # -- types ---------------------------------------------------------------------------

    def _annotation(self, written: nodes.TypeExpr | None) -> Type | None:
        return None if written is None else self.types.read(written, self.type_params)

    def _type_args(self, written: tuple[nodes.TypeExpr, ...]) -> None:
        for type_ in written:
            self._annotation(type_)

    def _error(self, code: str, title: str, span: Span, help: str | None) -> None:
        self.problems.error(code, title, span, Phase.PARSE, help=help)


def _nothing(resolver: BodyResolver, node: nodes.Node) -> None:
    """Nodes in which no name has a meaning of its own."""


_Handler = Callable[[BodyResolver, Any], None]
_HANDLERS: Final[dict[type[nodes.Node], _Handler]] = {
    nodes.Let: BodyResolver.let,
    nodes.ForRange: BodyResolver.for_range,
    nodes.ForMap: BodyResolver.for_map,
    nodes.Match: BodyResolver.match,
    nodes.Assign: BodyResolver.assign,
    nodes.AddAssign: BodyResolver.assign,
    nodes.MemberAssign: BodyResolver.member_assign,
    nodes.IndexAssign: BodyResolver.index_assign,
    nodes.Unary: BodyResolver.unary,
    nodes.Function: BodyResolver.function,
    nodes.Closure: BodyResolver.closure,
    nodes.Name: BodyResolver.name,
    nodes.Call: BodyResolver.call,
    nodes.Use: BodyResolver.use,
    nodes.Struct: _nothing,
    nodes.Ident: _nothing,
}
