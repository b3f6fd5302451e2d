"""A memory-mapped safetensors file whose failures name the file."""

from __future__ import annotations

from typing import Any

from safetensors import SafetensorError, safe_open
from torch import Tensor

from flint.runtime.host import Refused
from flint.runtime.op import reason

FAILURES = (OSError, ValueError, RuntimeError, SafetensorError)


class SafetensorsFile:
    """An open file; tensors share its memory and keep it mapped. `Refused` if it is damaged."""

    def __init__(self, path: str) -> None:
        self.path = path
        try:
            file: Any = safe_open(path, framework="pt")  # its own annotations lack methods
            self.names = frozenset(file.keys())
        except FAILURES as error:
            raise Refused(f"cannot read {path}: {reason(error)}") from None
        self._file = file

    def read(self, name: str) -> Tensor:
        """The tensor of that name, in the dtype of the file, on the CPU."""
        try:
            tensor: Tensor = self._file.get_tensor(name)
        except FAILURES as error:
            raise Refused(f"cannot read {name!r} in {self.path}: {reason(error)}") from None
        return tensor
