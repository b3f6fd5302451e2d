"""Functions that call themselves with ever smaller arguments: how deep that goes."""

from __future__ import annotations

from collections.abc import Iterator

from flintc.analysis.flows import Flows
from flintc.analysis.symbols import Variable
from flintc.analysis.types import INT
from flintc.analysis.usage import Usage
from flintc.analysis.values import Values
from flintc.syntax import nodes


def descent(values: Values, flows: Flows, usage: Usage, owner: nodes.Function) -> int | None:
    """The most calls of a function that can be nested, if it calls itself only directly; None where
    no int parameter shrinks from call to call, or nothing bounds it.
    """
    calls = flows.self_calls.get(owner, [])
    params = [values.resolution.variables.get(param) for param in owner.params]
    for place, param in enumerate(params):
        if param is None:
            continue
        known = values.slots.get(param)
        if param.type is not INT or known is None or usage.of(param).bindings:
            continue
        steps = list(_steps(values, calls, place, param))
        if steps and all(step is not None and step >= 1 for step in steps):
            least = min(step for step in steps if step is not None)
            return (known.high - known.low) // least + 1
    return None


def _steps(
    values: Values, calls: list[nodes.Call], place: int, param: Variable
) -> Iterator[int | None]:
    """By how much each call lowers the argument, at least."""
    for call in calls:
        argument = call.args[place] if place < len(call.args) else None
        match argument:
            case nodes.Operation(operators=("-",), operands=(first, step)):
                exact, size = values.exact(argument), values.of(step)
                same = values.resolution.variables.get(first) is param
                fits = exact is not None and exact.fits
                yield size.low if same and fits and size is not None else None
            case _:
                yield None
