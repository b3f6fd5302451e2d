"""Where the functions of a module are defined: at module level, or inside the body whose variables
they use, directly or by way of other functions.
"""

from __future__ import annotations

from collections.abc import Iterator

from flintc.analysis.symbols import FunctionSymbol, FunctionTarget, Module, Resolution, Scope
from flintc.syntax import nodes


class Placement:
    """`homes` has the body in which each function that is not at module level is defined.

    One with captures comes into being at its declaration. One without exists whenever its body's
    code runs: it is only there because it names functions that are.
    """

    def __init__(self, resolution: Resolution, module: Module) -> None:
        self.resolution = resolution
        self.homes: dict[FunctionSymbol, Scope] = {}
        self._users: dict[FunctionSymbol, list[FunctionSymbol]] = {}
        self._hoisted: dict[Scope, list[FunctionSymbol]] | None = None
        symbols = [s for s in module.functions.values() if s.scope is not None]
        for symbol in symbols:
            for used in self._used(symbol):
                self._users.setdefault(used, []).append(symbol)
        pending = [symbol for symbol in symbols if self.has_captures(symbol)]
        self.homes.update((symbol, symbol.enclosing) for symbol in pending)
        while pending:
            symbol = pending.pop()
            pending.extend(user for user in self._users.get(symbol, ()) if self._draw(user, symbol))

    def has_captures(self, symbol: FunctionSymbol) -> bool:
        return symbol.scope is not None and bool(symbol.scope.captures)

    def hoisted(self, scope: Scope) -> list[FunctionSymbol]:
        """The functions without captures that the body of `scope` begins with, as in the text."""
        if self._hoisted is None:
            self._hoisted = {}
            for symbol in sorted(self.homes, key=lambda symbol: symbol.node.span.start):
                if not self.has_captures(symbol):
                    self._hoisted.setdefault(self.homes[symbol], []).append(symbol)
        return self._hoisted.get(scope, [])

    def _used(self, symbol: FunctionSymbol) -> Iterator[FunctionSymbol]:
        """The functions that a function names, or that a closure or function made in it names."""
        stack: list[nodes.Node] = [symbol.node]
        while stack:
            for node in self.resolution.scopes[stack.pop()].parts:
                if isinstance(node, (nodes.Call, nodes.Name)):
                    target = self.resolution.targets.get(node)
                    if isinstance(target, FunctionTarget):
                        yield target.function
                elif self.is_made(node):
                    stack.append(node)

    def is_made(self, node: nodes.Node) -> bool:
        """Whether a node is a closure, or a function that comes into being where it is written."""
        if isinstance(node, nodes.Function):
            symbol = self.resolution.functions.get(node)
            return symbol is not None and self.has_captures(symbol)
        return isinstance(node, nodes.Closure)

    def _draw(self, user: FunctionSymbol, used: FunctionSymbol) -> bool:
        """Move a function without captures into the body where one that it uses is, if that body
        is around it and further in than where it was; whether it moved.
        """
        home = self.homes[used]
        if self.has_captures(user) or not is_within(user.enclosing, home):
            return False
        if user in self.homes and is_within(self.homes[user], home):
            return False
        self.homes[user] = home
        return True


def is_within(scope: Scope, body: Scope) -> bool:
    """Whether a scope is `body`, or inside it."""
    around: Scope | None = scope
    while around is not None and around is not body:
        around = around.parent
    return around is not None
