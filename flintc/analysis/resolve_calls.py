"""What calls and function values mean (language reference 2.12, 2.15, 8.3, 8.5, 8.6)."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain
from typing import Final

from flintc.analysis.resolve_hosts import HostCalls, check_count, counts
from flintc.analysis.resolve_imports import Imports
from flintc.analysis.resolve_scope import Names
from flintc.analysis.resolve_types import TypeReader
from flintc.analysis.suggest import did_you_mean
from flintc.analysis.symbols import (
    BuiltinTarget,
    Capture,
    FunctionSymbol,
    FunctionTarget,
    HostTarget,
    Module,
    NamespaceTarget,
    Target,
    Variable,
    VariableTarget,
)
from flintc.analysis.templates import find_fault
from flintc.modules import BuiltinNamespace, HostNamespace
from flintc.problems import Label, Phase, Problems
from flintc.source import Span
from flintc.syntax import nodes

# Builtins that are called by name, with their number of arguments (6.1).
CALLABLE_BUILTINS: Final[dict[str, int | None]] = {
    "print": None,
    "println": None,
    "type": 1,
    "assert": 1,
    "string_contains": 2,
    "string_replace_literal": 3,
    "string_lower_ascii": 1,
    "string_split_literal": 2,
}
VALUE_BUILTINS: Final = (
    *CALLABLE_BUILTINS,
    *("len", "slice", "concat", "array_new", "array_push", "map_new"),
    *("get", "set", "has", "keys", "count"),
)
_PRINTING: Final = ("print", "println")
_DECODE: Final = "json::decode"  # the one function that takes types without declaring them


@dataclass(slots=True)
class CallResolver:
    """Resolves the calls of one file."""

    names: Names
    types: TypeReader
    imports: Imports
    hosts: HostCalls
    problems: Problems

    # -- calls ---------------------------------------------------------------------------

    def target(self, call: nodes.Call) -> Target | None:
        """What a call calls; None with a problem where it means nothing."""
        if len(call.path) > 1:
            return self._namespace_call(call)
        ident = call.path[0]
        variable = self.names.use(ident.name, Capture.SNAPSHOT, ident.span)
        if variable is not None:
            self.no_type_args(call, variable)
            return VariableTarget(variable)
        return self._bare_call(call, ident.name)

    def _bare_call(self, call: nodes.Call, name: str) -> Target | None:
        own = self.types.module.functions.get(name)
        if own is not None and (own.node.body is not None or name not in _PRINTING):
            return self._declared(own, call)
        if name in CALLABLE_BUILTINS:
            return self._builtin(call, name)
        host = self.imports.host_names.get(name)
        if host is None and self.imports.host_wildcard is not None:
            host = f"{self.imports.host_wildcard}::{name}"
        if host is not None:
            return self._host(host, call)
        imported = self._imported(name, call.path[0].span)
        if imported is not None:
            return self._declared(imported, call)
        if not self.imports.functions(name):
            self._unknown_function(name, call.path[0].span)
        return None

    def _declared(self, function: FunctionSymbol, call: nodes.Call) -> Target:
        params = len(function.node.params)
        label = Label(function.node.name.span, "declared here")
        wanted = (params, params)
        check_count(self.problems, function.name, len(call.args), wanted, call.span, label)
        self._check_type_args(function, call)
        return function_target(function)

    def _check_type_args(self, function: FunctionSymbol, call: nodes.Call) -> None:
        wanted, given = len(function.node.type_params), len(call.type_args)
        if wanted == given:
            return
        title = f"function `{function.name}` expects {_types(wanted)}, {given} given"
        help = None
        if wanted:
            names = ", ".join(param.name for param in function.node.type_params)
            help = f"name the types: `{function.name}::<…>(…)` for `<{names}>`"
        self._error("E_TYPE_ARGUMENTS", title, call.span, help)

    def _builtin(self, call: nodes.Call, name: str) -> Target:
        count = CALLABLE_BUILTINS[name]
        self._no_types(call, f"builtin `{name}`")
        # the parser has reported a wrong count for `type`
        if count is not None and name != "type":
            check_count(self.problems, name, len(call.args), (count, count), call.span)
        if name in _PRINTING and len(call.args) > 1:
            self._check_template(call, name)
        return BuiltinTarget(name)

    def _check_template(self, call: nodes.Call, name: str) -> None:
        template = call.args[0]
        if not isinstance(template, nodes.StringLiteral):
            title = f"the format template of `{name}` must be a string literal"
            help = f'write `{name}("{{}} {{}}", a, b)` to print two values'
            self._error("E_FORMAT", title, template.span, help)
            return
        given = len(call.args) - 1
        fault = find_fault(template.value, given)
        if fault is not None:
            title = f"the format template of `{name}` is invalid near byte {fault.offset}"
            help = "placeholders are `{}`, `{0}`, `{:>8.2}`; literal braces are `{{` and `}}`"
            if fault.placeholder is not None:
                help = f"`{fault.placeholder}` takes value {fault.needed}, but {given} "
                help += "is given" if given == 1 else "are given"
            self._error("E_FORMAT", title, template.span, help)

    # -- namespaces ----------------------------------------------------------------------

    def _namespace_call(self, call: nodes.Call) -> Target | None:
        root, members = call.path[0], call.path[1:]
        namespace = self.imports.namespaces.get(root.name)
        if isinstance(namespace, HostNamespace):
            parts = [namespace.root, *(member.name for member in members)]
            return self._host("::".join(parts), call)
        if namespace is None:
            self._unknown_namespace(call)
        elif isinstance(namespace, (Module, BuiltinNamespace)) and len(members) > 1:
            title = f"members of `{root.name}` are one level deep"
            self._error("E_UNKNOWN_FUNCTION", title, call.span)
        elif isinstance(namespace, BuiltinNamespace):
            return self._builtin_member(call, namespace.name, members[0])
        elif isinstance(namespace, Module):
            return self._module_member(call, namespace, members[0])
        return None

    def _host(self, path: str, call: nodes.Call) -> Target:
        self._no_types(call, f"host function `{path}`")
        return self.hosts.target(path, call)

    def _builtin_member(self, call: nodes.Call, namespace: str, name: nodes.Ident) -> Target | None:
        path = f"{namespace}::{name.name}"
        function = self.hosts.catalogue.find(path)
        if function is None:
            members = self.hosts.catalogue.namespace_members(namespace)
            title = f"unknown builtin function `{path}`"
            help = did_you_mean(name.name, members, self.problems)
            self._error("E_UNKNOWN_FUNCTION", title, name.span, help)
            return None
        if path == _DECODE and len(call.type_args) > 1:
            title = f"`{path}` takes one type, {len(call.type_args)} given"
            self._error("E_TYPE_ARGUMENTS", title, call.span)
        elif path != _DECODE:
            self._no_types(call, f"builtin `{path}`")
        check_count(self.problems, path, len(call.args), counts(function), call.span)
        return NamespaceTarget(namespace, name.name, function)

    def _module_member(self, call: nodes.Call, module: Module, name: nodes.Ident) -> Target | None:
        function = module.functions.get(name.name)
        if function is not None and function.node.public:
            return self._declared(function, call)
        public = (known for known, symbol in module.functions.items() if symbol.node.public)
        title = f"module `{call.path[0].name}` exports no function `{name.name}`"
        help = did_you_mean(name.name, public, self.problems)
        if function is not None:
            help = f"`{name.name}` is private there: write `pub fn {name.name}` to export it"
        self._error("E_UNKNOWN_FUNCTION", title, name.span, help)
        return None

    def _unknown_namespace(self, call: nodes.Call) -> None:
        root = call.path[0]
        title = f"unknown namespace `{root.name}`"
        help = did_you_mean(root.name, self.imports.namespaces, self.problems)
        help = help or f"import it before the call: `use {root.name};`"
        self._error("E_UNKNOWN_NAMESPACE", title, root.span, help)

    # -- values --------------------------------------------------------------------------

    def value(self, name: nodes.Name) -> Target | None:
        """What a name that is no variable means as a value."""
        own = self.types.module.functions.get(name.name)
        if own is not None and (own.node.body is not None or name.name not in _PRINTING):
            return self._function_value(own, name)
        if name.name in VALUE_BUILTINS:
            return BuiltinTarget(name.name)
        imported = self._imported(name.name, name.span)
        if imported is not None:
            return self._function_value(imported, name)
        if not self.imports.is_reported(name.name) and not self.imports.functions(name.name):
            self.names.unknown(name.name, name.span, self.types.module.functions)
        return None

    def _function_value(self, function: FunctionSymbol, name: nodes.Name) -> Target:
        wanted, given = len(function.node.type_params), len(name.type_args)
        if given and wanted != given:
            title = f"function `{function.name}` expects {_types(wanted)}, {given} given"
            self._error("E_TYPE_ARGUMENTS", title, name.span)
        return function_target(function)

    def no_type_args(self, use: nodes.Name | nodes.Call, variable: Variable) -> None:
        if use.type_args:
            title = f"the local `{variable.name}` takes no explicit types"
            self._error("E_TYPE_ARGUMENTS", title, use.span)

    # -- helpers -------------------------------------------------------------------------

    def _imported(self, name: str, span: Span) -> FunctionSymbol | None:
        found = self.imports.functions(name)
        if len(found) > 1:
            files = " and ".join(f"`{function.module.name}`" for function in found)
            title = f"`{name}` is ambiguous: several imported modules export it"
            help = f"it is in {files}; call it as `module::{name}(…)`, or import it by name"
            self._error("E_AMBIGUOUS_NAME", title, span, help)
        return found[0] if len(found) == 1 else None

    def _unknown_function(self, name: str, span: Span) -> None:
        if self.imports.is_reported(name):
            return
        imports = self.imports
        known = (self.types.module.functions, CALLABLE_BUILTINS, imports.offered, imports.listed)
        help = did_you_mean(name, chain.from_iterable(known), self.problems)
        if name in VALUE_BUILTINS:
            help = f"`{name}` is used through syntax; `let f = {name};` gives the function itself"
        self._error("E_UNKNOWN_FUNCTION", f"unknown function `{name}`", span, help)

    def _no_types(self, call: nodes.Call, what: str) -> None:
        if call.type_args:
            self._error("E_TYPE_ARGUMENTS", f"{what} does not accept explicit types", call.span)

    def _error(self, code: str, title: str, span: Span, help: str | None = None) -> None:
        self.problems.error(code, title, span, Phase.PARSE, help=help)


def function_target(function: FunctionSymbol) -> Target:
    """A declared function; one without a body is a host function or a builtin (8.7)."""
    if function.node.body is not None:
        return FunctionTarget(function)
    if function.name in _PRINTING:
        return BuiltinTarget(function.name)
    return HostTarget(function.name, None)


def _types(count: int) -> str:
    return f"{count} type argument" + ("" if count == 1 else "s")
