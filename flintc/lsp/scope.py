"""What can be named at a place of a file: variables, functions, namespaces and their members."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeAlias

from flintc.analysis.resolve_calls import VALUE_BUILTINS
from flintc.analysis.resolve_imports import ImportBuilder, Imports
from flintc.analysis.symbols import BuiltinTarget, FunctionSymbol, Module, Scope, Variable
from flintc.catalogue import HostFunction
from flintc.lsp.snapshot import Snapshot
from flintc.modules import BuiltinNamespace, HostNamespace
from flintc.problems import Problems

Callee: TypeAlias = Variable | FunctionSymbol | HostFunction | BuiltinTarget


class Names:
    """The names of a snapshot's file; imports count in the whole file here, also above `use`."""

    def __init__(self, snapshot: Snapshot) -> None:
        self.snapshot = snapshot
        self.module = snapshot.root
        self.catalogue = snapshot.catalogue
        self.imports = _imports(snapshot)

    def visible(self, offset: int) -> Iterator[Variable]:
        """Variables bound before `offset` in the bodies around it, the innermost first."""
        scope: Scope | None = self._scope(offset)
        while scope is not None:
            yield from (item for item in scope.variables if item.span.start < offset)
            scope = scope.parent

    def variable(self, name: str, offset: int) -> Variable | None:
        return next((item for item in self.visible(offset) if item.name == name), None)

    def _scope(self, offset: int) -> Scope:
        """The innermost body around `offset`."""
        scopes = self.snapshot.facts.resolution.scopes.values()
        around = [
            scope
            for scope in scopes
            if scope.module is self.module and scope.owner.span.start <= offset
            if offset <= scope.owner.span.end
        ]
        inner = [scope for scope in around if scope.parent is not None]
        return max(inner, key=lambda scope: scope.owner.span.start, default=self.module.top)

    # -- functions ------------------------------------------------------------------------

    def functions(self) -> dict[str, Callee]:
        """What a bare name may call: this file's functions, imported ones, builtins."""
        known: dict[str, Callee] = {name: BuiltinTarget(name) for name in VALUE_BUILTINS}
        for name in (*self.imports.offered, *self.imports.listed):
            known[name] = self.imports.functions(name)[0]
        for name, path in self.imports.host_names.items():
            function = self.catalogue.find(path)
            if function is not None:
                known[name] = function
        return known | self.module.functions

    def callee(self, path: Sequence[str], offset: int) -> Callee | None:
        """What a call of `path`, written at `offset`, would call."""
        if len(path) == 1:
            return self.variable(path[0], offset) or self.functions().get(path[0])
        return self.members(path[:-1])[0].get(path[-1])

    # -- namespaces -----------------------------------------------------------------------

    def namespaces(self) -> list[str]:
        return list(self.imports.namespaces)

    def members(self, path: Sequence[str]) -> tuple[dict[str, Callee], list[str]]:
        """The functions in a namespace, and the namespaces in it."""
        target = self.imports.namespaces.get(path[0])
        if isinstance(target, Module) and len(path) == 1:
            public = {n: f for n, f in target.functions.items() if f.node.public}
            return dict(public), []
        if isinstance(target, BuiltinNamespace) and len(path) == 1:
            return self._hosts(target.name), []
        if isinstance(target, HostNamespace):
            full = "::".join([target.root, *path[1:]])
            return self._hosts(full), self._inner(full + "::")
        return {}, []

    def _hosts(self, namespace: str) -> dict[str, Callee]:
        names = self.catalogue.namespace_members(namespace)
        found = ((name, self.catalogue.find(f"{namespace}::{name}")) for name in names)
        return {name: function for name, function in found if function is not None}

    def _inner(self, prefix: str) -> list[str]:
        inner = (name for name in self.catalogue.modules if name.startswith(prefix))
        return list(dict.fromkeys(name.removeprefix(prefix).split("::")[0] for name in inner))


def _imports(snapshot: Snapshot) -> Imports:
    loaded = snapshot.facts.loaded[-1]
    builder = ImportBuilder(loaded, Problems())
    imports = builder.declare()
    for use in loaded.uses:
        builder.enter(use)
    return imports
