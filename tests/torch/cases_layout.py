"""`flint::tensor`: joining, slicing, views and argmax (host-functions.md 9.5, 9.6)."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from tests.torch.case import Case, Exempt, Refusal, because, floats
from tests.torch.support import BF16, INT, ints, random


def matrix(dtype: torch.dtype) -> tuple[torch.Tensor]:
    return (random(2, 3, dtype=dtype),)


def block(dtype: torch.dtype, rank: int = 3) -> torch.Tensor:
    return random(*range(2, 2 + rank), dtype=dtype)


def permuted(x: Any, *order: int) -> Any:
    return x.transpose(order)


def viewed(x: Any, *sizes: int) -> Any:
    return x.reshape(sizes)


def narrowed(x: Any, dim: int, start: int, length: int) -> Any:
    return x.take(range(start, start + length), axis=dim)


CASES: list[Case] = [
    *floats(
        "tensor::cat2",
        lambda t: (*matrix(t), random(2, 1, dtype=t), -1),
        lambda x, y, dim: np.concatenate([x, y], axis=dim),
    ),
    *floats(
        "tensor::stack2",
        lambda t: (*matrix(t), *matrix(t), 1),
        lambda x, y, dim: np.stack([x, y], axis=dim),
    ),
    Case("tensor::cat2", (ints(1), torch.tensor([0.5]), 0), torch.tensor([1.0, 0.5])),
    Case("tensor::cat2", (torch.ones(1, dtype=BF16), torch.ones(1), 0), torch.ones(2)),
    Case("tensor::stack2", (ints(1), ints(2), -1), ints([1, 2])),
    *floats("tensor::chunk", lambda t: (random(5, 2, dtype=t), 2, 0, 1), lambda x, *_: x[3:]),
    *floats("tensor::chunk", lambda t: (random(2, 6, dtype=t), 4, -1, 2), lambda x, *_: x[:, 4:]),
    *floats("tensor::narrow", lambda t: (*matrix(t), -1, 1, 2), narrowed),
    Case("tensor::narrow", (ints(1, 2), 0, 2, 0), torch.zeros(0, dtype=INT)),
    *floats("tensor::tail", lambda t: (*matrix(t), 1, 2), lambda x, *_: x[:, 1:]),
    *floats("tensor::tail", lambda t: (*matrix(t), 0, 9), lambda x, *_: x),
    *floats("tensor::transpose", lambda t: (block(t), -1, 0), np.swapaxes),
    *floats("tensor::unsqueeze", lambda t: (*matrix(t), -1), np.expand_dims),
    *floats("tensor::select", lambda t: (*matrix(t), 1, -1), lambda x, *_: x[:, 2]),
    *floats("tensor::repeat_interleave", lambda t: (*matrix(t), 2, 1), np.repeat),
    Case("tensor::repeat_interleave", (ints(1, 2), 2, 0), ints(1, 1, 2, 2)),
    *floats("tensor::contiguous", lambda t: (random(2, 3, dtype=t).t(),), lambda x: x),
    *floats("tensor::permute3", lambda t: (block(t), 2, 0, 1), permuted),
    *floats("tensor::permute4", lambda t: (block(t, 4), 3, 0, 2, 1), permuted),
    *floats("tensor::permute5", lambda t: (block(t, 5), 4, 0, -2, 1, 2), permuted),
    *floats("tensor::view2", lambda t: (random(24, dtype=t), 4, -1), viewed),
    *floats("tensor::view3", lambda t: (random(24, dtype=t), 2, 3, 4), viewed),
    *floats("tensor::view4", lambda t: (random(24, dtype=t), 2, 1, -1, 4), viewed),
    *floats("tensor::view5", lambda t: (random(24, dtype=t), 1, 2, 3, 1, 4), viewed),
    # the largest element; ties go to the first
    *floats("tensor::argmax", lambda t: (*matrix(t), -1), np.argmax, INT),
    *floats("tensor::argmax", lambda t: (*matrix(t), 0), np.argmax, INT),
    *floats("tensor::argmax_int", lambda t: (torch.tensor([[1, 3, 3]], dtype=t), -1), 1),
    *floats(
        "tensor::argmax_token",
        lambda t: (random(1, 9, dtype=t), -1),
        lambda x, dim: [np.argmax(x, axis=dim)],
        INT,
    ),
    Case("tensor::argmax", (ints([1, 5, 5]), 1), ints(1)),
    *floats("tensor::item", lambda t: (torch.full((1, 1), -0.25, dtype=t),), -0.25),
    Case("tensor::item", (torch.tensor(3),), 3.0),
    # the first row counts
    Case("tensor::argmax_int", (ints([1, 5], [5, 1]), 1), 1),
    Case("tensor::argmax_token", (ints(4, 2), 0), ints([0])),
]

ROW = random(2, 3)
CUBE = random(2, 3, 4)

REFUSALS: list[Refusal] = [
    Refusal("tensor::cat2", "torch", (ROW, CUBE, 0), "same number of dimensions"),
    Refusal("tensor::stack2", "torch", (ROW, random(3), 0), "each tensor to be equal size"),
    Refusal("tensor::chunk", "chunks", (ROW, 0, 0, 0), "chunks has to be > 0, not 0"),
    Refusal("tensor::chunk", "negative index", (ROW, 2, 0, -1), "negative chunk index -1"),
    Refusal("tensor::chunk", "no chunk", (ROW, 2, 1, 2), "no chunk 2: 3 entries in chunks of 2"),
    Refusal("tensor::chunk", "dimension", (ROW, 2, 2, 0), "dimension 2 out of range"),
    Refusal("tensor::tail", "negative", (ROW, 0, -1), "negative tail length -1"),
    Refusal("tensor::tail", "dimension", (ROW, 5, 1), "dimension 5 out of range"),
    Refusal("tensor::narrow", "torch", (ROW, 1, 2, 2), "exceeds dimension size"),
    Refusal("tensor::narrow", "torch", (ROW, 0, 0, -1), "length must be non-negative"),
    Refusal("tensor::transpose", "torch", (ROW, 0, 2), "Dimension out of range"),
    Refusal("tensor::unsqueeze", "torch", (ROW, 4), "Dimension out of range"),
    Refusal("tensor::select", "torch", (ROW, 0, 2), "index 2 out of range"),
    Refusal("tensor::repeat_interleave", "too large", (ROW, 2**50, 0), f"[6, {2**50}] takes"),
    Refusal("tensor::repeat_interleave", "torch", (ROW, -1, 0), "repeats"),
    Refusal("tensor::permute3", "torch", (ROW, 0, 1, 2), "number of dimensions"),
    Refusal("tensor::permute3", "torch", (CUBE, 0, 1, 1), "duplicate"),
    Refusal("tensor::permute4", "torch", (ROW, 0, 1, 2, 3), "number of dimensions"),
    Refusal("tensor::permute5", "torch", (ROW, 0, 1, 2, 3, 4), "number of dimensions"),
    Refusal("tensor::view2", "torch", (ROW, 4, 2), "is invalid for input of size 6"),
    Refusal("tensor::view2", "torch", (CUBE.transpose(0, 2), 6, 4), "view size is not compatible"),
    Refusal("tensor::view3", "torch", (CUBE.transpose(0, 2), 3, 2, 4), "is not compatible"),
    Refusal("tensor::view4", "torch", (ROW, -1, -1, 1, 1), "only one dimension can be inferred"),
    Refusal("tensor::view5", "torch", (ROW, 1, 1, 1, 1, 7), "is invalid for input of size 6"),
    Refusal("tensor::argmax", "torch", (ROW, 2), "Dimension out of range"),
    Refusal("tensor::argmax_int", "torch", (ROW, 2), "Dimension out of range"),
    Refusal(
        "tensor::argmax_int", "empty", (random(0, 3), 1), "nothing to choose from in shape [0, 3]"
    ),
    Refusal("tensor::item", "several", (ROW,), "one element is needed, not shape [2, 3]"),
    Refusal("tensor::item", "torch", (torch.tensor([1j]),), "complex"),
    Refusal("tensor::argmax_token", "torch", (ROW, 1), "invalid for input of size 2"),
]

EXEMPT = Exempt(
    torch={
        "tensor::contiguous": "it takes every type and shape",
        **because("it finds the faults before torch does", "tensor::chunk tensor::tail"),
    },
)
