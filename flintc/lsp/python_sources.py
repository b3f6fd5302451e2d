"""Where the Python code behind host functions and namespaces is."""

from __future__ import annotations

import re

from flintc.catalogue import Catalogue, HostFunction
from flintc.lsp.occurrences import Namespace, Symbol
from flintc.source import SourceFile, Span


def python_definition(symbol: Symbol, catalogue: Catalogue) -> Span | None:
    """The name in the `def` of a host function, or the start of a namespace's module.

    The file is read as it is now; where the function is gone, its start is the answer.
    """
    match symbol:
        case HostFunction(origin=module, name=name):
            return _place(catalogue, module, rf"^(?:async +)?def +({re.escape(name)})\b")
        case Namespace(path=path):
            module = catalogue.module_of(path) or ""
            return _place(catalogue, module, r"\A()")
        case _:
            return None


def _place(catalogue: Catalogue, module: str, pattern: str) -> Span | None:
    source = catalogue.python_source(module)
    if source is None:
        return None
    path, text = source
    found = re.search(pattern, text, re.MULTILINE)
    start, end = found.span(1) if found else (0, 0)
    return Span(SourceFile(str(path), text), start, end)
