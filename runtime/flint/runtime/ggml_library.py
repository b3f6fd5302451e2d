"""The few C functions of a ggml library that list devices and register backend plugins."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from flint.runtime.machine import is_overloaded

GPU_DEVICE_TYPES = (1, 2)  # GPU and integrated GPU in ggml's device enumeration

_PROTOTYPES: dict[str, tuple[Any, list[Any]]] = {
    "ggml_backend_load_all": (None, []),
    "ggml_backend_load_all_from_path": (None, [ctypes.c_char_p]),
    "ggml_backend_dev_count": (ctypes.c_size_t, []),
    "ggml_backend_dev_get": (ctypes.c_void_p, [ctypes.c_size_t]),
    "ggml_backend_dev_name": (ctypes.c_char_p, [ctypes.c_void_p]),
    "ggml_backend_dev_description": (ctypes.c_char_p, [ctypes.c_void_p]),
    "ggml_backend_dev_type": (ctypes.c_int, [ctypes.c_void_p]),
    "ggml_backend_dev_backend_reg": (ctypes.c_void_p, [ctypes.c_void_p]),
    "ggml_backend_reg_name": (ctypes.c_char_p, [ctypes.c_void_p]),
    "ggml_backend_dev_memory": (
        None,
        [ctypes.c_void_p, ctypes.POINTER(ctypes.c_size_t), ctypes.POINTER(ctypes.c_size_t)],
    ),
}


def prepare_environment() -> None:
    """Set what libraries with ggml read from the environment; before they are loaded."""
    # An abort would otherwise start a debugger to print a backtrace.
    os.environ.setdefault("GGML_NO_BACKTRACE", "1")
    if is_overloaded():
        # Threads that spin while they wait take the processor from those they wait for: on two
        # cores at a load of 8, decoding was 7 times faster with this.
        os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")


@dataclass(frozen=True, slots=True)
class Device:
    """A compute device that ggml knows; memory in bytes."""

    name: str
    backend: str
    description: str
    free_memory: int
    is_gpu: bool


class GgmlLibrary:
    """An opened library that exports ggml's device functions."""

    def __init__(self, library: ctypes.CDLL) -> None:
        self._library = library

    def load_plugins(self, directory: str | None = None) -> None:
        """Register the backend plugins in `directory`, or in the library's own places."""
        if directory is None:
            self._call("ggml_backend_load_all")
        else:
            self._call("ggml_backend_load_all_from_path", os.fsencode(directory))

    def devices(self) -> Iterator[Device]:
        """All registered devices."""
        for index in range(self._call("ggml_backend_dev_count")):
            pointer = self._call("ggml_backend_dev_get", index)
            if pointer:
                yield self._device(index, pointer)

    def _device(self, index: int, pointer: int) -> Device:
        registry = self._call_or_none("ggml_backend_dev_backend_reg", pointer)
        free, total = ctypes.c_size_t(), ctypes.c_size_t()
        self._call_or_none(
            "ggml_backend_dev_memory", pointer, ctypes.byref(free), ctypes.byref(total)
        )
        return Device(
            name=self._text("ggml_backend_dev_name", pointer, f"device{index}"),
            backend=self._text("ggml_backend_reg_name", registry, ""),
            description=self._text("ggml_backend_dev_description", pointer, ""),
            free_memory=free.value,
            is_gpu=self._call_or_none("ggml_backend_dev_type", pointer) in GPU_DEVICE_TYPES,
        )

    def _text(self, name: str, pointer: int | None, default: str) -> str:
        text = self._call_or_none(name, pointer) if pointer else None
        return default if text is None else text.decode("utf-8", "replace")

    def _call_or_none(self, name: str, *arguments: object) -> Any:
        """As `_call`, but None if this version of the library has no such function."""
        return self._call(name, *arguments) if hasattr(self._library, name) else None

    def _call(self, name: str, *arguments: object) -> Any:
        function = getattr(self._library, name)
        function.restype, function.argtypes = _PROTOTYPES[name]
        return function(*arguments)
