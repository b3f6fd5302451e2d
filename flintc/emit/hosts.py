"""Host functions of the user's own modules in generated code.

The module is imported plainly, and each function used gets one line that puts the checks around it:
`scale = checked(ops.scale)`. Calls are then as plain as any, and type checkers see the signature.
"""

from __future__ import annotations

import ast

from flintc.catalogue import HostFunction
from flintc.emit import tree
from flintc.emit.context import Imports
from flintc.source import Span


def bindings(imports: Imports, span: Span) -> list[ast.stmt]:
    """The lines that make the user's functions ready, in the order of their names."""
    functions = sorted(imports.user_functions.items(), key=lambda item: item[0].path)
    return [_binding(imports, function, name, span) for function, name in functions]


def _binding(imports: Imports, function: HostFunction, name: str, span: Span) -> ast.stmt:
    package, _, module = function.module.rpartition(".")
    owner = tree.name(imports.use(package, module), span)
    checked = tree.name(imports.use("flint.runtime.hosting", "checked"), span)
    original = tree.attribute(owner, function.name, span)
    return tree.assign(tree.store(name, span), tree.call(checked, [original], span), span)
