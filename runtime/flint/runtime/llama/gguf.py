"""The header of a GGUF file, read and checked before llama.cpp sees the file.

llama.cpp reports most damage, but ends the process on some. Source: the GGUF specification in
ggml's repository (docs/gguf.md), versions 2 and 3.
"""

from __future__ import annotations

import mmap
import os
import struct
from dataclasses import dataclass, field

Scalar = int | float | bool

_MAGIC = b"GGUF"
_VERSIONS = (2, 3)
_PREAMBLE = struct.Struct("<4sIQQ")
_UINT32 = struct.Struct("<I")
_UINT64 = struct.Struct("<Q")
_MAX_DIMENSIONS = 4
_MAX_LAYERS = 512  # LLAMA_MAX_LAYERS

_STRING, _ARRAY = 8, 9
_SCALARS = {
    kind: struct.Struct(f"<{code}")
    for kind, code in zip((0, 1, 2, 3, 4, 5, 6, 7, 10, 11, 12), "BbHhIif?Qqd", strict=True)
}
_TOKENS = b"tokenizer.ggml.tokens"
_TOKENIZER = b"tokenizer.ggml.model"
_MARKS_DUPLICATES = (b"hybriddna",)  # llama.cpp makes equal tokens of these different
_NO_TEXT = (b"", b"\0")


class DamagedFile(Exception):
    """Why a file is no usable GGUF file; the text begins with its path."""


@dataclass(slots=True)
class Header:
    """What the checks need: scalar and text values by key, and the vocabulary."""

    scalars: dict[bytes, Scalar] = field(default_factory=dict)
    texts: dict[bytes, bytes] = field(default_factory=dict)
    tokens: list[bytes] = field(default_factory=list)

    def words(self) -> set[bytes]:
        """The tokens as llama.cpp sees them: up to a NUL, those without text left out."""
        return {word for token in self.tokens if (word := token.partition(b"\0")[0])}


def read_header(path: str) -> Header:
    """The header of the file; `DamagedFile` unless it is a GGUF file and seems complete.

    Takes time linear in the header, most of which is the vocabulary.
    """
    try:
        with open(path, "rb") as file:
            if not os.path.isfile(path):
                raise DamagedFile("not a regular file")
            size = os.fstat(file.fileno()).st_size
            if size < _PREAMBLE.size:
                raise DamagedFile(f"no GGUF file, it has only {size} bytes")
            with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
                header = _Reader(data).header()
        _check(header)
    except DamagedFile as error:
        raise DamagedFile(f"{path}: {error}") from None
    except struct.error:
        raise DamagedFile(f"{path}: cut short, the header does not end") from None
    except OSError as error:
        raise DamagedFile(f"{path}: {error.strerror}") from None
    return header


class _Reader:
    """Walks through the header; `struct.error` where it ends too early."""

    def __init__(self, data: mmap.mmap) -> None:
        self._data = data
        self._position = _PREAMBLE.size

    def header(self) -> Header:
        magic, version, tensors, values = _PREAMBLE.unpack_from(self._data)
        if magic != _MAGIC:
            raise DamagedFile("no GGUF file")
        if version not in _VERSIONS:
            raise DamagedFile(f"GGUF version {version} is not supported")
        header = Header()
        for _ in range(values):
            self._value(header, self._string(), self._uint32())
        furthest = max((self._tensor_offset() for _ in range(tensors)), default=0)
        if self._position + furthest > len(self._data):
            raise DamagedFile(f"cut short, the tensors need more than {len(self._data)} bytes")
        return header

    def _value(self, header: Header, key: bytes, kind: int) -> None:
        if kind == _STRING:
            header.texts[key] = self._string()
        elif kind in _SCALARS:
            (header.scalars[key],) = self._unpack(_SCALARS[kind])
        elif kind == _ARRAY:
            self._array(header, key, self._uint32(), self._uint64())
        else:
            raise DamagedFile(f"damaged, there is no value type {kind}")

    def _array(self, header: Header, key: bytes, kind: int, count: int) -> None:
        if kind == _STRING:
            strings = self._strings(count)
            if key == _TOKENS:
                header.tokens = strings
        elif kind in _SCALARS:
            self._skip(count * _SCALARS[kind].size)
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

    def _tensor_offset(self) -> int:
        self._string()
        dimensions = self._uint32()
        if dimensions > _MAX_DIMENSIONS:
            raise DamagedFile(f"damaged, a tensor has {dimensions} dimensions")
        self._skip(8 * dimensions + 4)
        return self._uint64()

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


def _check(header: Header) -> None:
    """What llama.cpp asserts about the values."""
    layers = header.scalars.get(header.texts.get(b"general.architecture", b"") + b".block_count", 1)
    if not 1 <= layers <= _MAX_LAYERS:
        raise DamagedFile(f"damaged, the model has {layers} layers")
    for key, value in header.scalars.items():
        if key.endswith(b"epsilon") and not value >= 0:
            raise DamagedFile(f"damaged, {key.decode('utf-8', 'replace')} is {value}")
    tokens = sum(1 for token in header.tokens if token[:1] not in _NO_TEXT)
    if len(header.words()) < tokens and header.texts.get(_TOKENIZER) not in _MARKS_DUPLICATES:
        raise DamagedFile("damaged, a token occurs twice in the vocabulary")
