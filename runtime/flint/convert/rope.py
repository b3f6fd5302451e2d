"""Rotary positions: ggml's order of columns and its scaling, in terms of transformers."""

from __future__ import annotations

from collections.abc import Callable
from math import pi
from typing import Any

from flint.convert.source import GgufModel, GgufTensor
from flint.report import UserError

# Llama 3.1 and 3.2; 3.2 differs in the factor, which is the largest of those in the file.
_LLAMA3 = {
    "low_freq_factor": 1.0,
    "high_freq_factor": 4.0,
    "original_max_position_embeddings": 8192,
}


def interleaved_row(head_size: int) -> Callable[[int], int]:
    """Where row i of a query or key projection lies in a GGUF file of the architecture llama.

    ggml turns neighbours (2k, 2k + 1) of a head together, transformers k and k + head_size / 2.
    """
    half = head_size // 2

    def place(row: int) -> int:
        head, column = divmod(row, head_size)
        return head * head_size + (2 * column if column < half else 2 * (column - half) + 1)

    return place


def llama_rope_scaling(
    model: GgufModel, factors: GgufTensor | None, head_size: int, theta: float
) -> dict[str, Any] | None:
    """`rope_scaling` of `config.json`: linear, or llama3 by the divisors of the frequencies."""
    kind = model.text_or_none(f"{model.architecture}.rope.scaling.type") or "none"
    if kind == "linear" and factors is None:
        return {"rope_type": "linear", "factor": model.number("rope.scaling.factor")}
    if kind != "none":
        raise UserError(f"{model.path}: positions are scaled by {kind}, which is not supported")
    return None if factors is None else _llama3(factors, head_size, theta)


def _llama3(factors: GgufTensor, head_size: int, theta: float) -> dict[str, Any]:
    divisors = [float(value) for block in factors.values() for value in block.ravel()]
    scaling = {"rope_type": "llama3", "factor": float(round(max(divisors), 3)), **_LLAMA3}
    expected = [_divisor(scaling, theta ** (-2 * at / head_size)) for at in range(head_size // 2)]
    fits = len(divisors) == len(expected) and all(
        abs(one - other) <= 1e-3 * other for one, other in zip(divisors, expected, strict=True)
    )
    if not fits:
        raise UserError(f"{factors.path}: {factors.name} is not that of Llama 3.1")
    return scaling


def _divisor(scaling: dict[str, Any], frequency: float) -> float:
    """By what Llama 3.1 divides a frequency: 1 for quick turns, the factor for slow ones."""
    low, high = scaling["low_freq_factor"], scaling["high_freq_factor"]
    turns: float = scaling["original_max_position_embeddings"] * frequency / (2 * pi)
    kept: float = min(max((turns - low) / (high - low), 0.0), 1.0)
    factor: float = scaling["factor"]
    return 1 / (kept + (1 - kept) / factor)
