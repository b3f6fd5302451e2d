"""`flint::graph`: a step that is the same for every token, replayed on a GPU as one CUDA graph.

Functions of ours, off by default: docs/gpu.md.
"""

from __future__ import annotations

import os
from collections.abc import Callable

from flint.runtime.context import current
from flint.runtime.host import host
from flint.runtime.step_graph import Steps, recorder_for

VARIABLE = "FLINT_CUDA_GRAPH"


@host
def wanted() -> bool:
    """Return whether the environment asks for steps that can be replayed: `FLINT_CUDA_GRAPH=1`.

    A function of ours.
    """
    return os.environ.get(VARIABLE, "0") not in ("", "0")


@host
def replay(name: str, step: Callable[[], bool]) -> bool:
    """Do `step`, which does the same operations on the same tensors at every call.

    If `wanted`, and on a CUDA device, it is called a few times, recorded, and from then on its
    operations are replayed without calling it. Otherwise it is called. What changes from call to
    call has to be reserved (`fixed::reserve`) and changed in its place. `name` tells steps apart. A
    step that is not the same every time, or waits for a number from the device, is an error if
    graphs are wanted, on every device. A function of ours.
    """
    if not wanted():
        step()
        return True
    run = current()
    if run.tensors.steps is None:
        run.tensors.steps = Steps(recorder_for(run.session.device))
    run.tensors.steps.run(name, step)
    return True
