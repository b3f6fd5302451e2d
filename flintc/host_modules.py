"""Where the user's own host modules are: named by `--host`, found without importing anything."""

from __future__ import annotations

import importlib
import importlib.util
import os
import re
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from flintc.catalogue import ROOT, HostFunction
from flintc.host_signatures import read_functions
from flintc.modules import BUILTIN_NAMESPACES
from flintc.problems import Refused
from flintc.syntax.tokens import KEYWORDS

_TAKEN = (ROOT, "runtime", "stdlib", *BUILTIN_NAMESPACES)
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


class HostModuleError(Refused):
    """A module cannot serve as host."""


@dataclass(frozen=True, slots=True)
class HostModule:
    """A module of the user: its dotted name, its file and text, and its functions by name."""

    name: str
    path: Path
    text: str
    functions: dict[str, HostFunction]

    @property
    def namespace(self) -> str:
        """The module as scripts name it: `mypackage::ops`."""
        return self.name.replace(".", "::")


def look_here(hosts: Sequence[str]) -> None:
    """Let modules of the current folder be found, as `python -m` does; for commands."""
    here = os.getcwd()
    if hosts and here not in sys.path and "" not in sys.path:
        sys.path.insert(0, here)


def read_modules(hosts: str | Sequence[str]) -> list[HostModule]:
    """The modules that `hosts` names, dotted or as files; `HostModuleError` if one cannot serve."""
    wanted = (hosts,) if isinstance(hosts, str) else hosts
    return [_read(name) for name in dict.fromkeys(map(_dotted, wanted))]


def _dotted(written: str) -> str:
    """The module's dotted name; a file is named by its path below the current folder."""
    name = written
    if written.endswith(".py"):
        relative = os.path.relpath(written)
        if relative.startswith(os.pardir) or os.path.isabs(relative):
            title = f"the host module `{written}` lies outside the current folder"
            raise HostModuleError(title, "name it as Python imports it, as in `mypackage.ops`")
        name = relative.removesuffix(".py").removesuffix(f"{os.sep}__init__").replace(os.sep, ".")
    for part in name.split("."):
        if not _NAME.fullmatch(part) or part in KEYWORDS:
            title = f"`{written}` cannot be a host module: scripts cannot write `{part}`"
            raise HostModuleError(
                title, "give the name as Python imports it, as in `mypackage.ops`"
            )
    if name.split(".")[0] in _TAKEN:
        title = f"the host module `{name}` clashes with the built-in namespace"
        raise HostModuleError(
            title, f"rename it: `use {name.split('.')[0]};` has a meaning already"
        )
    return name


def _read(name: str) -> HostModule:
    path = _find(name)
    try:
        text = path.read_bytes().decode("utf-8-sig")
        functions = read_functions(name, text)
    except (OSError, UnicodeDecodeError) as error:
        raise HostModuleError(f"cannot read the host module `{name}`: {error}") from error
    except (SyntaxError, ValueError) as error:
        raise HostModuleError(f"the host module `{name}` is not Python: {error}") from error
    if not functions:
        title = f"the host module `{name}` has no annotated functions"
        raise HostModuleError(title, "annotate them, as in `def scale(x: float) -> float:`")
    return HostModule(name, path, text, functions)


def _find(name: str) -> Path:
    for base in _candidates(name):
        for path in (base.with_suffix(".py"), base / "__init__.py"):
            if path.is_file():
                return path
    help = "modules are found as Python finds them: in the current folder, PYTHONPATH, or installed"
    raise HostModuleError(f"there is no host module `{name}`", help)


def _candidates(name: str) -> Iterator[Path]:
    """Where a module's file may be, without its ending; only its outermost package is looked up."""
    top, *inner = name.split(".")
    importlib.invalidate_caches()
    try:
        spec = importlib.util.find_spec(top)
    except ValueError:  # a module of this process without a file
        return
    if spec is None:
        return
    for folder in spec.submodule_search_locations or ():
        yield Path(folder, *inner)
    if not inner and spec.origin is not None and spec.origin.endswith(".py"):
        yield Path(spec.origin).with_suffix("")
