"""Modules that `flintc build --native` compiled to C, imported in the place of the Python files.

A package of generated modules asks for it in its `__init__.py`. What was compiled lies in its
folder `__native__`; `index.json` there says from which Python files. A file that has changed since
is imported as Python, and so is everything while a debugger is at work.
"""

from __future__ import annotations

import hashlib
import json
import os
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import wraps
from importlib.abc import InspectLoader
from importlib.machinery import ExtensionFileLoader, ModuleSpec
from importlib.util import spec_from_file_location
from pathlib import Path
from sysconfig import get_config_var
from types import CodeType, ModuleType

from flint.lang.kinds import compiled_modules

FOLDER = "__native__"
INDEX = "index.json"
LANGUAGE = "_language_"
"""With the group's name behind it: the module of a group that has `flint.lang.compiled` in it."""

_COMMAND = "from flint.native import run_command\nrun_command({name!r})\n"
_SWITCH = "FLINT_PLAIN"
_DEBUGGERS = ("debugpy", "pydevd")


def suffix() -> str:
    """What the file of an extension module ends with, for this Python on this machine."""
    return str(get_config_var("EXT_SUFFIX"))


@dataclass(slots=True)
class Group:
    """Modules that were compiled together and call each other in C: all of them, or none.

    `sources` has the SHA-256 of each generated file, by the module's name below the package.
    """

    name: str
    tag: str  # `suffix()` of the Python that it is for
    compiler: str  # changes when the same files would be compiled in another way
    sources: Mapping[str, str]
    _usable: bool | None = field(default=None, repr=False)

    def is_usable(self, package: str, folder: Path) -> bool:
        """Whether it may be loaded; answered once, so that its modules are of one kind."""
        if self._usable is None:
            self._usable = self._fits(package, folder)
        return self._usable

    def _fits(self, package: str, folder: Path) -> bool:
        imported = any(f"{package}.{name}" in sys.modules for name in self.sources)
        return not imported and self.is_fresh(folder)

    def is_fresh(self, folder: Path) -> bool:
        """Whether it is for this Python, there, and made of the files as they are now."""
        if self.tag != suffix() or not (folder / FOLDER / self.name).is_dir():
            return False
        return all(
            file_hash(source_path(folder, name)) == known for name, known in self.sources.items()
        )

    @property
    def library(self) -> str:
        """The module that holds the code of all others."""
        return f"flint_{self.name}__mypyc"


def read_index(folder: Path) -> list[Group]:
    """The groups below a package's folder; none if there is no index, or not one of ours."""
    try:
        found = json.loads((folder / FOLDER / INDEX).read_text(encoding="utf-8"))
        return [Group(**group) for group in found["groups"]]
    except (OSError, ValueError, TypeError, KeyError):
        return []


def index_text(groups: Iterable[Group]) -> str:
    """The index as `read_index` reads it."""
    entries = [
        {"name": g.name, "tag": g.tag, "compiler": g.compiler, "sources": dict(g.sources)}
        for g in groups
    ]
    return json.dumps({"groups": entries}, indent=1) + "\n"


def source_path(folder: Path, name: str) -> Path:
    """The generated file of a module, by its name below the package."""
    return folder.joinpath(*name.split(".")).with_suffix(".py")


def file_hash(path: Path) -> str | None:
    """SHA-256 of a file's bytes; None if it cannot be read."""
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest()
    except OSError:
        return None


def prefer_native(package: str, path: Sequence[str]) -> None:
    """Import compiled modules of a package where there are any that fit its files.

    `package` and `path` are its `__name__` and `__path__`. Not under a debugger, and not with
    `FLINT_PLAIN` in the environment.
    """
    debugged = sys.gettrace() is not None or any(name in sys.modules for name in _DEBUGGERS)
    if debugged or os.environ.get(_SWITCH):
        return
    folder = Path(path[0])
    groups = read_index(folder)
    if groups:
        sys.meta_path.insert(0, _Finder(package, folder, groups))


class _Finder:
    """Finds the modules of one package's groups."""

    def __init__(self, package: str, folder: Path, groups: Sequence[Group]) -> None:
        self.package = package
        self.folder = folder
        self.groups = {f"{package}.{name}": group for group in groups for name in group.sources}
        for group in groups:
            self.groups[group.library] = group
            self.groups[f"{package}.{LANGUAGE}{group.name}"] = group

    def find_spec(
        self, fullname: str, path: object = None, target: object = None
    ) -> ModuleSpec | None:
        group = self.groups.get(fullname)
        if group is None or not group.is_usable(self.package, self.folder):
            return None
        base = self.folder / FOLDER / group.name
        binary = base.joinpath(*fullname.split("."))
        loader = _Loader(fullname, str(binary) + suffix(), binary.with_suffix(".py"))
        return spec_from_file_location(fullname, loader.shown, loader=loader)


class _Loader(InspectLoader):
    """Loads one module; its `__file__` is the Python text that was compiled."""

    def __init__(self, name: str, binary: str, text: Path) -> None:
        self.extension = ExtensionFileLoader(name, binary)
        self.text = text
        self.shown = str(text) if text.exists() else binary

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        compiled_modules.add(spec.name)
        path = self.extension.path
        try:
            return self.extension.create_module(ModuleSpec(spec.name, self.extension, origin=path))
        except ImportError as error:
            again = "build it again with `flintc build --native`, or set FLINT_PLAIN=1"
            raise ImportError(f"what was compiled cannot be loaded: {error}; {again}") from error

    def exec_module(self, module: ModuleType) -> None:
        self.extension.exec_module(module)
        module.__file__ = self.shown
        module.__loader__ = self
        if "main" in vars(module):
            module.__dict__["main"] = _with_room(module.__dict__["main"])

    def get_code(self, fullname: str) -> CodeType:
        """What `python -m` runs as `__main__`: an extension module has no code to run there."""
        return compile(_COMMAND.format(name=fullname), self.shown, "exec")

    def get_source(self, fullname: str) -> str | None:
        return self.text.read_text(encoding="utf-8") if self.text.exists() else None


def _with_room(main: Callable[[], object]) -> Callable[[], object]:
    """Calls in C take the stack: where there may be little, `main` runs in a thread with more."""

    @wraps(main)
    def roomy() -> object:
        from flintc import stack

        return main() if stack.has_room() else stack.in_new_thread(without_gradients)

    def without_gradients() -> object:  # torch keeps that for each thread
        from flint.runtime.context import no_gradients

        with no_gradients():
            return main()

    return roomy


def run_command(name: str) -> None:
    """Run a compiled module as the command that its Python file is; `SystemExit` at its end."""
    from importlib import import_module

    from flint.runtime import program

    main = getattr(import_module(name), "main", None)
    if main is not None:
        raise SystemExit(program.run_main(_stoppable(main)))


def _stoppable(main: Callable[[], object]) -> Callable[[], object]:
    """Compiled loops never look whether Ctrl-C was pressed: it ends the process at once."""
    from flint.runtime.interrupts import interruptible

    def stoppable() -> object:
        with interruptible():
            return main()

    return stoppable
