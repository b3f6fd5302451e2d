"""A memory-mapped safetensors file whose failures name the file."""

from __future__ import annotations

from typing import Any

from safetensors import SafetensorError, safe_open
from torch import Tensor

from flint.regular_file import require_regular
from flint.runtime.host import Refused
from flint.runtime.op import reason

FAILURES = (OSError, ValueError, RuntimeError, SafetensorError)


class SafetensorsFile:
    """An open file; tensors share its memory and keep it mapped. `Refused` if it is damaged."""

    def __init__(self, path: str) -> None:
        self.path = path
        self._file: Any = _open(path)
        self.names = frozenset(self._file.keys())

    def read(self, name: str) -> Tensor:
        """The tensor of that name, in the dtype of the file, on the CPU."""
        if self._file is None:
            self._file = _open(self.path)
        return self._tensor(self._file, name)

    def read_apart(self, name: str) -> Tensor:
        """As `read`, for a tensor to be copied: what was read of the file leaves memory with it."""
        return self._tensor(_open(self.path), name)

    def close(self) -> None:
        """Unmap the file, once the last of its tensors is gone; the next `read` opens it again."""
        self._file = None

    def _tensor(self, file: Any, name: str) -> Tensor:
        try:
            tensor: Tensor = file.get_tensor(name)
        except FAILURES as error:
            raise Refused(f"cannot read {name!r} in {self.path}: {reason(error)}") from None
        return tensor


def _open(path: str) -> Any:
    try:
        require_regular(path)
        return safe_open(path, framework="pt")  # its own annotations lack methods
    except FAILURES as error:
        raise Refused(f"cannot read {path}: {_explained(error)}") from None


def _explained(error: Exception) -> str:
    if isinstance(error, OSError) and error.strerror:
        return error.strerror
    if not isinstance(error, SafetensorError):
        return reason(error)
    detail = reason(error).removeprefix("Error while deserializing header: ")
    return f"{detail}; it is no safetensors file, or not a whole one"
