"""A tensor's sizes, and tensors in safetensors files (host-functions.md 9.1)."""

from __future__ import annotations

import os

from safetensors import SafetensorError
from safetensors.torch import save_file
from torch import Tensor

from flint.runtime.context import current
from flint.runtime.host import Count, Refused
from flint.runtime.int8_weight import plain
from flint.runtime.op import op, reason
from flint.runtime.safetensors_file import SafetensorsFile
from flint.whole_file import written_whole


@op
def size(tensor: Tensor, dim: int) -> Count:
    """Return the size of dimension `dim`; a negative `dim` counts from the end."""
    try:
        return tensor.size(dim)
    except IndexError:
        raise no_dimension(tensor, dim) from None


@op
def shape(tensor: Tensor) -> str:
    """Return the sizes as text: `[1, 512, 7680]`, `[]` for a scalar."""
    return str(list(tensor.shape))


@op
def save_safetensors(tensor: Tensor, path: str, name: str) -> bool:
    """Write `tensor` in its shape and dtype as the only tensor, called `name`, of the file `path`.

    Missing folders are made. A file of that name is replaced once the new one is complete.
    """
    folder = os.path.dirname(path) or "."
    try:
        os.makedirs(folder, exist_ok=True)
    except (OSError, ValueError) as error:
        raise Refused(f"cannot create {folder}: {reason(error)}") from None
    try:
        with written_whole(path) as file:
            save_file({name: plain(tensor).cpu().contiguous()}, file)
    except (OSError, ValueError, KeyError, SafetensorError) as error:
        raise Refused(f"cannot write {path}: {reason(error)}") from None
    return True


@op
def load_safetensors(path: str, name: str) -> Tensor:
    """Return the tensor `name` of the file `path` on the device, with its shape and dtype."""
    file = SafetensorsFile(path)
    if name not in file.names:
        raise Refused(f"{path} has no tensor {name!r}")
    return file.read(name).to(current().session.device)


def no_dimension(tensor: Tensor, dim: int) -> Refused:
    """What a program is told that asks for a dimension that the tensor does not have."""
    return Refused(f"dimension {dim} out of range for shape {list(tensor.shape)}")
