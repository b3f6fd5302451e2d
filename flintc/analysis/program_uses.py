"""Facts about a program that need no types: what is used as a value, or changed elsewhere."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass, field

from flintc.analysis.symbols import (
    Capture,
    FunctionSymbol,
    FunctionTarget,
    HostTarget,
    Resolution,
    Target,
    Variable,
)
from flintc.analysis.types import Handle
from flintc.source import Span
from flintc.syntax import nodes


@dataclass(eq=False, slots=True)
class ProgramUses:
    """Collected once per program; `numbers` grows while bodies are typed."""

    private_closures: dict[nodes.Closure, None] = field(default_factory=dict)
    closures_of: dict[Variable, list[nodes.Closure]] = field(default_factory=dict)
    valued: dict[FunctionSymbol, None] = field(default_factory=dict)
    has_handles: bool = False
    numbers: set[Variable] = field(default_factory=set)
    _shared: set[Variable] = field(default_factory=set)
    _bound_at: dict[Variable, list[int]] = field(default_factory=dict)

    def is_unchanged(self, variable: Variable, where: Span) -> bool:
        """Whether a variable surely keeps its value in a part of the file that binds it."""
        if variable in self._shared:
            return False
        offsets = self._bound_at.get(variable, [])
        at = bisect_left(offsets, where.start)
        return at == len(offsets) or offsets[at] >= where.end


def collect_uses(resolution: Resolution) -> ProgramUses:
    uses = ProgramUses()
    for scope in resolution.scopes.values():
        shared = (one for one, mode in scope.captures.items() if mode is Capture.SHARED)
        uses._shared.update(shared)
    _collect_targets(resolution, uses)
    _collect_variables(resolution, uses)
    return uses


def _collect_targets(resolution: Resolution, uses: ProgramUses) -> None:
    for node, target in resolution.targets.items():
        if isinstance(target, FunctionTarget) and isinstance(node, nodes.Name):
            uses.valued[target.function] = None
        uses.has_handles |= _takes_or_gives_handle(target)


def _takes_or_gives_handle(target: Target) -> bool:
    function = target.function if isinstance(target, HostTarget) else None
    if function is None:
        return False
    types = (function.result, *(param.type for param in function.params))
    return any(isinstance(type_, Handle) for type_ in types)


def _collect_variables(resolution: Resolution, uses: ProgramUses) -> None:
    values: dict[Variable, list[nodes.Node]] = {}  # None-like entries for values that are unknown
    for node, variable in resolution.variables.items():
        match node:
            case nodes.Let() | nodes.Assign():
                values.setdefault(variable, []).append(node.value)
                uses._bound_at.setdefault(variable, []).append(node.span.start)
            case nodes.AddAssign() | nodes.ForRange():
                values.setdefault(variable, []).append(node)
                uses._bound_at.setdefault(variable, []).append(node.span.start)
            case _ if variable.kind != "let" or isinstance(node, nodes.Name):
                # read as a value, or bound by something else than `let`
                values.setdefault(variable, []).append(node)
    for offsets in uses._bound_at.values():
        offsets.sort()
    for variable, bound in values.items():
        closures = [value for value in bound if isinstance(value, nodes.Closure)]
        if len(closures) == len(bound):
            uses.closures_of[variable] = closures
            uses.private_closures.update(dict.fromkeys(closures))
