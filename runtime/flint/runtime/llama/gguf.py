"""Whether a file can be a whole GGUF model, told from its header before llama.cpp sees it.

Source: the GGUF specification in ggml's repository (docs/gguf.md), versions 2 and 3.
"""

from __future__ import annotations

import mmap
import os
import struct

_MAGIC = b"GGUF"
_VERSIONS = (2, 3)
_HEADER = struct.Struct("<4sIQQ")
_UINT32 = struct.Struct("<I")
_UINT64 = struct.Struct("<Q")
_MAX_DIMENSIONS = 4

_STRING, _ARRAY = 8, 9
# Sizes in bytes of the other value types: (u)int8 to 32, float32, bool, (u)int64, float64.
_VALUE_SIZES = {0: 1, 1: 1, 2: 2, 3: 2, 4: 4, 5: 4, 6: 4, 7: 1, 10: 8, 11: 8, 12: 8}


class DamagedFile(Exception):
    """Why a file is no usable GGUF file."""


def check_gguf(path: str) -> None:
    """Read the header of the file; `DamagedFile` unless it is a GGUF file and seems complete.

    Takes time linear in the header, which holds the vocabulary.
    """
    try:
        with open(path, "rb") as file:
            size = os.fstat(file.fileno()).st_size
            if not os.path.isfile(path):
                raise DamagedFile(f"{path} is not a regular file")
            if size < _HEADER.size:
                raise DamagedFile(f"{path} is no GGUF file: it has only {size} bytes")
            with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
                _Header(data).check()
    except DamagedFile as error:
        raise DamagedFile(f"{path}: {error}") from None
    except struct.error:
        raise DamagedFile(f"{path} is cut short: its header does not end") from None
    except (OSError, ValueError) as error:
        raise DamagedFile(f"{path} cannot be read: {error}") from None


class _Header:
    def __init__(self, data: mmap.mmap) -> None:
        self._data = data
        self._position = _HEADER.size

    def check(self) -> None:
        magic, version, tensors, values = _HEADER.unpack_from(self._data)
        if magic != _MAGIC:
            raise DamagedFile("no GGUF file")
        if version not in _VERSIONS:
            raise DamagedFile(f"GGUF version {version} is not supported")
        for _ in range(values):
            self._skip_string()
            self._skip_value(self._uint32())
        furthest = max((self._tensor_offset() for _ in range(tensors)), default=0)
        if self._position + furthest > len(self._data):
            raise DamagedFile(f"cut short: tensor data reaches beyond {len(self._data)} bytes")

    def _uint32(self) -> int:
        (value,) = _UINT32.unpack_from(self._data, self._position)
        self._position += 4
        return int(value)

    def _uint64(self) -> int:
        (value,) = _UINT64.unpack_from(self._data, self._position)
        self._position += 8
        return int(value)

    def _skip_string(self) -> None:
        self._skip(self._uint64())

    def _skip(self, size: int) -> None:
        self._position += size
        if self._position > len(self._data):
            raise DamagedFile("cut short or damaged: a value reaches beyond the end")

    def _skip_value(self, kind: int) -> None:
        if kind == _STRING:
            self._skip_string()
        elif kind == _ARRAY:
            self._skip_array(self._uint32(), self._uint64())
        elif kind in _VALUE_SIZES:
            self._skip(_VALUE_SIZES[kind])
        else:
            raise DamagedFile(f"damaged: there is no value type {kind}")

    def _skip_array(self, kind: int, count: int) -> None:
        if kind == _STRING:
            # Vocabularies have hundreds of thousands of these, so the loop is kept tight.
            data, position, unpack = self._data, self._position, _UINT64.unpack_from
            for _ in range(count):
                position += 8 + unpack(data, position)[0]
            self._position = position
            self._skip(0)
        elif kind in _VALUE_SIZES:
            self._skip(count * _VALUE_SIZES[kind])
        else:
            raise DamagedFile(f"damaged: there is no array of value type {kind}")

    def _tensor_offset(self) -> int:
        self._skip_string()
        dimensions = self._uint32()
        if dimensions > _MAX_DIMENSIONS:
            raise DamagedFile(f"damaged: a tensor has {dimensions} dimensions")
        self._skip(8 * dimensions + 4)
        return self._uint64()
