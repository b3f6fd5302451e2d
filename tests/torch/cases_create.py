"""`flint::tensor`: sizes, files, casts, new tensors, masks and rope tables.

Source: host-functions.md 9.1, 9.2, 9.3.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import torch
from safetensors.torch import load_file, save_file

from tests.torch import formulas
from tests.torch.case import Case, Exempt, Refusal, World, because, each, floats
from tests.torch.support import BF16, F16, F32, FP8, INF, INT, ints, random

KINDS = {F32: "float", BF16: "bf16", F16: "half"}
STORED = (F32, BF16, F16, FP8, INT, torch.bool)


def matrix(dtype: torch.dtype) -> tuple[torch.Tensor]:
    return (random(2, 3, dtype=dtype),)


def file_of(folder: Path, tensor: torch.Tensor) -> str:
    path = folder / "t.safetensors"
    save_file({"x": tensor}, path)
    return str(path)


def saved_and_loaded(x: torch.Tensor) -> Iterator[Case]:
    """A tensor in each direction; it is saved from columns, which are not contiguous."""
    yield Case(
        "tensor::save_safetensors",
        lambda folder: (x.t(), str(folder / "new" / "t.safetensors"), "x"),
        x.t(),
        x.dtype,
        after=lambda folder: load_file(folder / "new" / "t.safetensors")["x"],
    )
    yield Case("tensor::load_safetensors", lambda folder: (file_of(folder, x), "x"), x, x.dtype)


def tables(name: str, function: Any) -> list[Case]:
    """The rope tables by one function, whose type is that of the weights."""
    found = []
    for dtype, kind in KINDS.items():
        world = World(variables={"KOHARU_TORCH_WEIGHT_KIND": kind})
        plain, at = f"tensor::rope_{name}", f"tensor::rope_{name}_at"

        def formula(*sizes: Any) -> Any:
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
    *(case for dtype in STORED for case in saved_and_loaded(random(2, 3).to(dtype))),
    # casts and new tensors
    *floats("tensor::to_float", matrix, lambda x: x, F32),
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
]

ROW = random(2, 3)


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
]

EXEMPT = Exempt(
    torch={
        **because(
            "it takes every type and shape",
            "tensor::shape tensor::to_float tensor::to_bfloat16 tensor::type_as tensor::ones_like"
            " tensor::zeros_like tensor::zeros_like_int",
        ),
        **because(
            "it finds the faults before torch does",
            "tensor::size tensor::padding_mask tensor::causal_padding_mask tensor::causal_mask"
            " tensor::rope_cos tensor::rope_sin tensor::rope_cos_at tensor::rope_sin_at"
            " tensor::save_safetensors tensor::load_safetensors",
        ),
    },
    floats={
        "tensor::shape": "it looks at no values",
        **because("the type is given", "tensor::arange tensor::arange_start tensor::causal_mask"),
    },
)
