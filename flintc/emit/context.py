"""What emission knows about one module: analysis results, Python names, imports."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final

from flintc.analysis.depth import CallDepths
from flintc.analysis.ranges import Ranges
from flintc.analysis.sharing import Sharing
from flintc.analysis.symbols import (
    FunctionSymbol,
    Module,
    Resolution,
    Scope,
    Typing,
    Variable,
)
from flintc.analysis.types import Type
from flintc.analysis.usage import Usage
from flintc.catalogue import HostFunction
from flintc.emit.comments import Comments
from flintc.emit.existence import Existence
from flintc.emit.names import PYTHON_NAMES, Either, python_name, python_names
from flintc.emit.placement import Placement
from flintc.emit.shape import Shape
from flintc.source import Span
from flintc.syntax import nodes

LANGUAGE: Final = "flint.lang"
_OF_THE_MODULE: Final = ("main", "record")  # defined or injected in every module


@dataclass(frozen=True, slots=True)
class Facts:
    """The analyses of a whole program that emission rests on."""

    resolution: Resolution
    typing: Typing
    usage: Usage
    sharing: Sharing
    ranges: Ranges
    depths: CallDepths


@dataclass(frozen=True, slots=True)
class Options:
    """`package`: the package that the modules of a program go into.

    `record`: pass the values of top-level expression statements to the injected `record` (5.10).
    `shown_path`: a script's path as the generated text names it.
    `checked`: indices are checked in the code itself, where a failure leaves no Python frame.
    """

    package: str = "generated"
    record: bool = False
    shown_path: Callable[[str], str] = str
    checked: bool = False


@dataclass(slots=True)
class Imports:
    """`from module import name as alias`, collected while lowering."""

    program_names: frozenset[str]
    local_names: set[str] = field(default_factory=set)
    temporaries: set[str] = field(default_factory=set)  # of any body, which may use the imports
    _names: dict[tuple[str, str], str] = field(default_factory=dict)
    # functions of the user's modules, by the names under which generated code calls them
    user_functions: dict[HostFunction, str] = field(default_factory=dict)

    def use(self, module: str, name: str) -> str:
        """The local name of an imported thing; names of the program come first."""
        key = (module, name)
        if key not in self._names:
            self._names[key] = self._free_name(name)
        return self._names[key]

    def use_function(self, function: HostFunction) -> str:
        """The local name of a function of one of the user's modules."""
        if function not in self.user_functions:
            self.user_functions[function] = self._free_name(function.name)
        return self.user_functions[function]

    def _free_name(self, name: str) -> str:
        taken = Either(Either(self.program_names, self.temporaries), self.local_names)
        free = name not in taken and name not in PYTHON_NAMES and name not in _OF_THE_MODULE
        local = name if free else python_name(f"{name}_", taken)
        self.local_names.add(local)
        return local

    def language_name(self, helper: str) -> str | None:
        """The local name of a function of `flint.lang`, if it is in use."""
        return self._names.get((LANGUAGE, helper))

    def is_language(self, identifier: str) -> bool:
        """Whether a local name is that of a function of `flint.lang`."""
        return any(self._names[key] == identifier for key in self._names if key[0] == LANGUAGE)

    def sorted_items(self) -> list[tuple[str, list[tuple[str, str]]]]:
        """Modules with their (name, alias) pairs, in a fixed order."""
        modules: dict[str, list[tuple[str, str]]] = {}
        for (module, name), alias in self._names.items():
            modules.setdefault(module, []).append((name, alias))
        order = sorted(modules, key=lambda module: (import_section(module), module))
        return [(module, sorted(modules[module])) for module in order]


def import_section(module: str) -> str:
    """Imports are grouped as formatters want them: standard library, other packages, ours."""
    root = module.split(".")[0]
    return {"typing": "0", "collections": "0", "torch": "1"}.get(root, "2")


class ModuleContext:
    """One module being emitted."""

    def __init__(self, facts: Facts, module: Module, options: Options) -> None:
        self.facts = facts
        self.module = module
        self.options = options
        self.names = Names(facts, module)
        self._names_elsewhere: dict[Module, PublicNames] = {}
        self.imports = Imports(self.names.program_names)
        self.shape = Shape(facts)
        self.placement = Placement(facts.resolution, module)
        self.existence = Existence(self.placement, module)
        self.comments = Comments(module.program)
        self.signatures: list[_Signature] = []
        self.annotation_depth = 0
        self.untyped: set[ast.expr] = set()  # expressions that type checkers see as Any
        self.dropped: list[Span] = []  # branches that are never taken
        self.shape.comments = self.comments

    def signature(self, hints: Sequence[ast.expr]) -> _Signature:
        """In the body of a function with these annotations: what they name may be named there."""
        return _Signature(self, hints)

    def type_variable(self, name: str) -> str | None:
        """The Python name of a type parameter; None where the signature around does not bind it."""
        python = self.names.type_variables.get(name, name)
        if self.signatures and all(python not in one.named for one in self.signatures):
            return None
        self.names.used_type_variables.add(python)
        return python

    def type_of(self, node: nodes.Node) -> Type:
        return self.facts.typing.of(node)

    def variable(self, node: nodes.Node) -> Variable | None:
        return self.facts.resolution.variables.get(node)

    def is_defined_at(self, symbol: FunctionSymbol, scope: Scope) -> bool:
        """Whether a declaration in the body of `scope` creates the function there and then."""
        return symbol.enclosing is scope and self.placement.has_captures(symbol)

    def is_exported(self, symbol: FunctionSymbol) -> bool:
        """Whether other modules call a function that the body of `main` creates: it is global."""
        home = self.placement.homes.get(symbol)
        is_nested = home is not None and home.parent is None
        return is_nested and self.facts.resolution.root is not self.module

    def import_module(self, module: Module) -> str:
        """The local name of another module of the program."""
        package, _, name = f"{self.options.package}.{module.name}".rpartition(".")
        return self.imports.use(package, name)

    def names_of(self, module: Module) -> PublicNames:
        """The names that another module of the program gives to its functions and structs."""
        if module not in self._names_elsewhere:
            self._names_elsewhere[module] = PublicNames(module)
        return self._names_elsewhere[module]

    def lang(self, helper: str) -> str:
        """The local name of a function of `flint.lang`."""
        return self.imports.use(LANGUAGE, helper)


class _Signature:
    """The annotations of a function around what is being lowered."""

    def __init__(self, context: ModuleContext, hints: Sequence[ast.expr]) -> None:
        self.context = context
        self.hints = hints
        self._named: set[str] | None = None

    @property
    def named(self) -> set[str]:
        """The names in them, which only generic functions ask for."""
        if self._named is None:
            walked = (node for hint in self.hints for node in ast.walk(hint))
            self._named = {node.id for node in walked if isinstance(node, ast.Name)}
        return self._named

    def __enter__(self) -> None:
        self.context.signatures.append(self)

    def __exit__(self, *exception: object) -> None:
        self.context.signatures.pop()


class Names:
    """The Python name of every function and variable of a module."""

    def __init__(self, facts: Facts, module: Module) -> None:
        self.facts = facts
        public = PublicNames(module)
        self.functions = {symbol: public.functions[symbol.name] for symbol in _functions(module)}
        self.structs = {s: public.structs[name] for name, s in module.structs.items()}
        own = frozenset(self.functions.values()) | frozenset(self.structs.values())
        generic: list[nodes.Function | nodes.Struct] = [s.node for s in _functions(module)]
        generic += module.structs.values()
        params = (param.name for node in generic for param in node.type_params)
        self.type_variables = python_names(params, own, in_class=True)
        self.used_type_variables: set[str] = set()
        self._taken = own | frozenset(self.type_variables.values())
        self.variables: dict[Variable, str] = {}
        self.depths: dict[nodes.Node, str] = {}  # of the parameters that hold the call depth
        scopes = [s for s in facts.resolution.scopes.values() if s.module is module]
        for scope in sorted(scopes, key=_depth):
            self._name_scope(scope)
        self.program_names = self._taken.union(self.variables.values(), self.depths.values())
        self._around: dict[Scope, frozenset[str]] = {}

    def around(self, scope: Scope) -> frozenset[str]:
        """The names that mean something in a body, or in the closures and functions in it that use
        its variables.
        """
        known = self._around.get(scope)
        if known is None:
            known = self._around[scope] = self._names_around(scope)
        return known

    def _names_around(self, scope: Scope) -> frozenset[str]:
        known = (*scope.variables, *scope.captures)
        own = frozenset(self.variables[v] for v in known if v in self.variables)
        resolution = self.facts.resolution
        inner = [resolution.scopes[closure] for closure in scope.closures]
        inner += [f.scope for f in scope.functions if f.scope is not None and f.scope.captures]
        return self._taken.union(own, self.depths.values(), *(self.around(one) for one in inner))

    def _name_scope(self, scope: Scope) -> None:
        used = {self.variables[v] for v in scope.captures if v in self.variables}
        taken = Either(self._taken, used)
        for variable in scope.variables:
            if variable not in self.variables:
                identifier = python_name(variable.name, taken)
                self.variables[variable] = identifier
                used.add(identifier)
        self._name_depth(scope.owner, Either(self._taken, used))

    def _name_depth(self, owner: nodes.Node, taken: Either) -> None:
        depths = self.facts.depths
        if owner in depths.told:
            name = "_depth" if owner in depths.leaves else "depth"
            self.depths[owner] = python_name(name, taken)


def _depth(scope: Scope) -> int:
    depth = 0
    parent = scope.parent
    while parent is not None:
        depth += 1
        parent = parent.parent
    return depth


class PublicNames:
    """The Python names of what a module declares, by the script's names; functions come first."""

    def __init__(self, module: Module) -> None:
        self.functions = python_names(symbol.name for symbol in _functions(module))
        taken = frozenset(self.functions.values())
        self.structs = python_names(module.structs, taken, in_class=True)


def _functions(module: Module) -> Iterable[FunctionSymbol]:
    return module.functions.values()
