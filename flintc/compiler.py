"""The compiler as other Python code uses it: scripts on disk, host functions of the installed
`flint`.
"""

from __future__ import annotations

from functools import cache
from importlib.util import find_spec
from pathlib import Path

from flintc import catalogue, driver
from flintc.analysis import lints
from flintc.catalogue import Catalogue
from flintc.driver import Compiled
from flintc.emit.context import Options
from flintc.files import DiskFiles
from flintc.problems import Problems
from flintc.source import SourceFile


class FlintNotFound(Exception):
    """The package `flint` (ours) is not importable, so there are no host functions."""


@cache
def runtime_root() -> Path:
    """The folder that holds the package `flint`, found without importing it."""
    spec = find_spec("flint")
    root = Path(spec.origin).parent.parent if spec is not None and spec.origin else None
    if root is None or not (root / "flint" / "runtime" / "__init__.py").is_file():
        raise FlintNotFound(
            "flintc needs its own runtime package `flint`; another package of that name "
            "(python-flint) hides it, or flintc is not installed completely"
        )
    return root


def host_catalogue() -> Catalogue:
    return catalogue.load(runtime_root())


def compile_file(path: str, options: Options | None = None) -> Compiled:
    """Compile a script and the modules that it uses."""
    return driver.compile_program(path, DiskFiles(), host_catalogue(), options or Options())


def compile_text(text: str, path: str = "<text>", options: Options | None = None) -> Compiled:
    """Compile a script from memory; its `use` paths are relative to the folder of `path`."""
    source = SourceFile(path, text)
    return driver.compile_program(source, DiskFiles(), host_catalogue(), options or Options())


def check_file(path: str) -> Problems:
    """The problems of a script and of the modules that it uses; warnings where it is sound."""
    problems = Problems()
    facts = driver.analyse(path, DiskFiles(), host_catalogue(), problems)
    if facts is not None and not problems.has_errors:
        lints.lint(facts.resolution, facts.typing, problems)
    return problems
