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
from flint.runtime.host import Refused
from flint.runtime.op import reason
from flint.runtime.safetensors_file import SafetensorsFile

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
    """Named weights on `device`; floating ones are converted to `dtype` unless that is None."""

    def __init__(self, path: str, dtype: torch.dtype | None, device: torch.device) -> None:
        self.path, self.dtype, self.device = path, dtype, device
        self._ready: dict[str, Tensor] = {}
        self._files: dict[str, SafetensorsFile] = {}
        paths = _files(path)
        for file in map(SafetensorsFile, paths):
            self._files.update(dict.fromkeys(file.names, file))
        self.progress = Progress("weights", sum(map(os.path.getsize, paths)))

    def __len__(self) -> int:
        """How many weights there are, with those that were made by joining others."""
        return len(self._files.keys() | self._ready.keys())

    def __contains__(self, name: str) -> bool:
        return name in self._ready or name in self._files

    def can_get(self, name: str) -> bool:
        """Whether there is a weight of that name, or its parts to join."""
        if name in self._files or name in self._ready:
            return True
        parts = _parts(name)
        return bool(parts) and all(part in self for part in parts)

    def get(self, name: str) -> Tensor:
        """The weight of that name, made by joining others if it has to be."""
        tensor = self._ready.get(name)
        if tensor is None:
            tensor = self._ready[name] = self._made(name)
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
        if name in self._files:
            return self._read(name)
        parts = _parts(name)
        if not parts:
            raise Refused(f"no weight named {name!r} in {self.path}")
        # Parts that nobody asked for by name are not kept beside the whole.
        tensors = [self._part(part) for part in parts]
        if len({tensor.shape[1:] for tensor in tensors}) > 1:
            shapes = " and ".join(str(list(tensor.shape)) for tensor in tensors)
            raise Refused(f"cannot join {', '.join(parts)}: shapes {shapes}")
        return torch.cat(tensors)

    def _part(self, name: str) -> Tensor:
        if name not in self:
            raise Refused(f"no weight named {name!r} in {self.path}")
        return self._ready[name] if name in self._ready else self._read(name)

    def _read(self, name: str) -> Tensor:
        tensor = self._files[name].read(name)
        dtype = self.dtype if tensor.is_floating_point() else None
        converted = tensor.to(self.device, dtype)
        self.progress.advance(tensor.nbytes)
        return converted


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


def _files(path: str) -> list[str]:
    """The file, or the safetensors files of the folder by name."""
    if not os.path.isdir(path):
        return [path]
    try:
        names = [name for name in os.listdir(path) if name.lower().endswith(".safetensors")]
    except OSError as error:
        raise Refused(f"cannot read {path}: {reason(error)}") from None
    if not names:
        raise Refused(f"no safetensors file in {path}")
    return [os.path.join(path, name) for name in sorted(names)]
