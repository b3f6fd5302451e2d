"""The compiler as other Python code uses it: scripts on disk, host functions of the installed
`flint`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from flintc import catalogue, driver
from flintc.analysis import lints
from flintc.catalogue import Catalogue
from flintc.driver import Compiled
from flintc.emit.context import Options
from flintc.files import DiskFiles
from flintc.host_modules import HostModule, HostModuleError, read_modules
from flintc.locate import runtime_root
from flintc.problems import Phase, Problems
from flintc.source import SourceFile
from flintc.stack import with_room

Hosts: TypeAlias = str | Sequence[str]
"""Modules of the user: one, or several."""


def host_catalogue() -> Catalogue:
    """The host functions of `flint`."""
    return catalogue.load(runtime_root())


def catalogue_with(modules: Sequence[HostModule]) -> Catalogue:
    """The host functions of `flint` and of the user's own modules."""
    functions = {module.namespace: module.functions for module in modules}
    return host_catalogue().extended(functions, {module.name: module.path for module in modules})


def compile_file(path: str, options: Options | None = None, *, host: Hosts = ()) -> Compiled:
    """Compile a script and the modules that it uses; `host` names Python modules for it to call."""
    return _compile(path, options, host)


def compile_text(
    text: str, path: str = "<text>", options: Options | None = None, *, host: Hosts = ()
) -> Compiled:
    """Compile a script from memory; its `use` paths are relative to the folder of `path`."""
    return _compile(SourceFile(path, text), options, host)


def _compile(root: str | SourceFile, options: Options | None, host: Hosts) -> Compiled:
    problems = Problems()
    modules = try_host_modules(host, problems)
    if modules is None:
        return Compiled(problems)
    functions = catalogue_with(modules)
    return driver.compile_program(root, DiskFiles(), functions, options or Options())


def try_host_modules(host: Hosts, problems: Problems) -> list[HostModule] | None:
    """The user's own modules; None and a problem if one of them cannot serve."""
    try:
        return read_modules(host)
    except HostModuleError as error:
        problems.error("E_HOST_MODULE", str(error), None, Phase.LOAD, help=error.help)
        return None


@with_room
def check_file(path: str, *, host: Hosts = ()) -> Problems:
    """The problems of a script and of the modules that it uses; warnings where it is sound."""
    problems = Problems()
    modules = try_host_modules(host, problems)
    if modules is None:
        return problems
    analysis = driver.analyse(path, DiskFiles(), catalogue_with(modules), problems)
    if analysis is not None and not problems.has_errors:
        lints.lint(analysis.resolution, analysis.typing, problems)
    return problems
