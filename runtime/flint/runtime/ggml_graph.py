"""Graphs that ggml computes, the library of llama.cpp, on memory that torch holds.

`FLINT_GGML=0` in the environment turns this off.
"""

from __future__ import annotations

import ctypes
import functools
import importlib.util
import os
import sys
from pathlib import Path
from threading import Lock
from typing import Any

import torch
from torch import Tensor

from flint.runtime.ggml_library import prepare_environment

FLOAT32, Q8_0 = 0, 8
"""ggml's numbers of types; Q8_0 is blocks of 32 signed bytes with a float16 scale before them."""

FLOAT = torch.float32
"""The dtype of inputs and results, whatever torch makes of numbers by default."""

TYPES = {FLOAT: FLOAT32, torch.float16: 1, torch.bfloat16: 30}

# Off for `0` and for an empty value; read once in a process.
ENABLED = os.environ.get("FLINT_GGML", "1") not in ("", "0")

_ALIGNMENT = 32  # of the memory that ggml is told about; tensors may begin anywhere in it
_WORDS_OF_TENSOR = 40  # to look at in the structure of a tensor, which has a few more
_TENSORS = 8  # room for the tensors and nodes of a graph
_P, _SIZE, _INT = ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int


class _InitParams(ctypes.Structure):
    _fields_ = (("mem_size", _SIZE), ("mem_buffer", _P), ("no_alloc", ctypes.c_bool))


_BASE: dict[str, tuple[Any, list[Any]]] = {
    "ggml_init": (_P, [_InitParams]),
    "ggml_free": (None, [_P]),
    "ggml_tensor_overhead": (_SIZE, []),
    "ggml_graph_overhead_custom": (_SIZE, [_SIZE, ctypes.c_bool]),
    "ggml_new_tensor_2d": (_P, [_P, _INT, ctypes.c_int64, ctypes.c_int64]),
    "ggml_add": (_P, [_P, _P, _P]),
    "ggml_mul": (_P, [_P, _P, _P]),
    "ggml_mul_mat": (_P, [_P, _P, _P]),
    "ggml_rms_norm": (_P, [_P, _P, ctypes.c_float]),
    "ggml_swiglu": (_P, [_P, _P]),
    "ggml_new_graph_custom": (_P, [_P, _SIZE, ctypes.c_bool]),
    "ggml_build_forward_expand": (None, [_P, _P]),
    "ggml_backend_cpu_buffer_from_ptr": (_P, [_P, _SIZE]),
    "ggml_backend_buffer_free": (None, [_P]),
    "ggml_backend_tensor_alloc": (_INT, [_P, _P, _P]),
    "ggml_backend_graph_compute": (_INT, [_P, _P]),
}
_CPU: dict[str, tuple[Any, list[Any]]] = {
    "ggml_backend_cpu_init": (_P, []),
    "ggml_backend_cpu_set_n_threads": (None, [_P, _INT]),
}

lock = Lock()
"""Held while a graph is filled, computed and read: its memory serves one thread at a time."""


class Graph:
    """A few operations in a row, with memory of their own for everything but weights.

    The methods take and return pointers to ggml's tensors. `width` is the size of a row; `memory`
    says where the inputs and results are.
    """

    def __init__(self) -> None:
        library = _library()
        assert library is not None
        self.operations = library
        self._buffers: list[int] = []
        self.memory: dict[int, Tensor] = {}
        self._context = library.new_context()
        self._graph = library.ggml_new_graph_custom(self._context, _TENSORS, False)

    def __del__(self) -> None:
        for buffer in self._buffers:
            self.operations.ggml_backend_buffer_free(buffer)
        self.operations.ggml_free(self._context)

    def weight(self, address: int, size: int, kind: int, width: int, rows: int = 1) -> int:
        """A matrix of that type in `size` bytes of memory, which have to outlive the graph."""
        made: int = self.operations.ggml_new_tensor_2d(self._context, kind, width, rows)
        self._place(made, address, size)
        return made

    def input(self, tensor: Tensor) -> int:
        """What is written to the float32 tensor before the graph is computed."""
        width = tensor.shape[-1]
        made: int = self.operations.ggml_new_tensor_2d(
            self._context, FLOAT32, width, tensor.numel() // width
        )
        self._hold(made, tensor)
        return made

    def add(self, name: str, result: Tensor, *operands: Any) -> int:
        """The operation of that name, whose result is read from the float32 tensor afterwards."""
        made: int = getattr(self.operations, f"ggml_{name}")(self._context, *operands)
        self._hold(made, result)
        self.operations.ggml_build_forward_expand(self._graph, made)
        return made

    def place_of(self, tensor: int) -> ctypes.c_size_t | None:
        """The field that says where the tensor lies, to be written; None if it is not found."""
        words = (ctypes.c_size_t * _WORDS_OF_TENSOR).from_address(tensor)
        address = self.memory[tensor].data_ptr()
        found = [index for index, word in enumerate(words) if word == address]
        if len(found) != 1:
            return None
        return ctypes.c_size_t.from_address(tensor + found[0] * ctypes.sizeof(ctypes.c_size_t))

    def compute(self, threads: int) -> None:
        """Compute all operations, in the order of `add`."""
        self.operations.compute(self._graph, threads)

    def _hold(self, tensor: int, memory: Tensor) -> None:
        self.memory[tensor] = memory
        self._place(tensor, address_of(memory), memory.nbytes)

    def _place(self, tensor: int, address: int, size: int) -> None:
        start = address - address % _ALIGNMENT
        buffer = self.operations.ggml_backend_cpu_buffer_from_ptr(start, address - start + size)
        self._buffers.append(buffer)
        self.operations.ggml_backend_tensor_alloc(buffer, tensor, address)


def memory(*shape: int) -> Tensor:
    """Memory for a graph's inputs and results, which may be written in every mode of torch."""
    with torch.inference_mode(False):
        return torch.empty(shape, dtype=FLOAT, device="cpu")


def address_of(tensor: Tensor) -> int:
    """Where the tensor lies; RuntimeError if it has no memory, of which ggml would die."""
    address = tensor.data_ptr()
    if not address:
        raise RuntimeError("a tensor without memory")
    return address


def available() -> bool:
    """Whether ggml is installed and not turned off."""
    return ENABLED and _library() is not None


class _Library:
    """ggml's functions, and its backends for the CPU by their number of threads."""

    def __init__(self, folder: Path) -> None:
        for name, prototypes in (("ggml-base", _BASE), ("ggml-cpu", _CPU)):
            self._declare(ctypes.CDLL(str(folder / _file_name(name))), prototypes)
        self._backends: dict[int, int] = {}

    def __getattr__(self, name: str) -> Any:  # what `_declare` sets
        raise AttributeError(name)

    def _declare(self, library: ctypes.CDLL, prototypes: dict[str, tuple[Any, list[Any]]]) -> None:
        for name, (result, arguments) in prototypes.items():
            function = getattr(library, name)
            function.restype, function.argtypes = result, arguments
            setattr(self, name, function)

    def new_context(self) -> int:
        """A context with room for a graph and its tensors, whose data is elsewhere."""
        graph = self.ggml_graph_overhead_custom(_TENSORS, False)
        size = _TENSORS * self.ggml_tensor_overhead() + graph
        context: int = self.ggml_init(_InitParams(size, None, True))
        return context

    def compute(self, graph: int, threads: int) -> None:
        """Compute the graph; RuntimeError if ggml gives up."""
        backend = self._backends.get(threads)
        if backend is None:
            backend = self._backends[threads] = self.ggml_backend_cpu_init()
            self.ggml_backend_cpu_set_n_threads(backend, threads)
        status = self.ggml_backend_graph_compute(backend, graph)
        if status:
            raise RuntimeError(f"ggml could not compute: status {status}")


@functools.cache
def _library() -> _Library | None:
    """ggml as llama-cpp-python ships it; None if it is not there, or another version."""
    prepare_environment()
    folder = _folder()
    if folder is None:
        return None
    try:
        return _Library(folder)
    except (OSError, AttributeError):
        return None


def _folder() -> Path | None:
    """Where llama-cpp-python keeps its libraries; found without importing it."""
    named = os.environ.get("LLAMA_CPP_LIB_PATH")
    if named:
        return Path(named)
    found = importlib.util.find_spec("llama_cpp")
    return Path(found.origin).parent / "lib" if found and found.origin else None


def _file_name(library: str) -> str:
    if sys.platform == "win32":
        return f"{library}.dll"
    return f"lib{library}.{'dylib' if sys.platform == 'darwin' else 'so'}"
