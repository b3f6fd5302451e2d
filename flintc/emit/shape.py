"""Which expressions need Python statements before them.

Decided once per node, bottom up, so that lowering never has to try a form and take it back.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from flintc.analysis.parts import continues, parts
from flintc.analysis.symbols import Capture
from flintc.syntax import nodes

if TYPE_CHECKING:
    from flintc.emit.comments import Comments
    from flintc.emit.context import Facts

MAX_CHAIN: Final = 40  # operands of one Python operator chain
MAX_HEIGHT: Final = 40  # nesting of one Python expression; CPython refuses 200 parentheses
_TERNARY_WIDTH: Final = 72  # code points of source that read well as one conditional expression


class Shape:
    def __init__(self, facts: Facts) -> None:
        self.facts = facts
        self.comments: Comments | None = None
        self._statements: dict[nodes.Node, bool] = {}
        self._height: dict[nodes.Node, int] = {}
        self._leaves_loop: dict[nodes.Node, bool] = {}

    def needs_statements(self, node: nodes.Node) -> bool:
        """Whether lowering `node` as a value emits statements."""
        if isinstance(node, (nodes.Name, nodes.IntLiteral, nodes.StringLiteral)):
            return False
        known = self._statements.get(node)
        if known is None:
            known = self._needs_statements(node)
            self._statements[node] = known
        return known

    def _needs_statements(self, node: nodes.Node) -> bool:
        if isinstance(node, nodes.Closure):
            return self.needs_def(node)
        if isinstance(node, nodes.Match):
            return True
        if isinstance(node, nodes.ValueBlock) and node.statements:
            return True
        if isinstance(node, nodes.Operation) and self.is_long(node):
            return True
        if isinstance(node, nodes.UnwrapOr) and not self.is_plain_name(node.value):
            return True
        if self.height(node) >= MAX_HEIGHT:
            return True
        return any(self.needs_statements(child) for child in parts(node))

    def is_plain_name(self, node: nodes.Node) -> bool:
        return isinstance(node, nodes.Name) and node not in self.facts.sharing.copies

    def is_long(self, node: nodes.Operation) -> bool:
        """A chain that is split over statements; `&&` and `||` chains are flat in Python too."""
        return len(node.operands) > MAX_CHAIN and node.operators[0] not in ("&&", "||")

    def is_split(self, node: nodes.Node) -> bool:
        """Whether the value of `node` is kept in a variable of its own, or is copied."""
        if node in self.facts.sharing.copies or self.height(node) >= MAX_HEIGHT:
            return True
        return isinstance(node, nodes.Operation) and self.is_long(node)

    def height(self, node: nodes.Node) -> int:
        """Nesting since the last split: a node of `MAX_HEIGHT` is kept in a variable."""
        known = self._height.get(node)
        if known is None:
            inner = parts(node)
            if not inner:
                return 1
            known = 1
            is_flat = isinstance(node, nodes.Operation) and node.operators[0] in ("&&", "||")
            for child in inner:
                below = self.height(child)
                if is_flat:
                    below -= continues(node, child)
                if known <= below < MAX_HEIGHT:
                    known = below + 1
            self._height[node] = known
        return known

    def leaves_loop(self, node: nodes.Node) -> bool:
        """Whether a `break` or `continue` in a node is of a loop around it."""
        if isinstance(node, (nodes.Break, nodes.Continue)):
            return True
        if isinstance(node, (nodes.While, nodes.ForRange, nodes.ForMap)):
            return False
        if isinstance(node, (nodes.Function, nodes.Closure)):
            return False
        known = self._leaves_loop.get(node)
        if known is None:
            known = self._leaves_loop[node] = any(map(self.leaves_loop, parts(node)))
        return known

    def needs_def(self, node: nodes.Closure) -> bool:
        """Whether a closure is a `def` and not a lambda: it calls itself, has statements, or keeps
        the value of a variable, which takes a keyword-only parameter.
        """
        if node in self.facts.depths.counted or self.needs_statements(node.body):
            return True
        captures = self.facts.resolution.scopes[node].captures.items()
        return any(
            capture is not Capture.SHARED and self.facts.usage.may_change(variable)
            for variable, capture in captures
        )

    def reads_well_inline(self, node: nodes.IfExpr) -> bool:
        """Whether an if-expression is a good Python conditional expression."""
        if self.needs_statements(node) or isinstance(node.orelse, nodes.IfExpr):
            return False
        if self.comments is not None and self.comments.has_inside(node.span):
            return False
        then = node.then.value
        orelse = node.orelse.value
        if isinstance(then, nodes.IfExpr) or isinstance(orelse, nodes.IfExpr):
            return False
        spans = (node.condition.span, then.span, orelse.span)
        return sum(span.end - span.start for span in spans) <= _TERNARY_WIDTH
