"""The names that `use` statements bring into a file (language reference 2.7, 8.3, 8.5)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeAlias

from flintc.analysis.suggest import did_you_mean
from flintc.analysis.symbols import FunctionSymbol, Module
from flintc.modules import HostNamespace, LoadedModule, Unavailable, UseTarget
from flintc.problems import Label, Phase, Problems
from flintc.source import Span
from flintc.syntax import nodes

Namespace: TypeAlias = UseTarget
_PRINTING = ("print", "println")


@dataclass(slots=True)
class Imports:
    """What a file's `use` statements bind.

    Namespaces and host names count from their `use` on (`enter` adds them in the order of the
    text); functions of other files are known in the whole file.
    """

    namespaces: dict[str, Namespace] = field(default_factory=dict)
    host_names: dict[str, str] = field(default_factory=dict)  # bare name to host function
    host_wildcards: list[str] = field(default_factory=list)
    listed: dict[str, FunctionSymbol] = field(default_factory=dict)
    offered: dict[str, list[FunctionSymbol]] = field(default_factory=dict)
    incomplete: bool = False  # some module could not be loaded
    missing: set[str] = field(default_factory=set)  # bare names whose import has failed

    def is_reported(self, name: str) -> bool:
        """Whether an unknown name follows from an import that is a problem already."""
        return self.incomplete or name in self.missing

    def functions(self, name: str) -> list[FunctionSymbol]:
        """The functions of other files that a bare name may mean; several are ambiguous."""
        if name in self.listed:
            return [self.listed[name]]
        return self.offered.get(name, [])

    @property
    def host_wildcard(self) -> str | None:
        """The namespace of otherwise unknown calls: the only host wildcard of the file."""
        return self.host_wildcards[0] if len(self.host_wildcards) == 1 else None


@dataclass(slots=True)
class ImportBuilder:
    """Fills the `Imports` of one file and reports what is wrong with its `use` statements."""

    loaded: LoadedModule
    problems: Problems
    imports: Imports = field(default_factory=Imports)

    def declare(self) -> Imports:
        """The bare names of all imported files."""
        for use, target in self.loaded.uses.items():
            if isinstance(target, Unavailable):
                self.imports.incomplete = True
            elif isinstance(target, Module):
                self._functions_of(use, target)
        return self.imports

    def enter(self, use: nodes.Use) -> None:
        """The `use` has been reached: its namespace and host names count from here on."""
        target = self.loaded.uses.get(use, Unavailable())
        if use.items is not None or (use.wildcard and not isinstance(target, Module)):
            if isinstance(target, HostNamespace):
                self._host_names(use, target.root)
            return  # the functions of a file are known already
        self._bind_namespace(use.alias or use.path[-1], target)

    def _bind_namespace(self, name: nodes.Ident, target: Namespace) -> None:
        known = self.imports.namespaces.setdefault(name.name, target)
        if known != target:
            title = f"namespace `{name.name}` already maps to another target"
            self._error("E_IMPORT", title, name.span, help="choose another name with `as`")

    def _host_names(self, use: nodes.Use, root: str) -> None:
        if use.items is None:
            if root not in self.imports.host_wildcards:
                self.imports.host_wildcards.append(root)
            return
        for item in use.items:
            alias = item.alias or item.name
            path = f"{root}::{item.name.name}"
            if self.imports.host_names.setdefault(alias.name, path) != path:
                title = f"`{alias.name}` already maps to another host function"
                self._error("E_IMPORT", title, alias.span, help="choose another name with `as`")

    def _functions_of(self, use: nodes.Use, target: Module) -> None:
        if use.items is None:
            for name, function in target.functions.items():
                if function.node.public:
                    self._offer(use, name, function)
            return
        for item in use.items:
            exported = self._exported(item.name, target)
            alias = item.alias or item.name
            if exported is None:
                self.imports.missing.add(alias.name)
            else:
                self._list(alias, exported)

    def _exported(self, name: nodes.Ident, target: Module) -> FunctionSymbol | None:
        function = target.functions.get(name.name)
        if function is not None and function.node.public:
            return function
        public = (known for known, symbol in target.functions.items() if symbol.node.public)
        title = f"module `{target.file.path}` has no public function `{name.name}`"
        labels: tuple[Label, ...] = ()
        help = did_you_mean(name.name, public, self.problems)
        if function is not None:
            labels = (Label(function.node.name.span, "this function is private"),)
            help = f"write `pub fn {name.name}` there to export it"
        self.problems.error("E_IMPORT", title, name.span, Phase.IMPORT, *labels, help=help)
        return None

    def _offer(self, use: nodes.Use, name: str, function: FunctionSymbol) -> None:
        known = self.imports.offered.setdefault(name, [])
        if function not in known:
            known.append(function)
            self._check_clash(use.path[-1].span, name)

    def _list(self, alias: nodes.Ident, function: FunctionSymbol) -> None:
        if self.imports.listed.setdefault(alias.name, function) is not function:
            title = f"`{alias.name}` already maps to another function"
            self._error("E_IMPORT", title, alias.span, help="choose another name with `as`")
        self._check_clash(alias.span, alias.name)

    def _check_clash(self, span: Span, name: str) -> None:
        own = self.loaded.module.functions.get(name)
        if own is not None and name not in _PRINTING:
            title = f"the imported function `{name}` conflicts with one declared in this file"
            label = Label(own.node.name.span, "declared here")
            help = "import others by name, as in `use m::{f};`, or rename one of the two"
            self.problems.error("E_IMPORT", title, span, Phase.IMPORT, label, help=help)

    def _error(self, code: str, title: str, span: Span, help: str) -> None:
        self.problems.error(code, title, span, Phase.PARSE, help=help)
