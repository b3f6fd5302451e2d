"""Which emitted expressions type checkers see as Any: results of `flint.lang` functions that take
values of any type, and what is computed from them, as mypy infers it.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass, field


@dataclass(eq=False, slots=True)
class Untyped:
    """`calls` of one module, shared by its bodies; `names` of the variables of one body."""

    calls: set[ast.expr]
    names: set[str] = field(default_factory=set)

    def __contains__(self, value: ast.expr) -> bool:
        """Whether a type checker takes the expression for one of type Any."""
        pending = [value] if self.calls else []
        while pending:  # a loop, as sums may have thousands of terms
            part = pending.pop()
            if part in self.calls or (isinstance(part, ast.Name) and part.id in self.names):
                return True
            if isinstance(part, ast.IfExp):
                if part.body in self and part.orelse in self:
                    return True
            else:
                pending.extend(_deciding(part))
        return False

    def note(self, statement: ast.stmt) -> None:
        """Remember a variable that gets such a value and has no annotation."""
        if not self.calls:
            return
        match statement:
            case ast.AnnAssign(target=ast.Name(id=name)):
                self.names.discard(name)
            case ast.Assign(targets=[ast.Name(id=name)], value=value) if value in self:
                self.names.add(name)
            case ast.AugAssign(target=ast.Name(id=name), value=value) if value in self:
                self.names.add(name)


def _deciding(value: ast.expr) -> list[ast.expr]:
    """The parts of which one that is Any makes the whole Any."""
    match value:
        case ast.BinOp(left=left, right=right):
            return [left, right]
        case ast.Compare(left=left, comparators=others):
            return [] if isinstance(value.ops[0], (ast.Is, ast.IsNot)) else [left, *others]
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return [operand]
        case ast.Subscript(value=ast.List(elts=items) | ast.Dict(values=items)):
            return items
        case ast.Subscript(value=container):
            return [container]
        case _:
            return []
