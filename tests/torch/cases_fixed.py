"""`flint::fixed`, `flint::graph`, and what computes from positions that are tensors: all ours."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import torch

from flint.runtime import cache, fixed, graph, tensor
from flint.runtime.pair import Pair
from tests.torch.case import Case, Exempt, Refusal, World, because, floats
from tests.torch.support import F32, INF, ints, random

X, INTS = random(2, 3), ints(1, 2)
KEPT = World(before=lambda: fixed.reserve("k", X, 1, 5))
GRAPHS = {"FLINT_CUDA_GRAPH": "1"}


def kept(x: torch.Tensor) -> World:
    return World(before=lambda: fixed.reserve("k", x, 1, x.shape[1]))


def reserved(x: Any, *_: object) -> Any:
    return np.pad(x, ((0, 0), (0, 2)))


def changes(name: str, *args: Any, expected: Callable[..., Any]) -> Iterator[Case]:
    """A change of what is kept, for each float type."""
    for dtype in (torch.float32, torch.bfloat16, torch.float16):
        values = tuple(
            x.to(dtype) if isinstance(x, torch.Tensor) and x.dim() > 1 else x for x in args
        )
        kept_there = expected(X.to(dtype).clone())
        world = kept(X.to(dtype))
        yield Case(name, values, kept_there, dtype, world=world, after=lambda _: fixed.get("k"))


def with_column(x: torch.Tensor, at: int, column: torch.Tensor) -> torch.Tensor:
    return torch.stack([column.to(x.dtype) if i == at else x[:, i] for i in range(x.shape[1])], 1)


COLUMN = random(2, 1, seed=1)

CASES: list[Case] = [
    *floats("fixed::reserve", lambda t: ("k", X.to(t), 1, 5), lambda _, x, *rest: reserved(x)),
    Case("fixed::reserve", ("k", ints(1, 2), 0, 2), ints(1, 2)),
    # a copy: the tensor itself stays as it is
    Case(
        "fixed::reserve",
        ("k", INTS, -1, 3),
        Pair(ints(1, 2), ints(2, 3, 1)),
        after=lambda _: Pair(INTS, fixed.get("k") if fixed.advance("k", 1) else None),
    ),
    Case("fixed::has", ("k",), True, world=KEPT),
    Case("fixed::has", ("x",), False, world=KEPT),
    *(
        Case("fixed::get", ("k",), x, x.dtype, world=kept(x))
        for x in map(X.to, (F32, torch.bfloat16, torch.float16))
    ),
    *changes(
        "fixed::write",
        "k",
        COLUMN,
        1,
        ints(2),
        expected=lambda x: with_column(x, 2, COLUMN[:, 0]),
    ),
    *changes(
        "fixed::update",
        "k",
        random(2, 3, seed=2),
        expected=lambda x: random(2, 3, seed=2).to(x.dtype),
    ),
    Case(
        "fixed::advance",
        ("k", -2),
        ints([3, 4]),
        world=kept(ints([5, 6])),
        after=lambda _: fixed.get("k"),
    ),
    Case("graph::wanted", (), False),
    Case("graph::wanted", (), False, world=World(variables={"FLINT_CUDA_GRAPH": "0"})),
    Case("graph::wanted", (), False, world=World(variables={"FLINT_CUDA_GRAPH": ""})),
    Case("graph::wanted", (), True, world=World(variables=GRAPHS)),
    *floats(
        "tensor::index_select",
        lambda t: (random(2, 4, dtype=t), 1, ints(3, 0, 3)),
        lambda x, dim, at: x[:, [3, 0, 3]],
    ),
    Case("tensor::index_select", (ints(5, 6), 0, ints(1)), ints(6)),
    Case(
        "tensor::causal_mask_at",
        (ints(2, 0), 4),
        torch.tensor([[[[0.0, 0.0, 0.0, -INF], [0.0, -INF, -INF, -INF]]]]),
    ),
    Case("tensor::causal_mask_at", (ints(7), 2), torch.zeros(1, 1, 1, 2)),
    Case("tensor::ints", (ints([3, -1], [2**62, 0]),), [3, -1, 2**62, 0]),
    Case("tensor::ints", (torch.zeros(0, dtype=torch.int64),), []),
]


def again(step: Callable[[], bool]) -> World:
    """The step was done twice already, and graphs are wanted."""

    def before() -> None:
        for _ in range(2):
            graph.replay("s", step)

    return World(variables=GRAPHS, before=before)


def growing() -> bool:
    """One column more every time."""
    earlier = cache.get("x") if cache.has("x") else X
    return cache.set("x", tensor.cat2(earlier, X, 1))


def moving() -> bool:
    """The same operations, on another tensor every time."""
    return cache.set("x", tensor.neg(cache.get("x") if cache.has("x") else X))


def nested() -> bool:
    return graph.replay("inner", lambda: True)


REFUSALS: list[Refusal] = [
    Refusal("fixed::reserve", "too short", ("k", X, 1, 2), "length 2 is below the tensor's 3"),
    Refusal("fixed::reserve", "dimension", ("k", X, 2, 9), "dimension 2 out of range"),
    Refusal("fixed::reserve", "too large", ("k", X, 1, 2**50), f"[2, {2**50}] takes"),
    *(
        Refusal(f"fixed::{name}", "absent", args, "nothing reserved under 'no'", KEPT)
        for name, args in {
            "get": ("no",),
            "write": ("no", X, 1, ints(0)),
            "update": ("no", X),
            "advance": ("no", 1),
        }.items()
    ),
    Refusal("fixed::write", "torch", ("k", X, 1, ints(0)), "index_copy_", KEPT),
    Refusal("fixed::write", "torch", ("k", COLUMN, 1, ints(5)), "out of", KEPT),
    Refusal(
        "fixed::update",
        "misfit",
        ("k", X),
        "float32 [2, 3] does not fit float32 [2, 5], kept under 'k'",
        KEPT,
    ),
    Refusal(
        "fixed::update",
        "misfit",
        ("k", X.bfloat16()),
        "bfloat16 [2, 3] does not fit float32 [2, 3]",
        kept(X),
    ),
    Refusal(
        "graph::replay",
        "changing",
        ("s", growing),
        "step 's' is not the same every time: operation 0 was aten.",
        again(growing),
    ),
    Refusal("graph::replay", "changing", ("s", moving), "operation 0 was aten.neg", again(moving)),
    Refusal(
        "graph::replay",
        "nested",
        ("s", nested),
        "a step cannot replay another",
        World(variables=GRAPHS),
    ),
    Refusal("tensor::index_select", "torch", (X, 0, ints(2)), "out of range"),
    Refusal("tensor::index_select", "torch", (X, 0, X), "index"),
    Refusal(
        "tensor::causal_mask_at", "rank", (ints([1]), 4), "positions have to be 1-D, not [1, 1]"
    ),
    Refusal("tensor::causal_mask_at", "negative", (ints(1), -1), "columns -1 is below 0"),
    Refusal("tensor::causal_mask_at", "too large", (ints(1), 2**50), f"[1, {2**50}] takes"),
    Refusal("tensor::ints", "no ints", (X,), "ints are needed, not float32"),
]

EXEMPT = Exempt(
    values={"graph::replay": "what it does is the step's: test_step_graph.py"},
    torch=because("it finds the faults before torch does", "tensor::causal_mask_at tensor::ints"),
    floats={
        "fixed::has": "it looks at no values",
        **because("positions are ints", "tensor::causal_mask_at tensor::ints"),
    },
)
