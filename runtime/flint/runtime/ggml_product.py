"""Products with a weight by ggml, the library that llama.cpp computes with.

torch leaves the product of a matrix and a single row to one processor; ggml reads the weight with
all of them, from where torch holds it. `FLINT_GGML=0` in the environment turns this off.
"""

from __future__ import annotations

import ctypes
import functools
import importlib.util
import os
import sys
from collections.abc import Callable
from pathlib import Path
from threading import Lock
from typing import Any

import torch
from torch import Tensor

from flint.runtime.ggml_library import prepare_environment

Q8_0 = 8
"""ggml's number for blocks of 32 signed bytes with a float16 scale before them."""

# Off for `0` and for an empty value; read once in a process.
ENABLED = os.environ.get("FLINT_GGML", "1") not in ("", "0")

_KEY = "_flint_product"  # of a weight's attributes
_FLOAT32 = 0
_TYPES = {torch.float32: _FLOAT32, torch.float16: 1, torch.bfloat16: 30}
# Below this torch is done before ggml's threads have met.
_FEWEST_ELEMENTS = 2**19
_ALIGNMENT = 32  # of the memory that ggml is told about; tensors may begin anywhere in it
_NODES = 4  # room for the nodes of a graph, which has one

_is_tracing: Callable[[], bool] = torch._C._is_tracing
_P, _SIZE, _INT = ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int


class _InitParams(ctypes.Structure):
    _fields_ = (("mem_size", _SIZE), ("mem_buffer", _P), ("no_alloc", ctypes.c_bool))


_BASE: dict[str, tuple[Any, list[Any]]] = {
    "ggml_init": (_P, [_InitParams]),
    "ggml_free": (None, [_P]),
    "ggml_tensor_overhead": (_SIZE, []),
    "ggml_graph_overhead_custom": (_SIZE, [_SIZE, ctypes.c_bool]),
    "ggml_new_tensor_2d": (_P, [_P, _INT, ctypes.c_int64, ctypes.c_int64]),
    "ggml_mul_mat": (_P, [_P, _P, _P]),
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


class Product:
    """x W^T for one weight `[out, in]`, whose memory has to outlive this object.

    The weight itself is not held: it holds its product.
    """

    def __init__(self, memory: Tensor, kind: int, out: int, width: int) -> None:
        self._address, self._bytes = memory.data_ptr(), memory.nbytes
        self._kind, self._out, self._width = kind, out, width
        self._dtype = torch.float32 if kind == Q8_0 else memory.dtype
        self._single: _Graph | None = None

    def serves(self, tensor: Tensor) -> bool:
        """Whether the product with this tensor can be made here, and needs no gradient."""
        return (
            tensor.dtype is self._dtype
            and tensor.shape[-1] == self._width
            and tensor.is_cpu
            and not tensor.requires_grad
        )

    def __call__(self, tensor: Tensor) -> Tensor:
        """`[…, in]` → `[…, out]`, in the dtype of the tensor, which is on the CPU."""
        rows = tensor.numel() // self._width
        with _lock:
            result = self._graph(rows).computed(tensor)
        return result.view(*tensor.shape[:-1], self._out)

    def _graph(self, rows: int) -> _Graph:
        if rows != 1:
            return self._new_graph(rows)
        if self._single is None:
            self._single = self._new_graph(1)
        return self._single

    def _new_graph(self, rows: int) -> _Graph:
        return _Graph(self._address, self._bytes, self._kind, self._out, self._width, rows)


def attach(weight: Tensor) -> None:
    """Let `product_of(weight)` be its product, if ggml can make it sooner than torch."""
    if (
        weight.device.type == "cpu"
        and weight.dim() == 2
        and weight.dtype in _TYPES
        and weight.numel() >= _FEWEST_ELEMENTS
        and weight.is_contiguous()
        and weight.data_ptr() % weight.element_size() == 0
        and available()
    ):
        weight.__dict__[_KEY] = Product(weight, _TYPES[weight.dtype], *weight.shape)


def product_of(weight: Tensor) -> Product | None:
    """What `attach` made for this weight, if it did; traces and compiled graphs hold torch's."""
    if _is_tracing() or torch.compiler.is_compiling():
        return None
    found: Product | None = weight.__dict__.get(_KEY)
    return found


def available() -> bool:
    """Whether ggml is installed and not turned off."""
    return ENABLED and _library() is not None


class _Graph:
    """A graph of one multiplication, with memory of its own for the rows and the result."""

    def __init__(self, address: int, size: int, kind: int, out: int, width: int, rows: int) -> None:
        library = _library()
        assert library is not None
        self._library = library
        with torch.inference_mode(False):
            self._input, self._output = torch.empty(rows, width), torch.empty(rows, out)
        self._buffers: list[int] = []
        self._context = library.new_context()
        weight = library.ggml_new_tensor_2d(self._context, kind, width, out)
        given = library.ggml_new_tensor_2d(self._context, _FLOAT32, width, rows)
        result = library.ggml_mul_mat(self._context, weight, given)
        self._graph = library.ggml_new_graph_custom(self._context, _NODES, False)
        library.ggml_build_forward_expand(self._graph, result)
        self._place(weight, address, size)
        self._place(given, self._input.data_ptr(), self._input.nbytes)
        self._place(result, self._output.data_ptr(), self._output.nbytes)

    def __del__(self) -> None:
        for buffer in self._buffers:
            self._library.ggml_backend_buffer_free(buffer)
        self._library.ggml_free(self._context)

    def computed(self, tensor: Tensor) -> Tensor:
        """The product of these rows, a new tensor of their dtype."""
        self._input.copy_(tensor.reshape(self._input.shape))
        self._library.compute(self._graph)
        return self._output.to(tensor.dtype, copy=True)

    def _place(self, tensor: int, address: int, size: int) -> None:
        start = address - address % _ALIGNMENT
        buffer = self._library.ggml_backend_cpu_buffer_from_ptr(start, address - start + size)
        self._buffers.append(buffer)
        self._library.ggml_backend_tensor_alloc(buffer, tensor, address)


class _Library:
    """ggml's functions, and its backend for the CPU."""

    def __init__(self, folder: Path) -> None:
        for name, prototypes in (("ggml-base", _BASE), ("ggml-cpu", _CPU)):
            self._declare(ctypes.CDLL(str(folder / _file_name(name))), prototypes)
        self._backend = self.ggml_backend_cpu_init()
        self._threads = 0

    def __getattr__(self, name: str) -> Any:  # what `_declare` sets
        raise AttributeError(name)

    def _declare(self, library: ctypes.CDLL, prototypes: dict[str, tuple[Any, list[Any]]]) -> None:
        for name, (result, arguments) in prototypes.items():
            function = getattr(library, name)
            function.restype, function.argtypes = result, arguments
            setattr(self, name, function)

    def new_context(self) -> int:
        """A context with room for a graph and its three tensors, whose data is elsewhere."""
        size = 3 * self.ggml_tensor_overhead() + self.ggml_graph_overhead_custom(_NODES, False)
        context: int = self.ggml_init(_InitParams(size, None, True))
        return context

    def compute(self, graph: int) -> None:
        """Compute the graph with as many threads as torch uses."""
        threads = torch.get_num_threads()
        if threads != self._threads:
            self.ggml_backend_cpu_set_n_threads(self._backend, threads)
            self._threads = threads
        status = self.ggml_backend_graph_compute(self._backend, graph)
        if status:
            raise RuntimeError(f"ggml could not multiply: status {status}")


_lock = Lock()  # ggml's backend and the memory of a graph serve one thread at a time


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
