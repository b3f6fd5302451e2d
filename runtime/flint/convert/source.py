"""A GGUF model as the conversion sees it: its values by name, its tensors row by row.

The `gguf` package knows ggml's quantised types and undoes them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from math import prod
from types import ModuleType
from typing import TYPE_CHECKING, Any, TypeVar

from flint.report import UserError
from flint.runtime.gguf_file import DamagedFile, Tensor, read_header

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Value = TypeVar("Value")

# What is read and undone at a time, so that memory stays far below that of a large tensor.
_VALUES_AT_ONCE = 2**22


def gguf_package() -> ModuleType:
    """The package `gguf`, which only the conversion needs."""
    try:
        import gguf
    except ImportError as error:
        raise UserError(
            f"flint convert needs the package gguf ({error}): pip install 'gguf>=0.17'"
        ) from None
    return gguf  # type: ignore[no-any-return]


class GgufModel:
    """An open file. `UserError` if it is no GGUF file, cut off, or lacks what is asked for."""

    def __init__(self, path: str) -> None:
        self.path = path
        self._gguf = gguf_package()
        try:
            self._header = read_header(path, arrays=True)
        except DamagedFile as error:
            raise UserError(str(error)) from None
        parts = self._header.scalars.get(b"split.count", 1)
        if parts > 1:
            raise UserError(f"{path}: one of {parts} parts of a model; join them first")
        self.tensors = {found.name: found for found in map(self._placed, self._header.tensors)}

    # -- values -----------------------------------------------------------------------------------

    @property
    def architecture(self) -> str:
        """ggml's name of the kind of model, such as `llama`."""
        return self.text("general.architecture")

    def text(self, key: str) -> str:
        """The text under `key`."""
        value = self.text_or_none(key)
        if value is None:
            raise UserError(f"{self.path}: no text under {key}")
        return value

    def text_or_none(self, key: str) -> str | None:
        """The text under `key`, None where there is none."""
        value = self._header.texts.get(key.encode())
        return None if value is None else self._decoded(key, value)

    def whole(self, key: str, default: int | None = None) -> int:
        """The int under `key` of the architecture, such as `block_count`; from 0 to 2^31 - 1."""
        value = self._scalar(key, default)
        if type(value) is not int or not 0 <= value < 2**31:
            raise UserError(f"{self.path}: {self.architecture}.{key} is {value!r}, not a size")
        return value

    def number(self, key: str, default: float | None = None) -> float:
        """The number under `key` of the architecture, with the digits that a float32 has."""
        import numpy as np

        value = self._scalar(key, default)
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise UserError(f"{self.path}: {self.architecture}.{key} is {value!r}, not a number")
        return float(str(np.float32(value)))

    def sizes(self, key: str, count: int, default: int | None = None) -> list[int]:
        """The ints under `key` of the architecture, one for each layer; one int counts for all."""
        values = self._header.arrays.get(f"{self.architecture}.{key}".encode())
        if values is None:
            return [self.whole(key, default)] * count
        if len(values) != count or not all(type(each) is int for each in values):
            raise UserError(f"{self.path}: {self.architecture}.{key} is no size for each layer")
        return values

    def token_id(self, name: str) -> int | None:
        """The id under `tokenizer.ggml.<name>_token_id`, if it is one of the vocabulary."""
        value = self._header.scalars.get(f"tokenizer.ggml.{name}_token_id".encode())
        known = type(value) is int and 0 <= value < len(self._header.tokens)
        return int(value) if known and value is not None else None

    def flag(self, key: str, default: bool) -> bool:
        """The bool under `key`."""
        return bool(self._header.scalars.get(key.encode(), default))

    @cached_property
    def tokens(self) -> list[str]:
        """The vocabulary by id."""
        return [self._decoded("tokenizer.ggml.tokens", token) for token in self._header.tokens]

    def array(self, key: str) -> list[Any]:
        """The values under `key`, texts decoded; empty where there are none."""
        values = self._header.arrays.get(key.encode(), [])
        return [self._decoded(key, each) if isinstance(each, bytes) else each for each in values]

    def _scalar(self, key: str, default: Value | None) -> int | float | bool | Value:
        full = f"{self.architecture}.{key}"
        value = self._header.scalars.get(full.encode(), default)
        if value is None:
            raise UserError(f"{self.path}: no value under {full}")
        return value

    def _decoded(self, key: str, value: bytes) -> str:
        try:
            return value.decode()
        except UnicodeDecodeError:
            raise UserError(f"{self.path}: a text under {key} is not UTF-8") from None

    # -- tensors ----------------------------------------------------------------------------------

    def _placed(self, tensor: Tensor) -> GgufTensor:
        """The tensor with its type and place in the file."""
        name = self._decoded("the tensors' names", tensor.name)
        try:
            kind = self._gguf.GGMLQuantizationType(tensor.kind)
            block, size = self._gguf.GGML_QUANT_SIZES[kind]
        except (ValueError, KeyError):
            raise UserError(
                f"{self.path}: {name} has ggml's type {tensor.kind}, which gguf does not know"
            ) from None
        shape = tuple(reversed(tensor.sizes)) or (1,)
        if shape[-1] % block:
            raise UserError(f"{self.path}: {name} of {list(shape)} is no whole number of blocks")
        row = shape[-1] // block * size
        start = self._header.data_start + tensor.offset
        if start + prod(shape[:-1]) * row > self._header.file_size:
            raise UserError(f"{self.path}: cut short, it ends within the tensor {name}")
        return GgufTensor(self.path, name, shape, kind.name, kind, row, start)


@dataclass(frozen=True)
class GgufTensor:
    """A tensor: its shape, outermost first; ggml's type; bytes in a row; where its data begin."""

    path: str
    name: str
    shape: tuple[int, ...]
    type: str
    _kind: Any
    _row_bytes: int
    _start: int

    @property
    def rows(self) -> int:
        """How many rows there are; quantised blocks never cross them."""
        return prod(self.shape[:-1])

    def stored(self, order: Callable[[int], int] | None = None) -> Iterator[NDArray[np.uint8]]:
        """The bytes as they are in the file, several rows `[n, bytes]` at a time.

        `order` says which row of the file becomes row i.
        """
        import numpy as np

        size = (self.rows, self._row_bytes)
        rows = np.memmap(self.path, np.uint8, "r", offset=self._start, shape=size)
        at_once = max(1, _VALUES_AT_ONCE // self.shape[-1])
        for first in range(0, self.rows, at_once):
            last = min(first + at_once, self.rows)
            if order is None:
                yield np.asarray(rows[first:last])
            else:
                yield rows[[order(row) for row in range(first, last)]]

    def values(self, order: Callable[[int], int] | None = None) -> Iterator[NDArray[np.float32]]:
        """The values as float32, several rows at a time; quantised ones as ggml undoes them."""
        import numpy as np

        package = gguf_package()
        for block in self.stored(order):
            try:
                with np.errstate(all="ignore"):  # what the file holds is not ours to judge
                    yield package.quants.dequantize(block, self._kind)
            except NotImplementedError:
                raise UserError(
                    f"{self.path}: {self.name} has the type {self.type}, which gguf cannot undo"
                ) from None
