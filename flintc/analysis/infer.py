"""The type of every expression, variable, parameter and result, with handles found.

Types only grow: each body is visited until nothing it reads changes any more. Variables have one
type for all their bindings, so that a type holds wherever the variable is read. Source: language
reference 3.1 to 3.8; what is not known for sure is UNKNOWN.
"""

from __future__ import annotations

from flintc.analysis.declared import coerce, settle
from flintc.analysis.facts import DemandKey, Facts, FieldKey
from flintc.analysis.handles import find_untyped, place_zeros
from flintc.analysis.infer_body import BodyTyper
from flintc.analysis.lattice import BOTTOM, ZERO, join
from flintc.analysis.program_uses import ProgramUses, collect_uses
from flintc.analysis.symbols import Resolution, Typing
from flintc.analysis.trust import find_trusted
from flintc.analysis.types import UNKNOWN, Handle, Type
from flintc.catalogue import Catalogue
from flintc.problems import Problems
from flintc.syntax import nodes


def infer(resolution: Resolution, catalogue: Catalogue, problems: Problems) -> Typing:
    """Infer all types; also fills `Variable.type` and `FunctionSymbol.result`."""
    uses = collect_uses(resolution)
    bodies = [scope for owner, scope in resolution.scopes.items() if _is_body(owner)]
    facts = Facts(resolution, bodies)
    typer = BodyTyper(resolution, facts, uses)
    _settle_down(facts, typer)
    _seed(resolution, facts, uses, typer)
    typing = _result(resolution, facts, typer)
    if uses.has_handles:
        place_zeros(resolution, typing)
        find_untyped(resolution, typing)
    find_trusted(resolution, typing)
    return typing


def _is_body(owner: nodes.Node) -> bool:
    return isinstance(owner, (nodes.Program, nodes.Function))


def _settle_down(facts: Facts, typer: BodyTyper) -> None:
    while (body := facts.next_body()) is not None:
        typer.body(body)
    facts.current = None


def _seed(resolution: Resolution, facts: Facts, uses: ProgramUses, typer: BodyTyper) -> None:
    """Handles for what is only known to be `0`, and declared types where no argument arrives."""
    while _apply_demands(facts, uses):
        _settle_down(facts, typer)
    for scope in resolution.scopes.values():
        for variable in scope.variables:
            is_param = variable.kind in ("param", "closure_param")
            if is_param and facts.known.get(variable, BOTTOM) is BOTTOM:
                declared = variable.declared or typer.expected.get(variable, UNKNOWN)
                facts.add(variable, coerce(UNKNOWN, declared, facts))
    _settle_down(facts, typer)
    while _apply_demands(facts, uses):
        _settle_down(facts, typer)


def _apply_demands(facts: Facts, uses: ProgramUses) -> bool:
    """Give handles to variables, fields and results that are `0` or nothing and used as handles."""
    changed = False
    for key, handle in list(facts.known.items()):
        if not isinstance(key, DemandKey) or not isinstance(handle, Handle):
            continue
        of = key.of
        if of in uses.numbers or facts.known.get(of, BOTTOM) not in (BOTTOM, ZERO):
            continue
        facts.add(of, handle)
        changed = True
    return changed


def _result(resolution: Resolution, facts: Facts, typer: BodyTyper) -> Typing:
    for scope in resolution.scopes.values():
        for variable in scope.variables:
            known = facts.known.get(variable, BOTTOM)
            variable.type = settle(known, variable.declared or UNKNOWN)
    for symbol in resolution.functions.values():
        declared = resolution.annotation(symbol.node.result)
        symbol.result = settle(facts.known.get(symbol, BOTTOM), declared or UNKNOWN)
    typing = Typing()
    for node, type_ in typer.types.items():
        typing.types[node] = _node_type(resolution, facts, node, type_)
    typing.fields = _field_types(resolution, facts)
    typing.present = typer.present
    typing.literals = typer.literals
    return typing


def _field_types(resolution: Resolution, facts: Facts) -> dict[tuple[str, str], Type]:
    known: dict[tuple[str, str], Type] = {}
    for key, type_ in facts.known.items():
        if isinstance(key, FieldKey):
            name = (key.struct.name, key.field)
            known[name] = join(known.get(name, BOTTOM), type_)
    return {
        (name, field): settle(known.get((name, field), BOTTOM), declared)
        for name, schema in resolution.structs.items()
        for field, declared in schema.fields.items()
    }


def _node_type(resolution: Resolution, facts: Facts, node: nodes.Node, type_: Type) -> Type:
    variable = resolution.variables.get(node)
    if variable is not None and facts.known.get(variable, BOTTOM) == type_:
        return variable.type
    return settle(type_)
