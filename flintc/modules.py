"""The files of a program: what each `use` names, and the modules in the order in which they run.

No file is touched here: reading goes through `Files`. Source: language reference 8.1 to 8.3.
"""

from __future__ import annotations

import os.path
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from keyword import iskeyword
from typing import Final, Protocol, TypeAlias

from flintc.analysis.suggest import closest
from flintc.analysis.symbols import Module
from flintc.problems import Phase, Problems
from flintc.source import SourceFile, Span
from flintc.syntax import nodes
from flintc.syntax.parser import parse

BUILTIN_NAMESPACES: Final = ("bytes", "io", "json", "jit", "math", "re")
_LIBRARY: Final = ("stdlib", "rss")
_EXTENSION: Final = ".rss"
IN_MEMORY: Final = "<text>"


class Files(Protocol):
    """Where source texts come from."""

    def read(self, path: str) -> str:
        """The text of a file; OSError or UnicodeDecodeError where it cannot be read."""

    def exists(self, path: str) -> bool: ...

    def canonical(self, path: str) -> str:
        """One spelling for each file, whatever path leads to it."""

    def library(self, name: str) -> str | None:
        """Path of the shipped module `stdlib::rss::NAME`."""

    def library_names(self) -> list[str]:
        """The names of the shipped modules."""


@dataclass(frozen=True, slots=True)
class BuiltinNamespace:
    """`use math;`"""

    name: str


@dataclass(frozen=True, slots=True)
class HostNamespace:
    """`use flint;`: calls below `root` are host functions."""

    root: str


@dataclass(frozen=True, slots=True)
class Unavailable:
    """A module that could not be loaded; the problem has been reported."""


UseTarget: TypeAlias = Module | BuiltinNamespace | HostNamespace | Unavailable


@dataclass(eq=False, slots=True)
class LoadedModule:
    """A module and what each of its `use` statements names."""

    module: Module
    uses: dict[nodes.Use, UseTarget] = field(default_factory=dict)


def load_program(root: str | SourceFile, files: Files, problems: Problems) -> list[LoadedModule]:
    """The modules of a program, each after those that it uses; the root is last.

    `root` is the path of the main file, or its text in memory: `use` is then relative to the
    folder of the path that the text claims. Empty when the root cannot be read.
    """
    return _Loader(files, problems).load(root)


@dataclass(eq=False, slots=True)
class _Pending:
    """A module whose imports are being loaded."""

    loaded: LoadedModule
    key: str
    uses: Iterator[nodes.Use]


class _Loader:
    """Depth-first over the module graph, without recursion."""

    def __init__(self, files: Files, problems: Problems) -> None:
        self.files = files
        self.problems = problems
        self.order: list[LoadedModule] = []
        self.done: dict[str, UseTarget] = {}
        self.stack: list[_Pending] = []
        self.open: dict[str, int] = {}  # the place of each open module on the stack
        self.names: set[str] = set()
        self.root_folder = ""

    def load(self, root: str | SourceFile) -> list[LoadedModule]:
        source = root if isinstance(root, SourceFile) else self._read(root, root, None)
        if source is None:
            return []
        self.root_folder = os.path.dirname(source.path)
        stem = os.path.splitext(os.path.basename(source.path))[0]
        self._open(source, [stem], self.files.canonical(source.path))
        while self.stack:
            self._advance(self.stack[-1])
        return self.order

    def _advance(self, pending: _Pending) -> None:
        """Look at the next `use` of the innermost open module."""
        use = next(pending.uses, None)
        if use is None:
            self.stack.pop()
            del self.open[pending.key]
            self.order.append(pending.loaded)
            self.done[pending.key] = pending.loaded.module
            return
        target = self._target(pending.loaded.module.file, use)
        if target is None:  # a module has been opened: come back to this `use` when it is done
            pending.uses = _again(use, pending.uses)
            return
        pending.loaded.uses[use] = target
        imports = pending.loaded.module.imports
        if isinstance(target, Module) and target not in imports:
            imports.append(target)

    def _open(self, source: SourceFile, path: list[str], key: str) -> None:
        program = parse(source, self.problems)
        name = self._unique(".".join(_python_name(part) for part in path))
        module = Module(name, source, program)
        self.open[key] = len(self.stack)
        uses = (node for node in program.declarations if isinstance(node, nodes.Use))
        self.stack.append(_Pending(LoadedModule(module), key, uses))

    def _target(self, importer: SourceFile, use: nodes.Use) -> UseTarget | None:
        qualifiers, parts = _split(use)
        if not parts or parts[0] == "crate":  # the parser has reported it
            return Unavailable()
        if not qualifiers and len(parts) == 1:
            name = parts[0]
            if name in BUILTIN_NAMESPACES:
                return BuiltinNamespace(name)
            if not self._is_file_beside(importer, name):
                return HostNamespace(name)
        return self._file(importer, use, qualifiers, parts)

    def _is_file_beside(self, importer: SourceFile, name: str) -> bool:
        path = os.path.join(os.path.dirname(importer.path), name + _EXTENSION)
        return self.files.exists(path) and self.files.canonical(path) != self.files.canonical(
            importer.path
        )

    def _file(
        self, importer: SourceFile, use: nodes.Use, qualifiers: list[str], parts: list[str]
    ) -> UseTarget | None:
        folder = os.path.dirname(importer.path)
        path = os.path.join(folder, *qualifiers, *parts[:-1], parts[-1] + _EXTENSION)
        library = None
        if not self.files.exists(path):
            library = self._library(qualifiers, parts)
            path = path if library is None else library
        key = self.files.canonical(path)
        if key in self.done:
            return self.done[key]
        if key in self.open:
            self._cycle(key, use)
            return Unavailable()
        source = self._read(os.path.normpath(path), _written(use), _path_span(use))
        if source is None:
            self.done[key] = Unavailable()
            return self.done[key]
        is_library = path == library
        self._open(source, parts if is_library else self._name(qualifiers, parts), key)
        return None

    def _library(self, qualifiers: list[str], parts: list[str]) -> str | None:
        if qualifiers or len(parts) != 3 or tuple(parts[:2]) != _LIBRARY:
            return None
        return self.files.library(parts[2])

    def _name(self, qualifiers: list[str], parts: list[str]) -> list[str]:
        """The path of a module from the root's folder, by way of its importer's; `..` beyond the
        root's folder is spelled `super`."""
        folder = self.stack[-1].loaded.module.name.split(".")[:-1]
        for part in [*qualifiers, *parts]:
            if part == os.pardir and folder and folder[-1] != "super":
                folder.pop()
            elif part != os.curdir:
                folder.append("super" if part == os.pardir else part)
        return folder

    def _read(self, path: str, name: str, span: Span | None) -> SourceFile | None:
        if not path.endswith(_EXTENSION):
            self._error("E_FILE", f"`{path}` is not a RustScript file (`.rss`)", span)
            return None
        try:
            return SourceFile(path, self.files.read(path))
        except FileNotFoundError:
            title = f"cannot find {name}" if span is None else f"cannot find module `{name}`"
            self._error("E_FILE_NOT_FOUND", title, span, help=self._looked_for(path, name, span))
        except OSError as error:
            reason = error.strerror or str(error)
            self._error("E_FILE", f"cannot read `{path}`: {reason}", span)
        except UnicodeDecodeError:
            self._error("E_FILE", f"`{path}` is not UTF-8 text", span)
        except ValueError as error:  # a null character in the path
            self._error("E_FILE", f"cannot read {path!r}: {error}", span)
        return None

    def _looked_for(self, path: str, name: str, span: Span | None) -> str | None:
        if span is None:
            return None
        parts = name.split("::")
        if tuple(parts[:-1]) == _LIBRARY:
            names = self.files.library_names()
            near = closest(parts[-1], names)
            return f"did you mean `{near}`?" if near else f"its modules: {', '.join(names)}"
        return f"looked for `{path}`: paths in `use` are relative to the folder of the file"

    def _cycle(self, key: str, use: nodes.Use) -> None:
        chain = [pending.loaded.module.file.path for pending in self.stack[self.open[key] :]]
        path = chain[0]
        self._error(
            "E_IMPORT_CYCLE",
            f"import cycle detected at '{path}'",
            _path_span(use),
            help=" uses ".join([*chain, path]) + "; move what they share into a third module",
        )

    def _error(self, code: str, title: str, span: Span | None, *, help: str | None = None) -> None:
        self.problems.error(code, title, span, Phase.LOAD, help=help)

    def _unique(self, name: str) -> str:
        candidate, number = name, 2
        while candidate in self.names:
            candidate, number = f"{name}_{number}", number + 1
        self.names.add(candidate)
        return candidate


def _again(use: nodes.Use, rest: Iterator[nodes.Use]) -> Iterator[nodes.Use]:
    yield use
    yield from rest


def _split(use: nodes.Use) -> tuple[list[str], list[str]]:
    """Leading `self`/`super` as folders, and the other parts of the path."""
    names = [ident.name for ident in use.path]
    count = next((at for at, name in enumerate(names) if name not in ("self", "super")), len(names))
    return [os.curdir if name == "self" else os.pardir for name in names[:count]], names[count:]


def _written(use: nodes.Use) -> str:
    return "::".join(ident.name for ident in use.path)


def _path_span(use: nodes.Use) -> Span:
    return use.path[0].span.to(use.path[-1].span)


def _python_name(part: str) -> str:
    name = re.sub(r"\W", "_", part, flags=re.ASCII) or "_"
    if name[0].isdigit():
        name = "_" + name
    return name + "_" if iskeyword(name) else name
