"""`flint::nn`: layers by the formulas of their definitions (host-functions.md 10)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import torch

from tests.torch import formulas
from tests.torch.case import Case, Exempt, Refusal, World, because, each, floats
from tests.torch.support import BF16, F16, F32, INF, ints, numbers, random

KINDS = {torch.float32: "float", torch.bfloat16: "bf16", torch.float16: "half"}
PARTS = ("weight", "bias", "running_mean", "running_var")
LAYERS = {
    **{f"norm.{part}": random(3, seed=at).abs() + 0.1 for at, part in enumerate(PARTS)},
    "conv.weight": random(3, 3, 3, 3, seed=7),
    "conv.bias": random(3, seed=8),
}
HERE = World(weights=LAYERS)


def several(dtype: torch.dtype, *shapes: tuple[int, ...]) -> tuple[torch.Tensor, ...]:
    """Tensors of these shapes, with different values."""
    return tuple(random(*shape, dtype=dtype, seed=at) for at, shape in enumerate(shapes))


def added_norm(x: Any, y: Any, weight: Any, eps: float) -> tuple[Any, Any]:
    return x + y, formulas.rms_norm(x + y, weight, eps)


def rotated_pair(query: Any, key: Any, cos: Any, sin: Any) -> tuple[Any, Any]:
    return formulas.rotated(query, cos, sin), formulas.rotated(key, cos, sin)


def gated_linear(x: Any, weight: Any, bias: Any) -> Any:
    return formulas.linear(formulas.swiglu(x), weight, bias)


def stepped(state: Any, column: Any, weight: Any) -> tuple[Any, Any]:
    window = np.concatenate([state, column], axis=-1)
    return (window * weight[:, 0]).sum(axis=-1, keepdims=True), window[..., 1:]


def stored(layer: str, dtype: torch.dtype) -> list[Any]:
    """The weights of a layer as numpy, rounded as they are loaded."""
    return [numbers(LAYERS[name].to(dtype)) for name in LAYERS if name.startswith(f"{layer}.")]


def convolved(dtype: torch.dtype) -> Any:
    def formula(x: Any, _: str, stride: int, padding: int, reflect: bool, bias: bool) -> Any:
        weight, offset = stored("conv", dtype)
        width = ((0, 0), (0, 0), (padding, padding), (padding, padding))
        padded = np.pad(x, width, mode="reflect" if reflect else "constant")
        return formulas.conv2d(padded, weight, offset if bias else None, stride)

    return formula


def by_name() -> list[Case]:
    """The layers that find their weights by name, which have the type of the input here."""
    found = []
    for dtype, kind in KINDS.items():
        world = World(weights=LAYERS, variables={"KOHARU_TORCH_WEIGHT_KIND": kind})
        x = random(2, 3, 4, 5, dtype=dtype)
        rows = [
            ("conv2d", (x, "conv", 2, 1, False, True), convolved(dtype)),
            ("conv2d", (x, "conv", 1, 1, True, False), convolved(dtype)),
            ("conv2d", (x, "conv", 1, 0, True, True), convolved(dtype)),
            (
                "conv_transpose2d",
                (x, "conv"),
                lambda x, _, t=dtype: formulas.conv_transpose2d(x, *stored("conv", t)),
            ),
            (
                "batch_norm2d",
                (x, "norm"),
                lambda x, _, t=dtype: formulas.batch_norm2d(x, *stored("norm", t)),
            ),
        ]
        found += [Case(f"nn::{n}", args, formula, dtype, dtype, world) for n, args, formula in rows]
    return found


def with_and_without_bias(name: str, row: tuple[int, ...], formula: Any) -> Iterator[Case]:
    """`linear` or `swiglu_linear` of an input of this shape: 6 values to 4, or 8 to 3."""
    weight = (4, 6) if name == "linear" else (3, 4)
    yield from floats(f"nn::{name}", lambda t: (*several(t, row, weight), None), formula)
    yield from floats(f"nn::{name}", lambda t: several(t, row, weight, weight[:1]), formula)


def convolutions(weight: tuple[int, ...], settings: tuple[int, ...]) -> Iterator[Case]:
    """`conv1d` of 4 channels; settings are stride, padding, dilation, groups."""
    x = (2, 4, 9)
    yield from floats(
        "nn::conv1d", lambda t: (*several(t, x, weight), None, *settings), formulas.conv1d
    )
    yield from floats(
        "nn::conv1d", lambda t: (*several(t, x, weight, weight[:1]), *settings), formulas.conv1d
    )


ROWS = [(1, 1, 6), (1, 6), (2, 3, 6), (4, 6), (6,), (0, 6)]
GATED = [(1, 1, 8), (2, 3, 8), (8,)]
SETTINGS: list[tuple[tuple[int, ...], tuple[int, ...]]] = [
    ((6, 4, 3), (1, 0, 1, 1)),
    ((6, 2, 3), (2, 1, 1, 2)),
    ((4, 1, 3), (1, 2, 1, 4)),
    ((4, 4, 2), (1, 2, 2, 1)),
]
HEADS = (2, 3, 4, 8), (2, 3, 6, 8), (2, 3, 6, 8)
ROPE = (1, 4, 3, 8), (1, 2, 3, 8), (1, 1, 3, 8), (1, 1, 3, 8)
VISIBLE = torch.tensor([[True, False, True], [True, True, False]])
BLIND = torch.tensor([[-INF, -INF], [0.0, 0.0]])
MIXED = random(1, 4, 5, dtype=BF16), random(4, 1, 3, seed=1)

CASES: list[Case] = [
    *floats(
        "nn::embedding",
        lambda t: (ints([4, 0, 4]), random(5, 3, dtype=t)),
        lambda ids, table: table[ids],
    ),
    *(case for row in ROWS for case in with_and_without_bias("linear", row, formulas.linear)),
    *(case for row in GATED for case in with_and_without_bias("swiglu_linear", row, gated_linear)),
    *floats("nn::rms_norm", lambda t: (*several(t, (2, 3, 8), (8,)), 0.1), formulas.rms_norm),
    *floats("nn::rms_norm", lambda t: (*several(t, (2, 3, 4), (3, 4)), 0.1), formulas.rms_norm),
    # a weight of another type changes nothing about the type of the result
    *floats(
        "nn::rms_norm",
        lambda t: (random(2, 8, dtype=t), random(8, seed=1), 0.0),
        formulas.rms_norm,
    ),
    *floats("nn::add_rms_norm", lambda t: (*several(t, (2, 8), (2, 8), (8,)), 0.1), added_norm),
    *floats(
        "nn::layer_norm", lambda t: (random(2, 8, dtype=t), None, None, 0.1, 8), formulas.layer_norm
    ),
    *floats(
        "nn::layer_norm",
        lambda t: (*several(t, (2, 8), (8,), (8,)), 0.1, 8),
        formulas.layer_norm,
    ),
    *floats(
        "nn::layer_norm",
        lambda t: (random(2, 8, dtype=t), None, random(8, dtype=t, seed=1), 0.1, 8),
        formulas.layer_norm,
    ),
    *floats("nn::apply_rope", lambda t: several(t, ROPE[0], *ROPE[2:]), formulas.rotated),
    *floats("nn::apply_rope_pair", lambda t: several(t, *ROPE), rotated_pair),
    # tables of `native`, which are bfloat16, promote float16
    Case(
        "nn::apply_rope",
        (random(*ROPE[0], dtype=F16), *several(BF16, *ROPE[2:])),
        formulas.rotated,
        result=F32,
    ),
    *floats(
        "nn::scaled_dot_product_attention",
        lambda t: (*several(t, *HEADS), False),
        formulas.causally_attended,
    ),
    *floats(
        "nn::scaled_dot_product_attention",
        lambda t: (*several(t, *HEADS), True),
        formulas.causally_attended,
    ),
    # masks are float32 whatever the type of the rest; bool masks are true where a row may attend
    *floats(
        "nn::scaled_dot_product_attention_masked",
        lambda t: (*several(t, *HEADS), random(4, 6, seed=9)),
        formulas.attended,
    ),
    *floats(
        "nn::scaled_dot_product_attention_masked",
        lambda t: (*several(t, (1, 2, 2, 8), (1, 2, 3, 8), (1, 2, 3, 8)), VISIBLE),
        lambda q, k, v, mask: formulas.attended(q, k, v, np.where(mask, 0, -np.inf)),
    ),
    # a row that sees nothing gives zeros
    Case(
        "nn::scaled_dot_product_attention_masked",
        (torch.ones(1, 1, 2, 4), torch.ones(1, 1, 2, 4), torch.ones(1, 1, 2, 4), BLIND),
        torch.tensor([[[[0.0] * 4, [1.0] * 4]]]),
    ),
    *(case for shape, settings in SETTINGS for case in convolutions(shape, settings)),
    # mixed types, which torch refuses: three taps in float32
    Case("nn::conv1d", (*MIXED, None, 1, 2, 1, 4), formulas.conv1d, result=BF16),
    Case("nn::conv1d", (*MIXED, random(4), 1, 1, 1, 4), formulas.conv1d, result=BF16),
    *floats("nn::conv1d_step", lambda t: several(t, (2, 4, 2), (2, 4, 1), (4, 1, 3)), stepped),
    *by_name(),
]

X, IMAGE = random(1, 2, 3, 8), random(1, 4, 6, 6)
SCALAR = torch.tensor(1.0)
STATE, COLUMN, KERNEL = random(1, 4, 2), random(1, 4, 1), random(4, 1, 3)
WANTED = "conv1d_step wants state [B, C, 2], input [B, C, 1], weight [C, 1, 3]"


REFUSALS: list[Refusal] = [
    Refusal("nn::embedding", "torch", (ints(5), random(5, 3)), "out of range"),
    Refusal("nn::embedding", "torch", (random(2), random(5, 3)), "Long, Int"),
    Refusal("nn::linear", "no input", (0, random(1), 0), "tensor: no tensor with handle 0"),
    Refusal("nn::linear", "no weight", (random(1), 0, 0), "weight: no tensor with handle 0"),
    Refusal("nn::linear", "torch", (random(1, 8), random(3, 5), None), "size mismatch"),
    Refusal("nn::linear", "torch", (random(2, 8), random(3, 5), None), "cannot be multiplied"),
    Refusal("nn::linear", "torch", (random(2, 8), random(3, 8).half(), None), "same dtype"),
    Refusal("nn::swiglu_linear", "rank", (SCALAR, random(3, 1), None), "at least 1 dimension"),
    Refusal("nn::swiglu_linear", "odd", (random(3), random(3, 1), None), "even last dimension"),
    Refusal("nn::swiglu_linear", "torch", (random(1, 8), random(3, 5), None), "size mismatch"),
    Refusal(
        "nn::rms_norm", "complex", (random(8), torch.complex(random(8), random(8)), 0.1), "norm"
    ),
    Refusal("nn::rms_norm", "torch", (random(2, 3), random(4), 0.1), "normalized_shape"),
    Refusal("nn::add_rms_norm", "torch", (random(2), random(3), random(3), 0.1), "must match"),
    Refusal("nn::layer_norm", "torch", (random(2, 8), None, None, 0.1, 7), "normalized_shape"),
    Refusal("nn::apply_rope", "rank", (SCALAR, X, X), "at least 1 dimension"),
    Refusal("nn::apply_rope", "odd", (random(1, 2, 3, 5), X, X), "even last dimension, not 5"),
    Refusal("nn::apply_rope", "torch", (X, random(5, 8), X), "must match the size"),
    Refusal("nn::apply_rope_pair", "query rank", (random(8), X, X, X), "query needs at least 2"),
    Refusal("nn::apply_rope_pair", "key rank", (X, random(8), X, X), "key needs at least 2"),
    Refusal("nn::apply_rope_pair", "torch", (X, random(1, 2, 3, 4), X, X), "Sizes of tensors"),
    Refusal(
        "nn::scaled_dot_product_attention",
        "torch",
        (X, random(1, 2, 3, 4), X, False),
        "Expected size",
    ),
    Refusal("nn::scaled_dot_product_attention", "torch", (X, X, X.half(), False), "dtype"),
    Refusal(
        "nn::scaled_dot_product_attention_masked", "torch", (X, X, X, ints([0])), "attn_mask dtype"
    ),
    Refusal("nn::conv1d", "torch", (*MIXED, None, 2, 2, 1, 4), "scalar type"),
    Refusal("nn::conv1d", "torch", (random(1, 4, 5), KERNEL, None, 0, 0, 1, 4), "stride"),
    Refusal("nn::conv1d_step", "shapes", (random(4, 2), COLUMN, KERNEL), WANTED),
    Refusal("nn::conv1d_step", "shapes", (STATE, COLUMN, random(4, 1, 2)), WANTED),
    Refusal(
        "nn::conv1d_step",
        "misfit",
        (random(1, 3, 2), COLUMN, KERNEL),
        "state [1, 3, 2] and input [1, 4, 1] do not fit",
    ),
    Refusal(
        "nn::conv2d",
        "absent",
        (IMAGE, "no", 1, 0, False, False),
        "no weight named 'no.weight'",
        HERE,
    ),
    *each(
        "nn::conv_transpose2d nn::batch_norm2d",
        "absent",
        (IMAGE, "no"),
        "no weight named 'no.",
        HERE,
    ),
    Refusal("nn::conv2d", "torch", (IMAGE, "conv", 1, 0, False, True), "channels", HERE),
    Refusal("nn::conv_transpose2d", "torch", (IMAGE, "conv"), "channels", HERE),
    Refusal("nn::batch_norm2d", "torch", (IMAGE, "norm"), "elements", HERE),
]

EXEMPT = Exempt(torch=because("it finds the faults before torch does", "nn::conv1d_step"))
