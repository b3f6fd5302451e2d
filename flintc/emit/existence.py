"""Whether a function that uses variables around it exists where its name is read: such functions
come into being at their declaration, and are null before (language reference 5.8).
"""

from __future__ import annotations

from enum import Enum

from flintc.analysis.symbols import FunctionSymbol, FunctionTarget, Module, Scope
from flintc.emit.placement import Placement, is_within
from flintc.source import Span
from flintc.syntax import nodes

_Owner = nodes.Function | nodes.Closure


class Existing(Enum):
    """What is known of a function at a place."""

    YES = "whenever this runs"
    NO = "never when this runs"
    MAYBE = "it depends on what ran before"


class Existence:
    """Answers for the functions of one module; reads its text once, when that is needed."""

    def __init__(self, placement: Placement, module: Module) -> None:
        self.placement = placement
        self.resolution = placement.resolution
        self.module = module
        self._blocks: dict[nodes.Function, Span] = {}  # what a declaration is a statement of
        self._first_use: dict[nodes.Function, int] = {}

    def at(self, function: FunctionSymbol, scope: Scope, span: Span, in_loop: bool) -> Existing:
        """Whether a function exists when code of `scope` at `span` runs; `in_loop`: its declaration
        stands in a loop of its body.
        """
        home = self.placement.homes.get(function)
        if home is None or function.module is not self.module or scope.module is not self.module:
            return Existing.YES
        if not is_within(scope, home):
            return Existing.NO
        if not self.placement.has_captures(function):
            return Existing.YES
        if scope is not home:
            return self._inside(function, home, scope)
        if not in_loop and span.end <= function.node.span.start:
            return Existing.NO
        return self._after(function, span)

    def _inside(self, function: FunctionSymbol, home: Scope, scope: Scope) -> Existing:
        """For code of a function or closure in the body that declares the function."""
        runner = self._runner(home, scope)
        if is_within(scope, self.resolution.scopes[function.node]):
            return Existing.YES
        return self._after(function, runner.span if self.placement.is_made(runner) else None)

    def _after(self, function: FunctionSymbol, span: Span | None) -> Existing:
        """For code at `span` of the body that declares the function; None: it may run anywhere."""
        if not self._blocks:
            self._read()
        node = function.node
        block = self._blocks[node]
        if span is not None and node.span.end <= span.start and span.end <= block.end:
            return Existing.YES
        is_certain = block == _body(function.enclosing.owner)
        is_early = self._first_use.get(node, node.span.start) < node.span.start
        return Existing.YES if is_certain and not is_early else Existing.MAYBE

    def _runner(self, home: Scope, scope: Scope) -> _Owner:
        """What has to be called, by code that sees the body `home`, to run code of `scope`: a
        function without captures that is defined in it, or what is written directly in it.
        """
        around = scope
        while around.parent is not None and around.parent is not home:
            symbol = self._symbol(around)
            if symbol is not None and self.placement.homes.get(symbol) is home:
                break
            around = around.parent
        assert not isinstance(around.owner, nodes.Program)
        return around.owner

    def _symbol(self, scope: Scope) -> FunctionSymbol | None:
        """The declared function without captures whose body is `scope`."""
        if not isinstance(scope.owner, nodes.Function) or scope.captures:
            return None
        return self.resolution.functions.get(scope.owner)

    # -- the module's text -------------------------------------------------------------------

    def _read(self) -> None:
        """Note the block of every declaration, and where in the body that declares it a function
        may first be run: by code there, or by functions there that can be run.
        """
        uses: list[tuple[int, nodes.Function]] = []
        users: dict[nodes.Function, list[nodes.Function]] = {}  # to the functions they use
        scopes = [s for s in self.resolution.scopes.values() if s.module is self.module]
        for scope in scopes:
            for node in (scope.owner, *scope.parts):
                if isinstance(node, (nodes.Call, nodes.Name)):
                    target = self.resolution.targets.get(node)
                    if isinstance(target, FunctionTarget):
                        self._note_use(target.function, scope, node.span, uses, users)
                else:
                    self._note_block(node)
        for position, function in sorted(uses, key=lambda use: use[0]):
            self._use(function, position, users)

    def _note_block(self, node: nodes.Node) -> None:
        if isinstance(node, (nodes.Program, nodes.Block, nodes.ValueBlock)):
            for statement in node.statements:
                if isinstance(statement, nodes.Function):
                    self._blocks[statement] = node.span

    def _note_use(
        self,
        used: FunctionSymbol,
        scope: Scope,
        span: Span,
        uses: list[tuple[int, nodes.Function]],
        users: dict[nodes.Function, list[nodes.Function]],
    ) -> None:
        home = self.placement.homes.get(used)
        if home is None or not is_within(scope, home):
            return
        runner = None if scope is home else self._runner(home, scope)
        if isinstance(runner, nodes.Function):
            users.setdefault(runner, []).append(used.node)
        else:
            uses.append((span.start, used.node))

    def _use(
        self,
        function: nodes.Function,
        position: int,
        users: dict[nodes.Function, list[nodes.Function]],
    ) -> None:
        pending = [function]
        while pending:
            node = pending.pop()
            if node not in self._first_use:
                self._first_use[node] = position
                pending.extend(users.get(node, ()))


def _body(owner: nodes.Program | nodes.Function | nodes.Closure) -> Span:
    """The span of the block whose statements are the body of `owner`."""
    if isinstance(owner, nodes.Function) and owner.body is not None:
        return owner.body.span
    return owner.span
