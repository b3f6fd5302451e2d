"""The weights of a GGUF model as `model.safetensors`, in one dtype that holds them all exactly."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from flint.convert.layout import Weight
from flint.convert.safetensors_file import Entry, write
from flint.convert.source import GgufTensor

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

TORCH_NAMES = {"F32": "float32", "F16": "float16", "BF16": "bfloat16"}
_HALVES = ("F16", "BF16")


def exact_dtype(weights: list[Weight]) -> str:
    """F16 or BF16 if the matrices are in it and all else fits exactly; F32 for all other models.

    Quantised values are not representable in 16 bits in general.
    """
    types = {weight.source.type for weight in weights}
    halves = types.intersection(_HALVES)
    if len(halves) != 1 or types - halves - {"F32"}:
        return "F32"
    (half,) = halves
    wide = (weight.source for weight in weights if weight.source.type == "F32")
    return half if all(_fits(tensor, half) for tensor in wide) else "F32"


def write_weights(path: Path, weights: list[Weight], dtype: str) -> None:
    """Write the file, several rows of a tensor at a time."""
    write(path, [Entry(each.name, dtype, each.shape, _pieces(each, dtype)) for each in weights])


def _pieces(weight: Weight, dtype: str) -> Iterator[memoryview]:
    source = weight.source
    blocks: Iterable[NDArray[Any]]
    if source.type == dtype:
        blocks = source.stored(weight.order)
    else:
        blocks = (_rounded(block, dtype) for block in source.values(weight.order))
    for block in blocks:
        yield memoryview(block.tobytes())


def _fits(tensor: GgufTensor, half: str) -> bool:
    return all((_widened(_rounded(block, half), half) == block).all() for block in tensor.values())


def _rounded(values: NDArray[np.float32], dtype: str) -> NDArray[Any]:
    """The values in that dtype; exact where `exact_dtype` has found that they fit."""
    import numpy as np

    if dtype == "BF16":  # numpy has none: it is the upper half of a float32
        return (np.ascontiguousarray(values).view(np.uint32) >> 16).astype(np.uint16)
    with np.errstate(over="ignore"):
        return values.astype({"F32": np.float32, "F16": np.float16}[dtype])


def _widened(values: NDArray[Any], dtype: str) -> NDArray[np.float32]:
    import numpy as np

    if dtype == "BF16":
        return (values.astype(np.uint32) << 16).view(np.float32)
    return values.astype(np.float32)
