"""Writes a safetensors file piece by piece: the library's own writer wants all tensors at once."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from math import prod
from pathlib import Path

from flint.progress import Progress

_SIZES = {"F32": 4, "F16": 2, "BF16": 2}
_ALIGNMENT = 8


@dataclass(frozen=True, slots=True)
class Entry:
    """A tensor to be written: `dtype` is F32, F16 or BF16, `pieces` its bytes in order."""

    name: str
    dtype: str
    shape: tuple[int, ...]
    pieces: Iterable[bytes | memoryview]

    @property
    def size(self) -> int:
        """Bytes of the whole tensor."""
        return prod(self.shape) * _SIZES[self.dtype]


def write(path: Path, entries: list[Entry]) -> None:
    """Write the file; `ValueError` if a tensor's pieces have another size than its shape says.

    Source: the format's description in the safetensors repository.
    """
    header = json.dumps({"__metadata__": {"format": "pt"}, **dict(_places(entries))}).encode()
    header += b" " * (-len(header) % _ALIGNMENT)
    progress = Progress("converting", sum(entry.size for entry in entries))
    with path.open("wb") as file:
        file.write(len(header).to_bytes(8, "little"))
        file.write(header)
        for entry in entries:
            written = 0
            for piece in entry.pieces:
                written += file.write(piece)
                progress.advance(len(piece))
            if written != entry.size:
                raise ValueError(f"{entry.name}: {written} bytes, not {entry.size}")


def _places(entries: list[Entry]) -> Iterator[tuple[str, dict[str, object]]]:
    start = 0
    for entry in entries:
        place = [start, start + entry.size]
        yield entry.name, {"dtype": entry.dtype, "shape": entry.shape, "data_offsets": place}
        start += entry.size
