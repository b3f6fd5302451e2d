"""`flint::fixed`: tensors in one place of memory, which a step of the program changes there.

Functions of ours: a graph of a step (`flint::graph`) reads and writes the places it was made with.
"""

from __future__ import annotations

from torch import Tensor

from flint.runtime.context import current
from flint.runtime.host import Refused
from flint.runtime.op import op
from flint.runtime.tensor.shape import no_dimension
from flint.runtime.tensor_size import require_room


@op
def reserve(name: str, tensor: Tensor, dim: int, length: int) -> Tensor:
    """Keep a copy of `tensor` under `name`, with zeros behind it: `[…, n, …]` → `[…, length, …]`.

    `n` and `length` are sizes of dimension `dim`. Returns what is kept, which `write`, `update` and
    `advance` change. What was there under that name, and the graphs of all steps, are forgotten. A
    function of ours.
    """
    tensors = current().tensors
    place = _extended(tensor, dim, length)
    tensors.fixed[name] = place
    if tensors.steps is not None:
        tensors.steps.forget()
    return place


@op
def has(name: str) -> bool:
    """Return whether a tensor is kept under `name`. A function of ours."""
    return name in current().tensors.fixed


@op
def get(name: str) -> Tensor:
    """Return the tensor kept under `name`, in the shape it was reserved with; it changes later.

    Fails if there is none. A function of ours.
    """
    return _kept(name)


@op
def write(name: str, tensor: Tensor, dim: int, places: Tensor) -> Tensor:
    """Put `tensor` `[…, n, …]` at `places` of dimension `dim`; return all kept under `name`.

    `places` is int64 `[n]` and stays on the device. A function of ours.
    """
    return _kept(name).index_copy_(dim, places, tensor)


@op
def update(name: str, tensor: Tensor) -> bool:
    """Put `tensor` in place of what is kept under `name`, of the same shape and dtype.

    A function of ours.
    """
    place = _kept(name)
    if (tensor.shape, tensor.dtype) != (place.shape, place.dtype):
        raise Refused(f"{_kind(tensor)} does not fit {_kind(place)}, kept under {name!r}")
    place.copy_(tensor)
    return True


@op
def advance(name: str, count: int) -> bool:
    """Add `count` to every element of what is kept under `name`. A function of ours."""
    _kept(name).add_(count)
    return True


def _extended(tensor: Tensor, dim: int, length: int) -> Tensor:
    try:
        size = tensor.size(dim)
    except IndexError:
        raise no_dimension(tensor, dim) from None
    if length < size:
        raise Refused(f"length {length} is below the tensor's {size}")
    shape = list(tensor.shape)
    shape[dim] = length
    require_room(tuple(shape), tensor.element_size(), tensor.device)
    place = tensor.new_zeros(shape)
    place.narrow(dim, 0, size).copy_(tensor)
    return place


def _kept(name: str) -> Tensor:
    tensor = current().tensors.fixed.get(name)
    if tensor is None:
        raise Refused(f"nothing reserved under {name!r}")
    return tensor


def _kind(tensor: Tensor) -> str:
    return f"{str(tensor.dtype).removeprefix('torch.')} {list(tensor.shape)}"
