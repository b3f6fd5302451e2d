"""Structs as `TypedDict` classes: names, fields and comments for readers and type checkers.

At run time a struct value is a plain dict; the schema exists in the annotations only (2.6, 3.1).
Those with a field that no class can declare, such as a keyword, are `dict[str, Any]`.
"""

from __future__ import annotations

import ast
import keyword

from flintc.analysis.declared import may_hold_handle
from flintc.analysis.handles import has_handle
from flintc.analysis.types import UNKNOWN, Optional
from flintc.emit import tree, typehints
from flintc.emit.context import ModuleContext
from flintc.emit.names import is_mangled
from flintc.emit.printer import docstring
from flintc.syntax import nodes


def definitions(context: ModuleContext) -> list[ast.ClassDef]:
    """The classes of a module's structs, in the order of the source."""
    structs = [s for s in context.module.structs.values() if is_class(s)]
    return [_definition(context, struct) for struct in structs]


def is_class(struct: nodes.Struct) -> bool:
    return all(_may_be_declared(field.name.name) for field in struct.fields)


def _may_be_declared(field: str) -> bool:
    """Whether a class body can declare the field under its own name."""
    return not (keyword.iskeyword(field) or field == "__debug__" or is_mangled(field))


def _definition(context: ModuleContext, struct: nodes.Struct) -> ast.ClassDef:
    span = struct.name.span
    bases: list[ast.expr] = [tree.name(context.imports.use("typing", "TypedDict"), span)]
    if struct.type_params:
        names = [
            tree.name(context.type_variable(param.name) or param.name, param.span)
            for param in struct.type_params
        ]
        generic = tree.name(context.imports.use("typing", "Generic"), span)
        bases.append(tree.subscript(generic, tree.one_or_tuple(names, span), span))
    body: list[ast.stmt] = []
    lines = context.comments.docstring(struct)
    if lines:
        text = tree.constant(docstring(lines, "    "), span)
        body.append(tree.expression(text, span))
    last = {field.name.name: field for field in struct.fields}  # of a repeated field, the last
    for name, field in last.items():
        kind = _field_type(context, struct.name.name, field)
        target = tree.store(name, field.name.span)
        body.append(tree.at(ast.AnnAssign(target, kind, None, 1), field.span))
    python = context.names.structs[struct]
    lines_of_body = body or [tree.at(ast.Pass(), span)]
    return tree.at(ast.ClassDef(python, bases, [], lines_of_body, []), struct.span)


def _field_type(context: ModuleContext, struct: str, field: nodes.Field) -> ast.expr:
    """A field that may be null may be missing: null values are not stored (2.9)."""
    declared = context.facts.resolution.annotations.get(field.type, UNKNOWN)
    known = context.facts.typing.fields.get((struct, field.name.name), UNKNOWN)
    shown = known if has_handle(known) and may_hold_handle(declared) else declared
    kind = typehints.annotation(context, shown, field.span)
    if not isinstance(declared, Optional):
        return kind
    name = tree.name(context.imports.use("typing", "NotRequired"), field.span)
    return tree.subscript(name, kind, field.span)


def have_forward_references(classes: list[ast.ClassDef]) -> bool:
    """Whether a class names one that comes later, or itself."""
    later = {statement.name for statement in classes}
    for statement in classes:
        names = {node.id for node in ast.walk(statement) if isinstance(node, ast.Name)}
        if names & later:
            return True
        later.discard(statement.name)
    return False
