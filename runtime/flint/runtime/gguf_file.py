"""The header of a GGUF file, read and checked before native code sees the file.

ggml reports most damage, but ends the process on some. Source: the GGUF specification in ggml's
repository (docs/gguf.md), versions 2 and 3.
"""

from __future__ import annotations

import mmap
import os
import struct
from dataclasses import dataclass, field
from typing import Any

from flint.regular_file import require_regular

Scalar = int | float | bool

_MAGIC = b"GGUF"
_VERSIONS = (2, 3)
_PREAMBLE = struct.Struct("<4sIQQ")
_UINT32 = struct.Struct("<I")
_UINT64 = struct.Struct("<Q")
_MAX_DIMENSIONS = 4

_UINT32_KIND, _STRING, _ARRAY = 4, 8, 9
_SCALARS = {
    kind: struct.Struct(f"<{code}")
    for kind, code in zip((0, 1, 2, 3, 4, 5, 6, 7, 10, 11, 12), "BbHhIif?Qqd", strict=True)
}
_ALIGNMENT = b"general.alignment"
_DEFAULT_ALIGNMENT = 32
_TOKENS = b"tokenizer.ggml.tokens"


class DamagedFile(Exception):
    """Why a file is no usable GGUF file; the text begins with its path."""


@dataclass(frozen=True, slots=True)
class Tensor:
    """A tensor's place: sizes, innermost first; ggml's type number; bytes from the data's start."""

    name: bytes
    sizes: tuple[int, ...]
    kind: int
    offset: int


@dataclass(slots=True)
class Header:
    """What the checks need: values by key, the vocabulary, the tensors, where their data begins."""

    scalars: dict[bytes, Scalar] = field(default_factory=dict)
    texts: dict[bytes, bytes] = field(default_factory=dict)
    arrays: dict[bytes, list[Any]] = field(default_factory=dict)  # left empty unless asked for
    tokens: list[bytes] = field(default_factory=list)
    tensors: list[Tensor] = field(default_factory=list)
    data_start: int = 0
    file_size: int = 0
    repeats_keys: bool = False

    @property
    def alignment(self) -> int:
        """Tensor data begin at multiples of this."""
        return int(self.scalars.get(_ALIGNMENT, _DEFAULT_ALIGNMENT))

    def words(self) -> set[bytes]:
        """The tokens as llama.cpp sees them: up to a NUL, those without text left out."""
        return {word for token in self.tokens if (word := token.partition(b"\0")[0])}


def read_header(path: str, *, arrays: bool = False) -> Header:
    """The header of the file; `DamagedFile` unless it is a GGUF file and seems complete.

    Takes time linear in the header, most of which is the vocabulary. With `arrays` all of it is
    kept, and not the tokens alone.
    """
    try:
        require_regular(path)
        with open(path, "rb") as file:
            size = os.fstat(file.fileno()).st_size
            if size < _PREAMBLE.size:
                raise DamagedFile(f"no GGUF file, it has only {size} bytes")
            with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
                return _Reader(data, arrays).header()
    except DamagedFile as error:
        raise DamagedFile(f"{path}: {error}") from None
    except (struct.error, OverflowError):
        raise DamagedFile(f"{path}: cut short, the header does not end") from None
    except OSError as error:
        raise DamagedFile(f"{path}: {error.strerror}") from None


class _Reader:
    """Walks through the header; `struct.error` where it ends too early."""

    def __init__(self, data: mmap.mmap, arrays: bool) -> None:
        self._data = data
        self._keep_arrays = arrays
        self._position = _PREAMBLE.size

    def header(self) -> Header:
        magic, version, tensors, values = _PREAMBLE.unpack_from(self._data)
        if magic != _MAGIC:
            raise DamagedFile("no GGUF file")
        if version not in _VERSIONS:
            raise DamagedFile(f"GGUF version {version} is not supported")
        header = Header(file_size=len(self._data))
        keys: set[bytes] = set()
        for _ in range(values):
            key = self._string()
            self._value(header, key, self._uint32())
            header.repeats_keys |= key in keys
            keys.add(key)
        header.tensors = [self._tensor() for _ in range(tensors)]
        header.data_start = -(-self._position // header.alignment) * header.alignment
        furthest = max((tensor.offset for tensor in header.tensors), default=0)
        if self._position + furthest > len(self._data):
            raise DamagedFile(f"cut short, the tensors need more than {len(self._data)} bytes")
        return header

    def _value(self, header: Header, key: bytes, kind: int) -> None:
        if kind == _STRING:
            header.texts[key] = self._string()
        elif kind in _SCALARS:
            (value,) = self._unpack(_SCALARS[kind])
            if key == _ALIGNMENT and (kind != _UINT32_KIND or int(value).bit_count() != 1):
                raise DamagedFile(f"damaged, the alignment is {value}")
            header.scalars[key] = value
        elif kind == _ARRAY:
            self._array(header, key, self._uint32(), self._uint64())
        else:
            raise DamagedFile(f"damaged, there is no value type {kind}")

    def _array(self, header: Header, key: bytes, kind: int, count: int) -> None:
        if kind == _STRING:
            strings = self._strings(count)
            if key == _TOKENS:
                header.tokens = strings
            if self._keep_arrays:
                header.arrays[key] = strings
        elif kind in _SCALARS:
            start, layout = self._position, _SCALARS[kind]
            self._skip(count * layout.size)
            if self._keep_arrays:
                values = layout.iter_unpack(self._data[start : self._position])
                header.arrays[key] = [value for (value,) in values]
        else:
            raise DamagedFile(f"damaged, there is no array of value type {kind}")

    def _strings(self, count: int) -> list[bytes]:
        # A vocabulary has hundreds of thousands, so nothing is called that can be avoided.
        data, position, unpack, strings = self._data, self._position, _UINT64.unpack_from, []
        for _ in range(count):
            start = position + 8
            position = start + unpack(data, position)[0]
            strings.append(data[start:position])
        self._position = position
        self._skip(0)
        return strings

    def _tensor(self) -> Tensor:
        name = self._string()
        dimensions = self._uint32()
        if dimensions > _MAX_DIMENSIONS:
            raise DamagedFile(f"damaged, a tensor has {dimensions} dimensions")
        sizes = tuple(self._uint64() for _ in range(dimensions))
        if 0 in sizes:
            raise DamagedFile("damaged, a tensor has a dimension of 0")
        return Tensor(name, sizes, self._uint32(), self._uint64())

    def _string(self) -> bytes:
        start = self._position + 8
        self._skip(8 + _UINT64.unpack_from(self._data, self._position)[0])
        return self._data[start : self._position]

    def _uint32(self) -> int:
        return int(self._unpack(_UINT32)[0])

    def _uint64(self) -> int:
        return int(self._unpack(_UINT64)[0])

    def _unpack(self, layout: struct.Struct) -> tuple[Scalar, ...]:
        values = layout.unpack_from(self._data, self._position)
        self._position += layout.size
        return values

    def _skip(self, size: int) -> None:
        self._position += size
        if self._position > len(self._data):
            raise DamagedFile("cut short or damaged, a value reaches beyond the end")
