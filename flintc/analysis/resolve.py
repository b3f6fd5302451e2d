"""What every name means: variables, functions, builtins, namespaces and host functions.

One walk over each file in the order of its text, as the language defines visibility (language
reference 2.5 to 2.7, 2.12 to 2.14); functions and structs are declared before it, since they are
known in their whole file.
"""

from __future__ import annotations

from flintc.analysis.resolve_body import BodyResolver
from flintc.analysis.resolve_hosts import HostCalls
from flintc.analysis.resolve_imports import ImportBuilder
from flintc.analysis.resolve_types import TypeReader, read_structs
from flintc.analysis.symbols import FunctionSymbol, Module, Resolution, Scope
from flintc.catalogue import Catalogue
from flintc.modules import LoadedModule
from flintc.problems import Label, Phase, Problems
from flintc.syntax import nodes


def resolve(modules: list[LoadedModule], catalogue: Catalogue, problems: Problems) -> Resolution:
    """Resolve all modules of a program, given in dependency order."""
    resolution = Resolution([loaded.module for loaded in modules])
    structs = {module: _declare(module, resolution, problems) for module in resolution.modules}
    readers = {module: TypeReader(module, resolution, problems) for module in resolution.modules}
    for module, declared in structs.items():
        read_structs(readers[module], declared)
    hosts = HostCalls(catalogue, problems)
    for loaded in modules:
        builder = ImportBuilder(loaded, problems)
        BodyResolver(resolution, readers[loaded.module], builder, hosts, problems).run()
    return resolution


def _declare(module: Module, resolution: Resolution, problems: Problems) -> list[nodes.Struct]:
    """Declare a file's functions and structs, wherever they stand; all structs are returned."""
    module.top = Scope(module.program, None, module)
    resolution.scopes[module.program] = module.top
    structs: list[nodes.Struct] = []
    for node in module.program.declarations:
        if isinstance(node, nodes.Use):
            continue
        if isinstance(node, nodes.Function):
            symbol = FunctionSymbol(node.name.name, node, module, module.top)
            resolution.functions[node] = symbol
            first = module.functions.setdefault(symbol.name, symbol).node.name
        else:
            structs.append(node)
            first = module.structs.setdefault(node.name.name, node).name
        if first is not node.name:
            _duplicate(node, first, problems)
    return structs


def _duplicate(node: nodes.Function | nodes.Struct, first: nodes.Ident, problems: Problems) -> None:
    kind = "function" if isinstance(node, nodes.Function) else "struct"
    problems.error(
        f"E_DUPLICATE_{kind.upper()}",
        f"{kind} `{first.name}` is declared twice in this file",
        node.name.span,
        Phase.PARSE,
        Label(first.span, "first declared here"),
        help="nested declarations count for the whole file, so choose another name",
    )
