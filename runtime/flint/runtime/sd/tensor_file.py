"""The tensors that a model file lists: safetensors and GGUF, read before native code sees them.

stable-diffusion.cpp reports most damage, but ends the process on some. It also reads pickles,
which are refused here: they can run code.
"""

from __future__ import annotations

import json
import math
import os
import struct
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from flint.lang.json_reader import JsonFault, require_shallow
from flint.regular_file import require_regular
from flint.runtime.gguf_file import DamagedFile, read_header
from flint.runtime.sd import native

_LENGTH = struct.Struct("<Q")
_LONGEST_HEADER = 100_000_000  # the limit of the safetensors library
_MOST_TENSORS = 100_000
_MOST_DIMENSIONS = 5
_LONGEST_GGUF_NAME = 127  # the library is built with GGML_MAX_NAME 128
_PICKLES = (b"PK\x03\x04", b"\x80\x02", b"\x80\x03", b"\x80\x04")
_DTYPES = {
    **{"F64": ("f64", 8), "F32": ("f32", 4), "F16": ("f16", 2), "BF16": ("bf16", 2)},
    **{"F8_E4M3": ("f8_e4m3", 1), "F8_E5M2": ("f8_e5m2", 1)},
    **{"I64": ("i64", 8), "I32": ("i32", 4), "U8": ("u8", 1)},
}


@dataclass(frozen=True, slots=True)
class TensorInfo:
    """Sizes, outermost first; the type's name in lower case; size in the file in bytes."""

    shape: tuple[int, ...]
    dtype: str
    nbytes: int


@dataclass(frozen=True, slots=True)
class TensorFile:
    """A model file by what its header says."""

    path: str
    tensors: dict[str, TensorInfo]


def read_tensors(path: str) -> TensorFile:
    """The tensors of a whole safetensors or GGUF file; else `DamagedFile`, which names the path."""
    try:
        require_regular(path)
        with open(path, "rb") as file:
            start = file.read(len(_PICKLES[0]))
        if start == b"GGUF":
            return TensorFile(path, _gguf(path))
        if start.startswith(_PICKLES):
            raise DamagedFile("a pickle of PyTorch, which can run code; convert it to safetensors")
        return TensorFile(path, _safetensors(path))
    except IsADirectoryError:
        problem = "a folder; give the safetensors or GGUF file in it"
    except OSError as error:
        problem = error.strerror or str(error)
    except DamagedFile as error:
        problem = str(error).removeprefix(f"{path}: ")
    raise DamagedFile(f"{path}: {problem}")


# ---- safetensors --------------------------------------------------------------------------------


def _safetensors(path: str) -> dict[str, TensorInfo]:
    with open(path, "rb") as file:
        size = os.fstat(file.fileno()).st_size
        start = file.read(_LENGTH.size)
        length = _LENGTH.unpack(start)[0] if len(start) == _LENGTH.size else size
        if not 2 <= length <= min(size - _LENGTH.size, _LONGEST_HEADER):
            raise DamagedFile(f"neither a whole safetensors nor a GGUF file ({size} bytes)")
        text = file.read(length)
    return _safetensors_header(text, size - _LENGTH.size - length)


def _safetensors_header(text: bytes, available: int) -> dict[str, TensorInfo]:
    try:
        decoded = text.decode("utf-8")
        require_shallow(decoded)
        header = json.loads(decoded)
        if b"\0" in text or not isinstance(header, dict):
            raise ValueError
        header.pop("__metadata__", None)
        tensors = {name: _safetensor(name, entry, available) for name, entry in header.items()}
    except (ValueError, TypeError, KeyError, AttributeError, JsonFault):
        raise DamagedFile("neither a safetensors nor a GGUF file, or damaged") from None
    return _limited(tensors)


def _safetensor(name: str, entry: dict[str, Any], available: int) -> TensorInfo:
    shape = entry["shape"]
    begin, end = entry["data_offsets"]
    if not isinstance(shape, list) or not all(type(n) is int for n in (*shape, begin, end)):
        raise ValueError
    if entry["dtype"] not in _DTYPES:
        raise DamagedFile(f"tensor {name!r} has the type {entry['dtype']}, which is not supported")
    dtype, width = _DTYPES[entry["dtype"]]
    _require_sizes(name, shape)
    nbytes = math.prod(shape) * width
    if not 0 <= begin <= end or end - begin != nbytes or len(shape) > _MOST_DIMENSIONS:
        raise DamagedFile(f"damaged, tensor {name!r} has other bytes than its shape needs")
    if end > available:
        raise DamagedFile(f"cut short, tensor {name!r} ends beyond the end of the file")
    return TensorInfo(tuple(shape), dtype, nbytes)


def _require_sizes(name: str, shape: Iterable[int]) -> None:
    if not all(size > 0 for size in shape):
        raise DamagedFile(f"tensor {name!r} has a dimension of 0")


def _limited(tensors: dict[str, TensorInfo]) -> dict[str, TensorInfo]:
    if not 0 < len(tensors) <= _MOST_TENSORS:
        raise DamagedFile(f"it has {len(tensors)} tensors")
    return tensors


# ---- GGUF ---------------------------------------------------------------------------------------


def _gguf(path: str) -> dict[str, TensorInfo]:
    """As strict as ggml itself: where that gives up, the library tries a reader without checks."""
    header = read_header(path)
    tensors: dict[str, TensorInfo] = {}
    if header.repeats_keys:
        raise DamagedFile("damaged, a key occurs twice")
    expected = 0
    for tensor in header.tensors:
        name = tensor.name.decode("utf-8", "replace")
        if name in tensors or len(tensor.name) > _LONGEST_GGUF_NAME:
            raise DamagedFile(f"damaged, the tensor name {name[:40]!r} is repeated or too long")
        info = _gguf_tensor(name, tensor.kind, tensor.sizes)
        if tensor.offset != expected:
            raise DamagedFile(f"damaged, tensor {name!r} is not where it should be")
        if header.data_start + expected + info.nbytes > header.file_size:
            raise DamagedFile(f"cut short, tensor {name!r} ends beyond the end of the file")
        tensors[name] = info
        expected += -(-info.nbytes // header.alignment) * header.alignment
    return _limited(tensors)


def _gguf_tensor(name: str, kind: int, sizes: tuple[int, ...]) -> TensorInfo:
    layout = native.weight_layout(kind)
    if layout is None:
        raise DamagedFile(f"tensor {name!r} has the type number {kind}, which is not supported")
    dtype, block, size = layout
    if not sizes or sizes[0] % block or math.prod(sizes) >= 2**62:
        raise DamagedFile(f"damaged, tensor {name!r} has impossible sizes")
    return TensorInfo(sizes[::-1], dtype, math.prod(sizes) // block * size)
