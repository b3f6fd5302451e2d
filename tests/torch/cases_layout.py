"""`flint::tensor`: files, casts, new tensors, rope tables, slicing, views, argmax.

Source: host-functions.md 9.1, 9.2, 9.3, 9.5, 9.6.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import torch
from safetensors.torch import load_file, save_file

from tests.torch import formulas
from tests.torch.case import Case, Exempt, Refusal, World, because, each, floats
from tests.torch.cases_arithmetic import BF16, F16, F32, FP8, INF, INT, ints
from tests.torch.support import random

KINDS = {F32: "float", BF16: "bf16", F16: "half"}


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


def file_of(folder: Path, tensor: torch.Tensor) -> str:
    path = folder / "t.safetensors"
    save_file({"x": tensor}, path)
    return str(path)


def tables(name: str, function: Any) -> list[Case]:
    """The rope tables by one function, whose type is that of the weights."""
    found = []
    for dtype, kind in KINDS.items():
        world = World(variables={"KOHARU_TORCH_WEIGHT_KIND": kind})
        plain, at = f"tensor::rope_{name}", f"tensor::rope_{name}_at"

        def formula(*sizes: float) -> Any:
            return function(formulas.rope_angles(*sizes))

        found += [
            Case(plain, (5, 8, 1e4), formula, dtype, dtype, world),
            Case(at, (3, 8, 1e4, 4), formula, dtype, dtype, world),
            Case(at, (1, 4, 500.0, 130), formula, dtype, dtype, world),
        ]
    return found


CASES: list[Case] = [
    *floats("tensor::size", lambda t: (*matrix(t), 1), 3),
    *floats("tensor::size", lambda t: (*matrix(t), -2), 2),
    Case("tensor::shape", (random(1, 512, 0),), "[1, 512, 0]"),
    Case("tensor::shape", (torch.tensor(True),), "[]"),
    *(
        Case(
            "tensor::save_safetensors",
            lambda folder, x=x: (x.t(), str(folder / "new" / "t.safetensors"), "x"),
            x.t(),
            x.dtype,
            after=lambda folder: load_file(folder / "new" / "t.safetensors")["x"],
        )
        for x in (random(2, 3).to(dtype) for dtype in (F32, BF16, F16, FP8, INT, torch.bool))
    ),
    *(
        Case("tensor::load_safetensors", lambda folder, x=x: (file_of(folder, x), "x"), x, x.dtype)
        for x in (random(2, 3).to(dtype) for dtype in (F32, BF16, F16, FP8, INT, torch.bool))
    ),
    # casts and new tensors
    *floats("tensor::to_float", matrix, lambda x: x, F32),
    *floats("tensor::type_as", lambda t: (random(2, 3), torch.zeros(1, dtype=t)), lambda x, _: x),
    *floats("tensor::to_bfloat16", matrix, lambda x: x, BF16),
    Case("tensor::to_float", (ints(3, -1),), torch.tensor([3.0, -1.0])),
    Case("tensor::to_float", (torch.tensor([1.5, 448.0]).to(FP8),), torch.tensor([1.5, 448.0])),
    Case("tensor::to_float", (torch.tensor([2 - 3j]),), torch.tensor([2.0])),
    Case("tensor::to_bfloat16", (torch.tensor([1.00390625]),), torch.ones(1, dtype=BF16)),
    Case("tensor::to_bfloat16", (torch.tensor([True]),), torch.ones(1, dtype=BF16)),
    *floats("tensor::type_as", lambda t: (random(2, 3), torch.ones(1, dtype=t)), lambda x, _: x),
    Case("tensor::type_as", (torch.tensor([1.75, -1.75]), ints(0)), ints(1, -1)),
    *floats("tensor::ones_like", matrix, np.ones_like),
    *floats("tensor::zeros_like", matrix, np.zeros_like),
    *floats("tensor::zeros_like_int", matrix, np.zeros_like, INT),
    Case("tensor::ones_like", (ints(5),), ints(1)),
    Case("tensor::arange", (4,), ints(0, 1, 2, 3)),
    Case("tensor::arange", (0,), torch.zeros(0, dtype=INT)),
    Case("tensor::arange_start", (-1, 2), ints(-1, 0, 1)),
    Case("tensor::arange_start", (2**62, 2**62 + 2), ints(2**62, 2**62 + 1)),
    Case("tensor::causal_mask", (2,), torch.tensor([[[[0, -INF], [0, 0]]]])),
    Case("tensor::causal_mask", (0,), torch.zeros(1, 1, 0, 0)),
    *floats(
        "tensor::padding_mask",
        lambda t: (torch.tensor([[1, 0], [0, 5]], dtype=t),),
        lambda mask: [[[[0, -INF]]], [[[-INF, 0]]]],
        F32,
    ),
    Case("tensor::padding_mask", (ints([0, -1]),), torch.tensor([[[[-INF, 0]]]])),
    *floats(
        "tensor::causal_padding_mask",
        lambda t: (torch.tensor([[1, 1], [0, 1]], dtype=t),),
        lambda mask: [[[[0, -INF], [0, 0]]], [[[-INF, -INF], [-INF, 0]]]],
        F32,
    ),
    *tables("cos", np.cos),
    *tables("sin", np.sin),
    # joining, slicing, rearranging
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


def beside_a_file(folder: Path) -> tuple[Any, ...]:
    (folder / "file").write_text("")
    return ROW, str(folder / "file" / "t.safetensors"), "x"


REFUSALS: list[Refusal] = [
    Refusal("tensor::size", "dimension", (ROW, 2), "dimension 2 out of range for shape [2, 3]"),
    Refusal("tensor::size", "dimension", (ROW, -3), "dimension -3 out of range"),
    Refusal("tensor::save_safetensors", "folder", beside_a_file, "cannot create"),
    Refusal("tensor::save_safetensors", "unwritable", lambda f: (ROW, str(f), "x"), "cannot write"),
    *each("tensor::load_safetensors", "unreadable", ("/nowhere/t", "x"), "cannot read /nowhere/t"),
    Refusal(
        "tensor::load_safetensors",
        "absent",
        lambda folder: (file_of(folder, ROW), "y"),
        "t.safetensors has no tensor 'y'",
    ),
    Refusal("tensor::arange", "torch", (-1,), "upper bound and lower bound inconsistent"),
    Refusal("tensor::arange_start", "torch", (2, 1), "upper bound and lower bound inconsistent"),
    # more than any machine has
    Refusal("tensor::arange", "too large", (2**50,), f"shape [{2**50}] takes 8,388,608.0 GiB, of"),
    Refusal("tensor::arange_start", "too large", (-(2**50), 0), f"shape [{2**50}] takes"),
    Refusal("tensor::causal_mask", "too large", (2**25,), f"[1, {2**25}, {2**25}] takes 4,194,304"),
    *each(
        "tensor::causal_padding_mask",
        "too large",
        lambda _: (torch.ones(1, 1).expand(2, 2**25),),
        f"[2, {2**25}, {2**25}] takes",
    ),
    Refusal("tensor::repeat_interleave", "too large", (ROW, 2**50, 0), f"[6, {2**50}] takes"),
    Refusal("tensor::causal_mask", "negative", (-1,), "seq_len -1 is below 0"),
    *each(
        "tensor::padding_mask tensor::causal_padding_mask",
        "rank",
        (ints(1, 0),),
        "attention mask has to be 2-D, not [2]",
    ),
    *each("tensor::rope_cos tensor::rope_sin", "negative", (-1, 4, 1e4), "seq_len -1 is below 0"),
    *each("tensor::rope_cos tensor::rope_sin", "negative", (1, -4, 1e4), "head_dim -4 is below 0"),
    *each(
        "tensor::rope_cos tensor::rope_sin", "too large", (2**62, 4, 1e4), "rope range too large"
    ),
    *each(
        "tensor::rope_cos_at tensor::rope_sin_at",
        "negative",
        (1, 4, 1e4, -2),
        "start -2 is below 0",
    ),
    *each(
        "tensor::rope_cos_at tensor::rope_sin_at",
        "too large",
        (1, 64, 1e4, 2**62),
        f"rope range too large: {2**62 + 1} positions of 64 values",
    ),
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
        **because(
            "it takes every type and shape",
            "tensor::shape tensor::contiguous tensor::to_float tensor::to_bfloat16"
            " tensor::ones_like tensor::zeros_like tensor::zeros_like_int tensor::type_as",
        ),
        **because(
            "it finds the faults before torch does",
            "tensor::size tensor::chunk tensor::tail tensor::padding_mask"
            " tensor::causal_padding_mask tensor::causal_mask tensor::rope_cos tensor::rope_sin"
            " tensor::rope_cos_at tensor::rope_sin_at tensor::save_safetensors"
            " tensor::load_safetensors",
        ),
    },
    floats={
        "tensor::shape": "it looks at no values",
        **because("the type is given", "tensor::arange tensor::arange_start tensor::causal_mask"),
    },
)
