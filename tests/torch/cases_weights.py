"""`flint::weights` (host-functions.md 7)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import save_file

from flint.runtime import weights
from tests.torch.case import Case, Exempt, Refusal, World, each
from tests.torch.support import random

KINDS = {torch.float32: "F32", torch.bfloat16: "bf16", torch.float16: "half"}
QKV = [f"l.self_attn.{part}_proj.weight" for part in "qkv"]
W1_W3 = ["l.feed_forward.w1.weight", "l.feed_forward.w3.weight"]
NAMES = ["a", "b0.w", *QKV, *W1_W3]
HELD = {name: random(2, 3, seed=at) for at, name in enumerate(NAMES)}
HERE = World(weights=HELD)


def joined(names: list[str]) -> torch.Tensor:
    return torch.cat([HELD[name] for name in names])


def lookups() -> Iterator[Case]:
    """Every way to a weight, in every kind."""
    rows: list[tuple[str, tuple[Any, ...], torch.Tensor]] = [
        ("get", ("a",), HELD["a"]),
        ("get", ("l.self_attn.qkv_proj.weight",), joined(QKV)),
        ("get", ("l.feed_forward.w1_w3.weight",), joined(W1_W3)),
        ("get_indexed", ("b", 0, ".w"), HELD["b0.w"]),
        ("get_or", ("a", "b0.w"), HELD["a"]),
        ("get_or", ("no", "b0.w"), HELD["b0.w"]),
        ("get_or", ("l.feed_forward.w1_w3.weight", "a"), joined(W1_W3)),
        ("get_optional", ("a",), HELD["a"]),
    ]
    for dtype, kind in KINDS.items():
        world = World(weights=HELD, variables={"KOHARU_TORCH_WEIGHT_KIND": kind})
        for name, args, expected in rows:
            yield Case(f"weights::{name}", args, expected.to(dtype), dtype, world=world)


def use_two() -> None:
    for name in ("a", "b0.w", "a"):
        weights.get(name)


def file(folder: Path) -> tuple[str]:
    save_file({"a": torch.ones(1), "ids": torch.ones(1).long()}, folder / "t.safetensors")
    return (str(folder / "t.safetensors"),)


CASES: list[Case] = [
    Case("weights::load", file, 2),
    Case("weights::load", lambda folder: (file(folder), (str(folder),))[1], 2),
    *lookups(),
    Case("weights::has", ("a",), True, world=HERE),
    Case("weights::release", ("l.",), 0, world=HERE),
    Case("weights::release", ("",), 2, world=World(weights=HELD, before=use_two)),
    Case("weights::has", ("l.self_attn.qkv_proj.weight",), True, world=HERE),
    Case("weights::has", ("no",), False, world=HERE),
    # what a script sees: a negative number, another one every time; -1 and -2 are taken
    Case(
        "weights::get_optional",
        ("no",),
        [-3, -4],
        world=World(weights=HELD, before=lambda: weights.get_optional("other")),
        after=lambda _: [handle("no") for _ in range(2)],
    ),
]


def handle(name: str) -> int:
    absent: Any = weights.get_optional(name)
    number: int = absent.handle
    return number


Q4 = World(variables={"KOHARU_TORCH_WEIGHT_KIND": "Q4"})
NO = "no weight named 'no'"
REFUSALS: list[Refusal] = [
    Refusal("weights::load", "unreadable", ("/nowhere/w",), "cannot read /nowhere/w: "),
    Refusal(
        "weights::load", "empty folder", lambda folder: (str(folder),), "no safetensors file in"
    ),
    Refusal("weights::load", "kind", file, "allows native, half, bf16, float; found q4", Q4),
    Refusal("weights::get", "absent", ("no",), NO, HERE),
    Refusal("weights::get", "absent", ("no",), f"{NO}: no weights are loaded"),
    Refusal(
        "weights::get",
        "absent part",
        ("x.self_attn.qkv_proj.weight",),
        "no weight named 'x.self_attn.q_proj.weight'",
        HERE,
    ),
    Refusal("weights::get_indexed", "absent", ("b", 1, ".w"), "no weight named 'b1.w'", HERE),
    Refusal("weights::get_or", "absent", ("a1", "no"), NO, HERE),
    # the error comes with the first use
    *each(
        "tensor::neg tensor::shape",
        "absent weight",
        lambda _: (weights.get_optional("no"),),
        "tensor: optional weight no is not in the checkpoint",
        HERE,
    ),
    Refusal(
        "nn::linear",
        "absent weight",
        lambda _: (random(2, 3), weights.get("a"), weights.get_optional("no")),
        "bias: optional weight no is not in the checkpoint",
        HERE,
    ),
]

EXEMPT = Exempt()
