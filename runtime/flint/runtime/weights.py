"""`flint::weights`: a model's weights by name (host-functions.md 7)."""

from __future__ import annotations

from typing import cast

from torch import Tensor

from flint import progress
from flint.runtime.absent import AbsentWeight
from flint.runtime.checkpoint import Checkpoint, loaded_weight
from flint.runtime.context import current, running
from flint.runtime.host import Count, Refused
from flint.runtime.op import op
from flint.runtime.weight_kind import weight_dtype


@op
def load(path: str) -> Count:
    """Open a safetensors file, or all those of a folder; return how many weights there are.

    Weights are read when first asked for, put on the device, and floating ones converted to the
    dtype that `KOHARU_TORCH_WEIGHT_KIND` names: float32 (also if unset), `half`, `bf16`, or
    `native` for that of the file. A runner that has the same path in the same kind keeps it.
    """
    run, dtype = current(), weight_dtype()
    session = run.session
    checkpoint = session.checkpoint
    if checkpoint is None or (checkpoint.path, checkpoint.dtype) != (path, dtype):
        session.checkpoint = checkpoint = Checkpoint(path, dtype, session.device)
        run.tensors.weights.clear()
    return len(checkpoint)


@op
def get(name: str) -> Tensor:
    """Return the weight `name`, the same tensor every time; fails if there is none.

    Two names are made from others where the checkpoint lacks them, by joining rows:
    `X.self_attn.qkv_proj.weight` (q, k, v) and `X.feed_forward.w1_w3.weight` (w1, w3).
    """
    run = running()
    if run is not None and name in run.tensors.weights and not progress.shown:
        return run.tensors.weights[name]  # the usual case of every step
    return _get(name)


@op
def get_indexed(prefix: str, index: int, suffix: str) -> Tensor:
    """Return the weight whose name is `prefix`, `index` and `suffix` in a row; see `get`."""
    return _get(f"{prefix}{index}{suffix}")


@op
def get_or(name: str, fallback: str) -> Tensor:
    """Return the weight `name` as `get` does, or the weight `fallback` if there is none."""
    used = current().tensors.weights
    if name in used:
        return used[name]
    checkpoint = current().session.checkpoint
    if (checkpoint is None or name not in checkpoint) and fallback in used:
        used[name] = used[fallback]
        return used[name]
    try:
        return _get(name)
    except Refused:
        if checkpoint is None or fallback not in checkpoint:
            raise Refused(f"no weight named {fallback!r}, nor {name!r}") from None
    used[name] = loaded_weight(fallback)
    return used[name]


@op
def has(name: str) -> bool:
    """Return whether `get` would find the weight `name`. A function of ours."""
    checkpoint = current().session.checkpoint
    return checkpoint is not None and checkpoint.can_get(name)


@op
def get_optional(name: str) -> Tensor:
    """Return the weight `name` as `get` does, or a negative handle if there is none.

    Test that with `< 0`; using it as a tensor, also as a bias, is an error that names the weight.
    """
    try:
        return _get(name)
    except Refused:
        tensors = current().tensors
        tensors.absent += 1
        # Programs treat it as a tensor until they use it; every use checks.
        return cast(Tensor, AbsentWeight(-tensors.absent, name))


@op
def release(prefix: str) -> Count:
    """Forget the weights whose names begin with `prefix`; return how many were in memory.

    Their memory is free once the program holds none of them; asked for again, they are read again.
    A function of ours.
    """
    run = current()
    for name in [name for name in run.tensors.weights if name.startswith(prefix)]:
        del run.tensors.weights[name]
    checkpoint = run.session.checkpoint
    return 0 if checkpoint is None else checkpoint.release(prefix)


def _get(name: str) -> Tensor:
    run = current()
    tensor = run.tensors.weights.get(name)
    if tensor is None:
        tensor = run.tensors.weights[name] = loaded_weight(name)
    elif progress.shown:
        run.session.hide_progress()  # a later step of the program: it is loaded
    return tensor
