"""The types of calls and of function values, and what arrives in parameters."""

from __future__ import annotations

from typing import Final

from flintc.analysis.declared import coerce, may_hold_handle, substitute
from flintc.analysis.facts import PoolKey
from flintc.analysis.infer_expressions import ExpressionTyper
from flintc.analysis.lattice import BOTTOM, MIXED, commit, join, join_all
from flintc.analysis.symbols import (
    FunctionSymbol,
    FunctionTarget,
    HostTarget,
    NamespaceTarget,
    Variable,
    VariableTarget,
)
from flintc.analysis.types import (
    BOOL,
    FLOAT,
    INT,
    NULL,
    NUMBER,
    STRING,
    UNKNOWN,
    Array,
    Object,
    StructRef,
    Type,
    strip_optional,
)
from flintc.analysis.types import Callable as CallableType
from flintc.catalogue import HostFunction
from flintc.syntax import nodes

_BUILTINS: Final[dict[str, Type]] = {
    "println": STRING,
    "type": STRING,
    "assert": NULL,
    "string_contains": BOOL,
    "string_replace_literal": STRING,
    "string_lower_ascii": STRING,
    "string_split_literal": Array(STRING),
}
# Functions of `math` whose result is an int where all arguments are (6.3).
_KEEP_KIND: Final = ("abs", "floor", "ceil", "round", "trunc", "signum", "min", "max", "clamp")


class CallTyper(ExpressionTyper):
    """Types calls by what they call."""

    def call(self, node: nodes.Call) -> Type:
        target = self.resolution.targets.get(node)
        if isinstance(target, FunctionTarget):
            return self._function_call(node, target.function)
        if isinstance(target, VariableTarget):
            return self._value_call(node, target.variable)
        if isinstance(target, NamespaceTarget):
            return self._namespace_call(node, target.name, target.function)
        if isinstance(target, HostTarget):
            return self._host_call(node, target.name, target.function)
        args = [self.type(arg) for arg in node.args]
        if target is None:
            return UNKNOWN
        return args[0] if target.name == "print" and len(args) == 1 else _builtin(target.name)

    # -- declared functions --------------------------------------------------------------

    def _function_call(self, node: nodes.Call, function: FunctionSymbol) -> Type:
        types = self._type_args(node, function)
        for arg, param in zip(node.args, function.params, strict=False):
            declared = substitute(param.declared or UNKNOWN, types)
            value = self.declared_type(arg, declared)
            self.facts.add(param, value if param.declared else self._like(param, value))
            self.follow_demand(arg, param)
        for arg in node.args[len(function.params) :]:
            self.type(arg)
        return self._function_result(function, types)

    def _like(self, param: Variable, value: Type) -> Type:
        """A struct and a map literal with its fields are of one type where they meet."""
        known = self.facts.read(param) if isinstance(value, (Object, StructRef)) else BOTTOM
        if isinstance(known, StructRef) and isinstance(value, Object):
            return coerce(value, known, self.facts)
        if isinstance(known, Object) and isinstance(value, StructRef):
            return self.facts.expand(value)
        return value

    def _type_args(self, node: nodes.Call, function: FunctionSymbol) -> dict[str, Type]:
        if not node.type_args:
            return {}
        names = (param.name for param in function.node.type_params)
        given = (self.resolution.annotation(arg) or UNKNOWN for arg in node.type_args)
        return dict(zip(names, given, strict=False))

    def _function_result(self, function: FunctionSymbol, types: dict[str, Type]) -> Type:
        result = self.facts.read(function)
        declared = self.resolution.annotation(function.node.result)
        if not types or declared is None:
            return result
        wanted = substitute(declared, types)
        # different instances of a generic function share their types here; only handles make a
        # result differ from what its declaration says
        return coerce(result if self.uses.has_handles else UNKNOWN, wanted, self.facts)

    # -- values --------------------------------------------------------------------------

    def _value_call(self, node: nodes.Call, variable: Variable) -> Type:
        callee = strip_optional(self.variable(variable))
        self._expect_args(node, callee)
        args = [self.type(arg) for arg in node.args]
        closures = self.uses.closures_of.get(variable)
        if closures is None:
            for place, type_ in enumerate(args):
                self.facts.add(PoolKey(len(args), place), commit(type_))
        for closure in closures or ():
            params = [self.resolution.variables[param] for param in closure.params]
            for param, arg, type_ in zip(params, node.args, args, strict=False):
                self._arrive(param, type_)
                self.follow_demand(arg, param)
        if isinstance(callee, CallableType):
            return callee.result
        return BOTTOM if callee is BOTTOM else MIXED

    def _expect_args(self, node: nodes.Call, callee: Type) -> None:
        params = callee.params if isinstance(callee, CallableType) else None
        for arg, declared in zip(node.args, params or (), strict=False):
            self.expect(arg, declared)

    def function_value(self, node: nodes.Name) -> Type:
        match self.resolution.targets.get(node):
            case FunctionTarget(function):
                self.receive(function.params)
                params = tuple(param.declared or UNKNOWN for param in function.params)
                return CallableType(params, self._value_result(node, function))
            case HostTarget(name):
                return CallableType(None, self._declared_host_result(name))
            case _:
                return CallableType(None, UNKNOWN)

    def _value_result(self, node: nodes.Name, function: FunctionSymbol) -> Type:
        names = (param.name for param in function.node.type_params)
        given = (self.resolution.annotation(arg) or UNKNOWN for arg in node.type_args)
        return self._function_result(function, dict(zip(names, given, strict=False)))

    def receive(self, params: list[Variable]) -> None:
        """Any call of a value with as many arguments may reach these parameters."""
        for place, param in enumerate(params):
            self._arrive(param, self.facts.read(PoolKey(len(params), place)))

    def _arrive(self, param: Variable, value: Type) -> None:
        declared = param.declared or self.expected.get(param, UNKNOWN)
        has_handles = self.uses.has_handles and may_hold_handle(declared)
        if value is MIXED and declared is not UNKNOWN and not has_handles:
            value = UNKNOWN  # calls of other functions mix in here; the declaration is right
        self.facts.add(param, coerce(value, declared, self.facts))

    # -- host functions ------------------------------------------------------------------

    def _namespace_call(self, node: nodes.Call, name: str, function: HostFunction) -> Type:
        args = [self.type(arg) for arg in node.args]
        if node.type_args:
            return coerce(
                UNKNOWN, self.resolution.annotation(node.type_args[0]) or UNKNOWN, self.facts
            )
        if function.result is NUMBER and name in _KEEP_KIND:
            return _same_kind(args)
        return function.result

    def _host_call(self, node: nodes.Call, name: str, function: HostFunction | None) -> Type:
        for at, arg in enumerate(node.args):
            if function is not None and function.user and at < len(function.params):
                self.expect(arg, function.params[at].type)
            self.type(arg)
        if function is None:
            return self._declared_host_result(name)
        for arg, param in zip(node.args, function.params, strict=False):
            if param.type is INT:
                self.used_as_int(arg)
            self.demand(arg, param.type)
        return function.result

    def _declared_host_result(self, name: str) -> Type:
        """A host function without signature may be declared by a `fn` without body (8.7)."""
        for module in self.resolution.modules:
            symbol = module.functions.get(name)
            if symbol is not None and symbol.node.body is None:
                declared = self.resolution.annotation(symbol.node.result)
                return coerce(UNKNOWN, declared or UNKNOWN, self.facts)
        return UNKNOWN


def _builtin(name: str) -> Type:
    return _BUILTINS.get(name, STRING if name == "print" else UNKNOWN)


def _same_kind(args: list[Type]) -> Type:
    kinds = join_all([strip_optional(arg) for arg in args])
    if kinds is BOTTOM:
        return BOTTOM
    if join(kinds, INT) is INT:
        return INT
    return FLOAT if kinds is FLOAT else NUMBER
