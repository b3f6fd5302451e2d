"""Calls: arguments against parameters, and what they give (language reference 3.7, 3.8, 3.10)."""

from __future__ import annotations

from abc import abstractmethod
from typing import Final

from flintc.analysis import check_values as v
from flintc.analysis.check_declared import DeclaredChecker
from flintc.analysis.check_report import Place, Report
from flintc.analysis.check_state import Slot
from flintc.analysis.check_values import Kind, Value
from flintc.analysis.declared import substitute
from flintc.analysis.symbols import (
    BuiltinTarget,
    FunctionSymbol,
    FunctionTarget,
    HostTarget,
    NamespaceTarget,
    Resolution,
    Typing,
    Variable,
    VariableTarget,
)
from flintc.analysis.type_names import type_name
from flintc.analysis.types import (
    BOOL,
    FLOAT,
    NULL,
    NUMBER,
    STRING,
    UNKNOWN,
    Optional,
    Type,
    TypeParameter,
)
from flintc.analysis.types import Callable as CallableType
from flintc.catalogue import HostFunction
from flintc.syntax import nodes

_BUILTIN_PARAMS: Final[dict[str, tuple[Type, ...]]] = {
    "assert": (BOOL,),
    "string_contains": (STRING, STRING),
    "string_replace_literal": (STRING, STRING, STRING),
    "string_lower_ascii": (STRING,),
    "string_split_literal": (STRING, STRING),
}
_BUILTIN_RESULTS: Final[dict[str, Kind]] = {
    "type": v.STRING_KIND,
    "println": v.STRING_KIND,
    "assert": v.NULL_KIND,
    "string_contains": v.BOOL_KIND,
    "string_replace_literal": v.STRING_KIND,
    "string_lower_ascii": v.STRING_KIND,
    "string_split_literal": Kind("array"),
}
_KEEP_KIND: Final = ("abs", "floor", "ceil", "round", "trunc", "signum", "min", "max", "clamp")
# Builtins that give arrays whose elements have no type (6).
_WITHOUT_ELEMENTS: Final = ("bytes::to_array_u8", "re::captures")
_SCALARS: Final = ("null", "int", "float", "number", "bool", "string")
_MAX_BODIES: Final = 16
_ENCODE: Final = "json::encode"


class CallChecker(DeclaredChecker):
    """Checks calls and types functions without a declared result."""

    def __init__(self, resolution: Resolution, typing: Typing, report: Report) -> None:
        super().__init__(resolution, typing, report)
        self.bodies = 0  # that are being looked at, each called by the one before
        self.results: dict[FunctionSymbol, Value] = {}
        self.observed: dict[Variable, Value] = {}
        self.closures_seen: dict[tuple[nodes.Closure, tuple[Value, ...]], Value] = {}

    def call(self, node: nodes.Call) -> Value:
        target = self.resolution.targets.get(node)
        if isinstance(target, FunctionTarget):
            return self._function_call(node, target.function)
        if isinstance(target, VariableTarget):
            return self._value_call(node, target.variable)
        if isinstance(target, BuiltinTarget):
            return self._builtin_call(node, target.name)
        if isinstance(target, NamespaceTarget):
            name = f"{target.namespace}::{target.name}"
            return self._namespace_call(node, name, target.function)
        if isinstance(target, HostTarget):
            return self._host_call(node, target)
        for arg in node.args:
            self.value(arg)
        return v.UNKNOWN_VALUE

    def _host_call(self, node: nodes.Call, target: HostTarget) -> Value:
        declaration = None if target.function is not None else self._declaration(target.name)
        if declaration is not None:
            return self._declared_host_call(node, declaration)
        self._host_arguments(node, target.function)
        known = target.function
        return v.UNKNOWN_VALUE if known is None else v.of(v.erase(known.result))

    # -- declared functions --------------------------------------------------------------

    def _function_call(self, node: nodes.Call, function: FunctionSymbol) -> Value:
        types = self._type_args(node, function)
        for arg, param in zip(node.args, function.params, strict=False):
            value = self.value(arg)
            if param.declared is None:
                self._observe(arg, value, param, function)
            else:
                declared = substitute(param.declared, types)
                place = Place(f"argument `{param.name}` of `{function.name}`", param.span)
                self._argument(arg, value, declared, place)
        written = self.resolution.annotation(function.node.result)
        return self.result(function) if written is None else v.of(substitute(written, types))

    def _argument(self, arg: nodes.Expr, value: Value, declared: Type, place: Place) -> None:
        if value.schema is NULL:  # null fits any parameter (3.9)
            return
        self.check(arg, value, declared, place)
        if value.kind == v.ANY and value.schema is None and not _is_open(declared):
            self.unknown(arg, place.name)

    def _type_args(
        self, node: nodes.Call | nodes.Name, function: FunctionSymbol
    ) -> dict[str, Type]:
        names = (param.name for param in function.node.type_params)
        given = (self.resolution.annotation(arg) or UNKNOWN for arg in node.type_args)
        return dict(zip(names, given, strict=False))

    def _observe(
        self, arg: nodes.Expr, value: Value, param: Variable, function: FunctionSymbol
    ) -> None:
        """Calls must agree on the type of a parameter that declares none (3.7)."""
        known = self.observed.get(param)
        if known is None or known.read == v.ANY:
            self.observed[param] = value
        elif value.read != v.ANY and not v.compatible(known.read, value.read):
            if function not in self.report.explained:
                self._conflict(arg, (known, value), param, function)
            self.report.explained |= {param, function}

    def _conflict(
        self,
        arg: nodes.Expr,
        values: tuple[Value, Value],
        param: Variable,
        function: FunctionSymbol,
    ) -> None:
        first, second = map(v.describe, values)
        title = (
            f"`{function.name}` is called with different types for `{param.name}`:"
            f" {first} and {second}"
        )
        help = "write two functions, or give both calls a value of one type"
        if all(value.read.name in v.NUMERIC for value in values):
            help = f"declare `{param.name}: number` if it may be an int or a float"
        self.report.error("E_CONFLICTING_CALLS", title, arg.span, help)

    def result(self, function: FunctionSymbol) -> Value:
        """What a function without a declared result gives; its body is checked when first asked."""
        if function not in self.results:
            if self.bodies >= _MAX_BODIES:
                return _inferred(function.result)
            self.results[function] = v.UNKNOWN_VALUE  # while its own body is looked at
            self.bodies += 1
            self.results[function] = self.function_body(function)
            self.bodies -= 1
        return self.results[function]

    @abstractmethod
    def function_body(self, function: FunctionSymbol) -> Value:
        """Check a function's body and give its value."""

    def function_value(self, node: nodes.Name) -> Value:
        match self.resolution.targets.get(node):
            case FunctionTarget(function):
                types = self._type_args(node, function)
                written = [
                    substitute(param.declared or UNKNOWN, types) for param in function.params
                ]
                result = self.resolution.annotation(function.node.result) or UNKNOWN
                schema = CallableType(tuple(written), substitute(result, types))
                return Value(v.CALLABLE_KIND, schema)
            case _:
                return Value(v.CALLABLE_KIND)

    def generic_value(self, node: nodes.Expr) -> None:
        """A generic function is a value only where its types are known (3.13)."""
        target = self.resolution.targets.get(node)
        if not isinstance(target, FunctionTarget) or not isinstance(node, nodes.Name):
            return
        if target.function.node.type_params and not node.type_args:
            title = f"`{node.name}` is generic: as a value it needs explicit types"
            help = f"write `{node.name}::<…>`, or declare the type of the variable"
            self.report.error("E_TYPE_ARGUMENTS", title, node.span, help)

    # -- values --------------------------------------------------------------------------

    def _value_call(self, node: nodes.Call, variable: Variable) -> Value:
        callee = self.state.get(variable)
        declared = callee.schema if isinstance(callee.schema, CallableType) else None
        args = tuple(self.value(arg) for arg in node.args)
        params = declared.params if declared is not None else None
        known = params is not None and len(params) == len(args)
        for at, arg in enumerate(node.args if known else ()):
            place = Place(f"argument {at + 1} of `{variable.name}`", variable.span)
            self._argument(arg, args[at], (params or ())[at], place)
        if declared is not None and declared.result is not UNKNOWN:
            return v.of(declared.result)
        if self.bodies >= _MAX_BODIES:
            return _inferred(self.typing.of(node))
        if callee.closure is not None and len(callee.closure.params) == len(args):
            return self.closure_result(callee.closure, args)
        return v.UNKNOWN_VALUE

    def closure_result(self, node: nodes.Closure, params: tuple[Value, ...]) -> Value:
        key = (node, params)
        if key not in self.closures_seen:
            self.closures_seen[key] = v.UNKNOWN_VALUE  # a closure that calls itself
            self.closures_seen[key] = self._closure_body(node, params)
        return self.closures_seen[key]

    def _closure_body(self, node: nodes.Closure, params: tuple[Value, ...]) -> Value:
        unsure = any(param.kind == v.ANY for param in params)
        self.bodies += 1
        self.report.muted += unsure
        self.state.unrecorded += unsure
        with self.state.branch([]):
            for param, value in zip(node.params, params, strict=True):
                self.state.put(self.resolution.variables[param], Slot(value))
            result = self.value(node.body)
        self.state.unrecorded -= unsure
        self.report.muted -= unsure
        self.bodies -= 1
        return result

    # -- builtins ------------------------------------------------------------------------

    def _builtin_call(self, node: nodes.Call, name: str) -> Value:
        args = [self.value(arg) for arg in node.args]
        self._check_builtin(node, args, name, _BUILTIN_PARAMS.get(name, ()))
        if name == "print" and len(args) == 1:
            return Value(args[0].kind, args[0].schema, args[0].optional)
        return Value(_BUILTIN_RESULTS.get(name, v.STRING_KIND))

    def _namespace_call(self, node: nodes.Call, path: str, function: HostFunction) -> Value:
        args = [self.value(arg) for arg in node.args]
        if path == _ENCODE:
            self._check_encode(node.args[0], args[0])
        else:
            types = tuple(param.type for param in function.params)
            self._check_builtin(node, args, path, types)
        if node.type_args:
            return v.of(self.resolution.annotation(node.type_args[0]) or UNKNOWN)
        if function.result is NUMBER and function.name in _KEEP_KIND:
            return v.operator_result(_same_kind([arg.read for arg in args]))
        result = v.of(v.erase(function.result))
        return Value(result.kind) if path in _WITHOUT_ELEMENTS else result

    def _check_builtin(
        self, node: nodes.Call, args: list[Value], name: str, types: tuple[Type, ...]
    ) -> None:
        for arg, value, wanted in zip(node.args, args, types, strict=False):
            if wanted is UNKNOWN:
                continue
            if value.optional:
                self.report.optional(f"`{name}` takes it", arg.span)
            elif value.kind == v.ANY:
                self.unknown(arg, f"`{name}`")
            elif not _accepts(wanted, value.kind):
                title = f"`{name}` takes {type_name(wanted)} here, not {v.describe(value)}"
                self.report.error("E_ARGUMENT_TYPE", title, arg.span)

    def _check_encode(self, arg: nodes.Expr, value: Value) -> None:
        """`json::encode` takes what JSON has (3.10)."""
        if value.optional:
            self.report.optional(f"`{_ENCODE}` takes it", arg.span)
            return
        reason = None
        if value.schema is not None:
            reason = self.schemas.not_json(value.schema)
        elif value.kind.name not in _SCALARS:
            reason = f"form for a value of type {v.describe(value)}"
        if reason is not None:
            title = f"`{_ENCODE}` cannot encode this value: JSON has no {reason}"
            self.report.error("E_JSON_ENCODE", title, arg.span)

    # -- hosts ---------------------------------------------------------------------------

    def _host_arguments(self, node: nodes.Call, function: HostFunction | None) -> None:
        """Arguments of functions in the user's own modules are checked, those of others not."""
        params = function.params if function is not None and function.user else ()
        for at, arg in enumerate(node.args):
            value = self.value(arg)
            if function is not None and at < len(params):
                place = Place(f"argument `{params[at].name}` of `{function.path}`")
                self._argument(arg, value, _host_parameter(params[at].type), place)

    def _declaration(self, name: str) -> FunctionSymbol | None:
        """The `fn` without body that declares a host function (8.7)."""
        for module in self.resolution.modules:
            symbol = module.functions.get(name)
            if symbol is not None and symbol.node.body is None:
                return symbol
        return None

    def _declared_host_call(self, node: nodes.Call, function: FunctionSymbol) -> Value:
        """Declared parameters are checked like those of other functions, and the declared result is
        trusted (3.10)."""
        params = function.node.params
        for at, arg in enumerate(node.args):
            value = self.value(arg)
            declared = (
                self.resolution.annotation(params[at].annotation) if at < len(params) else None
            )
            if declared is not None:
                place = Place(f"argument `{params[at].name.name}` of `{function.name}`")
                self._argument(arg, value, declared, place)
        written = self.resolution.annotation(function.node.result)
        return v.UNKNOWN_VALUE if written is None else v.of(written)


def _inferred(type_: Type) -> Value:
    """What inference found, where a chain of calls is too long to follow."""
    known = v.erase(type_)
    return v.UNKNOWN_VALUE if known in (UNKNOWN, NUMBER) else v.of(known)


def _host_parameter(type_: Type) -> Type:
    """What a host function takes: ints too where it wants floats."""
    if isinstance(type_, Optional):
        return Optional(_host_parameter(type_.inner))
    return NUMBER if type_ is FLOAT else v.erase(type_)


def _is_open(declared: Type) -> bool:
    return declared is UNKNOWN or isinstance(declared, TypeParameter)


def _accepts(wanted: Type, kind: Kind) -> bool:
    if wanted is NUMBER:
        return kind.name in v.NUMERIC
    return v.kind_of(wanted).name in (kind.name, v.ANY.name)


def _same_kind(kinds: list[Kind]) -> Kind:
    if all(kind == v.INT_KIND for kind in kinds):
        return v.INT_KIND
    return v.FLOAT_KIND if v.FLOAT_KIND in kinds else v.NUMBER_KIND
