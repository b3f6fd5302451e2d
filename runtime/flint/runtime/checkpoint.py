"""The weights of a safetensors file or folder, each read when it is first used.

Files are memory-mapped, so a weight that keeps its dtype on the CPU is not copied at all.
Source: host-functions.md 7.
"""

from __future__ import annotations

import os

import torch
from torch import Tensor

from flint.progress import Progress
from flint.runtime.context import current
from flint.runtime.fast_weight import attach
from flint.runtime.host import Refused
from flint.runtime.int8_weight import joined, quantized
from flint.runtime.op import reason
from flint.runtime.safetensors_file import SafetensorsFile
from flint.runtime.shards import weights_elsewhere

# Weights made by joining others along dimension 0: suffix of the whole, names of the parts.
_FUSED = {
    ".self_attn.qkv_proj.weight": (
        ".self_attn.q_proj.weight",
        ".self_attn.k_proj.weight",
        ".self_attn.v_proj.weight",
    ),
    ".feed_forward.w1_w3.weight": (".feed_forward.w1.weight", ".feed_forward.w3.weight"),
}


class Checkpoint:
    """Named weights on `device`; floating ones are converted to `dtype` unless that is None.

    With int8, those are float32, and matrices `Int8Weight`.
    """

    def __init__(self, path: str, dtype: torch.dtype | None, device: torch.device) -> None:
        self.path, self.dtype, self.device = path, dtype, device
        self._ready: dict[str, Tensor] = {}
        self._files: dict[str, SafetensorsFile] = {}
        names = _names(path) if os.path.isdir(path) else None
        paths = [path] if names is None else _files(path, names)
        for file in map(SafetensorsFile, paths):
            self._files.update(dict.fromkeys(file.names, file))
        self._elsewhere = weights_elsewhere(path, names or (), self._files.keys())
        self.progress = Progress("weights", sum(map(os.path.getsize, paths)))

    def __len__(self) -> int:
        """How many weights there are, with those that were made by joining others."""
        return len(self._files.keys() | self._ready.keys())

    def __contains__(self, name: str) -> bool:
        """Whether there is a weight of that name; `Refused` if it is in a file that is missing."""
        if name in self._elsewhere:
            raise Refused(f"{name!r} is in {self._elsewhere[name]}, which is not in {self.path}")
        return name in self._ready or name in self._files

    def names(self) -> list[str]:
        """The names of the weights in the files, sorted."""
        return sorted(self._files)

    def can_get(self, name: str) -> bool:
        """Whether there is a weight of that name, or its parts to join."""
        if name in self:
            return True
        parts = _parts(name)
        return bool(parts) and all(part in self for part in parts)

    def get(self, name: str) -> Tensor:
        """The weight of that name, made by joining others if it has to be."""
        tensor = self._ready.get(name)
        if tensor is None:
            tensor = self._ready[name] = self._made(name)
            attach(tensor)
        return tensor

    def release(self, prefix: str) -> int:
        """Forget the weights in memory whose names begin with `prefix`; how many those were.

        Their files are unmapped, since pages that were read count as the process's memory.
        """
        names = [name for name in self._ready if name.startswith(prefix)]
        for name in names:
            del self._ready[name]
            for source in [name] if name in self._files else _parts(name):
                self._files[source].close()
        return len(names)

    def _made(self, name: str) -> Tensor:
        if name in self:
            return self._read(name)
        parts = _parts(name)
        if not parts:
            raise Refused(f"no weight named {name!r} in {self.path}")
        # Parts that nobody asked for by name are not kept beside the whole.
        tensors = [self._part(part) for part in parts]
        if len({tensor.shape[1:] for tensor in tensors}) > 1:
            shapes = " and ".join(str(list(tensor.shape)) for tensor in tensors)
            raise Refused(f"cannot join {', '.join(parts)}: shapes {shapes}")
        return joined(tensors)

    def _part(self, name: str) -> Tensor:
        if name not in self:
            raise Refused(f"no weight named {name!r} in {self.path}")
        if name in self._ready:
            return self._ready[name]
        return self._placed(self._files[name].read_apart(name))

    def _read(self, name: str) -> Tensor:
        file = self._files[name]
        tensor = file.read(name)
        if self._placed_dtype(tensor) != tensor.dtype:
            # The pages of the file leave memory with what they were converted from.
            tensor = file.read_apart(name)
        return self._placed(tensor)

    def _placed_dtype(self, tensor: Tensor) -> torch.dtype:
        return self.dtype or tensor.dtype if tensor.is_floating_point() else tensor.dtype

    def _placed(self, tensor: Tensor) -> Tensor:
        self.progress.advance(tensor.nbytes)
        dtype = self._placed_dtype(tensor)
        if dtype is torch.int8 and tensor.is_floating_point():
            return quantized(tensor.to(self.device))
        return tensor.to(self.device, dtype)


def loaded_weight(name: str) -> Tensor:
    """A weight of the current run's checkpoint; refused if there is none of that name."""
    checkpoint = current().session.checkpoint
    if checkpoint is None:
        raise Refused(f"no weight named {name!r}: no weights are loaded")
    return checkpoint.get(name)


def _parts(name: str) -> list[str]:
    for suffix, parts in _FUSED.items():
        if name.endswith(suffix):
            return [name.removesuffix(suffix) + part for part in parts]
    return []


def _names(folder: str) -> list[str]:
    try:
        return sorted(os.listdir(folder))
    except OSError as error:
        raise Refused(f"cannot read {folder}: {reason(error)}") from None


def _files(folder: str, names: list[str]) -> list[str]:
    """The paths of the folder's safetensors files."""
    found = [name for name in names if name.lower().endswith(".safetensors")]
    if not found:
        raise Refused(f"no safetensors file in {folder}")
    return [os.path.join(folder, name) for name in found]
