"""The host functions' signatures, read from the source of `flint.runtime` without importing it.

One annotated Python function is the only statement of a host function: its annotations are the
RustScript signature, its docstring the reference text. A namespace is read when it is first asked
for.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from flintc.analysis.suggest import closest
from flintc.analysis.types import (
    BOOL,
    BYTES,
    FLOAT,
    INT,
    NULL,
    NUMBER,
    STRING,
    UNKNOWN,
    Array,
    Handle,
    Map,
    Optional,
    Type,
)
from flintc.analysis.types import Callable as CallableType

ROOT = "flint"
_HOST_PACKAGE = "flint.runtime"
_STD_PACKAGE = "flint.lang.std"
_PRIMITIVES: dict[str, Type] = {
    "int": INT,
    "float": FLOAT,
    "bool": BOOL,
    "str": STRING,
    "bytes": BYTES,
    "None": NULL,
}

Read = Callable[[Path], str]


@dataclass(frozen=True, slots=True)
class HostParam:
    name: str
    type: Type
    optional: bool = False  # has a default


@dataclass(frozen=True, slots=True)
class HostFunction:
    """A host function: `path` as scripts write it (`flint::llama::model_load`), and the Python
    module and name that the emitted call uses (`flint.runtime.llama`, `model_load`); `origin` is
    the module that defines it (`flint.runtime.llama.model`)."""

    path: str
    module: str
    name: str
    params: tuple[HostParam, ...]
    result: Type
    doc: str
    origin: str
    counts: bool = False  # the result is `Count`: an int from 0 to what memory holds
    user: bool = False  # of a module of the user: calls are checked like those of script functions
    fault: str | None = None  # why scripts cannot call it

    @property
    def required(self) -> int:
        """How many arguments a call must give."""
        return sum(not param.optional for param in self.params)


@dataclass(eq=False, slots=True)
class Catalogue:
    """All namespaces: `flint::NAME` for hosts, plain names (`math`) for the built-in ones."""

    modules: dict[str, str]  # namespace to Python module
    source: _Source
    loaded: dict[str, dict[str, HostFunction]] = field(default_factory=dict)
    files: dict[str, Path] = field(default_factory=dict)  # of the user's own modules

    def find(self, path: str) -> HostFunction | None:
        """A function by its full path, `flint::llama::model_load` or `math::sqrt`."""
        namespace, _, name = path.rpartition("::")
        return self._namespace(namespace).get(name)

    def namespace_members(self, name: str) -> list[str]:
        """The function names of a namespace (`flint::llama`, `math`), none if it is unknown."""
        return list(self._namespace(name))

    def has_namespace(self, name: str) -> bool:
        return name in self.modules

    def module_of(self, namespace: str) -> str | None:
        """The Python module whose functions a namespace has."""
        return _HOST_PACKAGE if namespace == ROOT else self.modules.get(namespace)

    def python_source(self, module: str) -> tuple[Path, str] | None:
        """The file of a Python module of the catalogue and its text, None if it cannot be read."""
        paths = [self.files[module]] if module in self.files else self.source.paths(module)
        for path in paths:
            with suppress(OSError, UnicodeDecodeError):
                return path, self.source.read(path)
        return None

    def extended(
        self, namespaces: Mapping[str, dict[str, HostFunction]], files: Mapping[str, Path]
    ) -> Catalogue:
        """This catalogue with more namespaces, given by their functions; `files` by module."""
        modules = {name: name.replace("::", ".") for name in namespaces}
        loaded = {**self.loaded, **namespaces}
        return Catalogue(self.modules | modules, self.source, loaded, dict(files))

    def suggest(self, path: str) -> str | None:
        """The known path that is closest to an unknown one."""
        namespace, _, name = path.rpartition("::")
        if namespace in self.modules:
            match = closest(name, self._namespace(namespace))
            return None if match is None else f"{namespace}::{match}"
        other = closest(namespace, self.modules)
        return f"{other}::{name}" if other and self.find(f"{other}::{name}") else None

    def _namespace(self, name: str) -> dict[str, HostFunction]:
        if name not in self.loaded:
            module = self.modules.get(name)
            self.loaded[name] = _functions(self.source, name, module) if module else {}
        return self.loaded[name]


def load(runtime_root: Path, read: Read | None = None) -> Catalogue:
    """The catalogue of the package root that holds `flint/`; without `read`, once per process."""
    return _load_from_disk(runtime_root) if read is None else _load(_Source(runtime_root, read))


@cache
def _load_from_disk(runtime_root: Path) -> Catalogue:
    return _load(_Source(runtime_root, lambda path: path.read_text(encoding="utf-8")))


def _load(source: _Source) -> Catalogue:
    hosts = _namespaces(source, _HOST_PACKAGE)
    modules = {f"{ROOT}::{name}": f"{_HOST_PACKAGE}.{module}" for name, module in hosts.items()}
    modules.update(_namespaces(source, _STD_PACKAGE))
    return Catalogue(modules, source)


@dataclass(frozen=True, slots=True)
class _Source:
    """The source text of Python modules below a root."""

    root: Path
    read: Read

    def tree(self, module: str) -> tuple[ast.Module, bool] | None:
        """A module's tree and whether it is a package; None where there is no such file."""
        for path in self.paths(module):
            try:
                return ast.parse(self.read(path)), path.name == "__init__.py"
            except OSError:
                continue
        return None

    def paths(self, module: str) -> list[Path]:
        """Where a module may be."""
        base = self.root.joinpath(*module.split("."))
        return [base.with_suffix(".py"), base / "__init__.py"]


def _namespaces(source: _Source, package: str) -> dict[str, str]:
    """The literal dict `NAMESPACES` of a package's `__init__`."""
    found = source.tree(package)
    for statement in found[0].body if found else ():
        target = _assigned_name(statement)
        value = getattr(statement, "value", None)
        if target == "NAMESPACES" and isinstance(value, ast.Dict):
            return dict(ast.literal_eval(value))
    return {}


def _assigned_name(statement: ast.stmt) -> str | None:
    if isinstance(statement, ast.AnnAssign):
        target: ast.expr = statement.target
    elif isinstance(statement, ast.Assign) and len(statement.targets) == 1:
        target = statement.targets[0]
    else:
        return None
    return target.id if isinstance(target, ast.Name) else None


def _functions(source: _Source, namespace: str, module: str) -> dict[str, HostFunction]:
    """The public functions of a module: its own, and those it imports from its own submodules."""
    found = source.tree(module)
    if found is None:
        return {}
    tree, is_package = found
    scope = _ModuleScope(module, is_package, tree)
    functions = dict(_own_functions(tree, scope, namespace, module))
    for origin, names in scope.reexports() if is_package else ():
        inner = source.tree(origin)
        if inner is not None:
            inner_scope = _ModuleScope(origin, inner[1], inner[0])
            own = dict(_own_functions(inner[0], inner_scope, namespace, module))
            functions.update((name, own[name]) for name in names if name in own)
    return functions


def _own_functions(
    tree: ast.Module, scope: _ModuleScope, namespace: str, module: str
) -> Iterator[tuple[str, HostFunction]]:
    for statement in tree.body:
        if isinstance(statement, ast.FunctionDef) and not statement.name.startswith("_"):
            # Python names of reserved words carry a trailing underscore
            name = statement.name.removesuffix("_")
            result = scope.type(statement.returns)
            doc = ast.get_docstring(statement) or ""
            params = tuple(_params(statement.args, scope))
            path = f"{namespace}::{name}"
            counts = isinstance(statement.returns, ast.Name) and statement.returns.id == _COUNT
            origin = scope.module
            yield name, HostFunction(
                path, module, statement.name, params, result, doc, origin, counts
            )


def _params(arguments: ast.arguments, scope: _ModuleScope) -> Iterator[HostParam]:
    plain = [*arguments.posonlyargs, *arguments.args]
    required = len(plain) - len(arguments.defaults)
    for at, argument in enumerate(plain):
        yield HostParam(argument.arg, scope.type(argument.annotation), at >= required)


class _ModuleScope:
    """What the class names in a module's annotations mean."""

    def __init__(self, module: str, is_package: bool, tree: ast.Module) -> None:
        self.module = module
        self.package = module if is_package else module.rpartition(".")[0]
        self.classes: dict[str, Handle] = {}
        self.imports: dict[str, list[str]] = {}
        for statement in _top_level(tree.body):
            if isinstance(statement, ast.ClassDef):
                self.classes[statement.name] = _handle(module, statement.name)
            elif isinstance(statement, ast.ImportFrom):
                self._import(statement)

    def _import(self, statement: ast.ImportFrom) -> None:
        origin = statement.module or ""
        if statement.level:
            parts = self.package.split(".")
            base = parts[: len(parts) - statement.level + 1]
            origin = ".".join([*base, origin] if origin else base)
        for alias in statement.names:
            name = alias.asname or alias.name
            self.classes.setdefault(name, _handle(origin, alias.name))
            self.imports.setdefault(origin, []).append(name)

    def reexports(self) -> Iterable[tuple[str, list[str]]]:
        return [item for item in self.imports.items() if item[0].startswith(self.module + ".")]

    def type(self, annotation: ast.expr | None) -> Type:
        """The RustScript type of an annotation; UNKNOWN for `object` and what scripts lack."""
        match annotation:
            case ast.Constant(value=None):
                return NULL
            case ast.Constant(value=str(text)):
                return self.type(ast.parse(text, mode="eval").body)
            case ast.Name(id=name):
                return INT if name == _COUNT else _PRIMITIVES.get(name) or self._class(name)
            case ast.Attribute(value=ast.Name(id=package), attr=name):
                return Handle(package, name)
            case ast.Subscript(value=ast.Name(id="list"), slice=item):
                return Array(self.type(item))
            case ast.Subscript(value=ast.Name(id="dict"), slice=ast.Tuple(elts=[_, value])):
                return Map(self.type(value))
            case ast.Subscript(
                value=ast.Name(id="Callable"), slice=ast.Tuple(elts=[params, result])
            ):
                return self._callable(params, result)
            case ast.BinOp(left=left, op=ast.BitOr(), right=right):
                return _union(self.type(left), self.type(right))
            case _:
                return UNKNOWN

    def _callable(self, params: ast.expr, result: ast.expr) -> Type:
        known = tuple(map(self.type, params.elts)) if isinstance(params, ast.List) else None
        return CallableType(known, self.type(result))

    def _class(self, name: str) -> Type:
        handle = self.classes.get(name)
        return handle if handle is not None and handle.namespace not in _NOT_HANDLES else UNKNOWN


_NOT_HANDLES = ("typing", "collections", "types")
_COUNT = "Count"


def _top_level(body: Iterable[ast.stmt]) -> Iterator[ast.stmt]:
    """Statements of a module, those below `if TYPE_CHECKING:` included."""
    for statement in body:
        if isinstance(statement, ast.If):
            yield from _top_level(statement.body)
        else:
            yield statement


def _handle(module: str, name: str) -> Handle:
    """`flint.runtime.llama.model` + `Model` is `Handle("llama", "Model")`."""
    inner = module.removeprefix(_HOST_PACKAGE + ".")
    return Handle(inner.split(".")[0], name)


def _union(left: Type, right: Type) -> Type:
    if {left, right} == {INT, FLOAT}:
        return NUMBER
    if left is NULL:
        left, right = right, left
    if right is NULL:
        if isinstance(left, Handle):
            return Handle(left.namespace, left.name, optional=True)
        return UNKNOWN if left is UNKNOWN else Optional(left)
    return UNKNOWN
