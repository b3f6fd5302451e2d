"""`flint::runtime`, `flint::cache` and `flint::pair` (host-functions.md 1, 5, 8)."""

from __future__ import annotations

from typing import Any

import torch

from flint.runtime import cache, program, tokenizer
from flint.runtime.context import current
from flint.runtime.pair import Pair
from tests.torch.case import Case, Exempt, Refusal, World, because, each, floats
from tests.torch.support import random

X, Y = random(2, 3), random(4)
GIVEN = World(args=("a", "-12", "2.5e1", ""))
TEXTS = World(args=("x", "", "9223372036854775808", "-9223372036854775809", "1_0"))
INPUTS = World(inputs=(X, Y))
STORED = World(before=lambda: cache.set("k", X))
INT_OF = "runtime::arg_int_or"


def kept(tensor: torch.Tensor) -> World:
    return World(before=lambda: cache.set("k", tensor))


def ran(seconds: float | None) -> bool:
    return seconds is not None and seconds >= 0


CASES: list[Case] = [
    Case("runtime::args", (), ["a", "-12", "2.5e1", ""], world=GIVEN),
    Case("runtime::arg", (0,), "a", world=GIVEN),
    Case("runtime::arg", (3,), "", world=GIVEN),
    Case("runtime::arg_or", (1, "no"), "-12", world=GIVEN),
    Case("runtime::arg_or", (4, "no"), "no", world=GIVEN),
    Case("runtime::arg_int", (1,), -12, world=GIVEN),
    Case("runtime::arg_int_or", (1, 5), -12, world=GIVEN),
    Case("runtime::arg_int_or", (4, 5), 5, world=GIVEN),
    Case("runtime::arg_float_or", (2, 0.5), 25.0, world=GIVEN),
    Case("runtime::arg_float_or", (4, 5), 5.0, world=GIVEN),
    Case("runtime::input", (1,), Y, world=INPUTS),
    Case("runtime::set_output", (Y,), Y, after=lambda _: current().output_tensor),
    Case("runtime::set_text_output", ("new",), "new", after=lambda _: current().result().text),
    # X and Y are inputs, the third is given twice
    Case("runtime::compact2", (random(1), X), 3, world=INPUTS),
    Case("runtime::compact2", (0, 77), 0),
    Case("runtime::start_timer", (), True, after=lambda _: ran(current().result().elapsed)),
    Case(
        "runtime::start_timer",
        (),
        (None, None, None, []),
        world=World(
            before=lambda: (
                tokenizer.push_generated_token_tensor(tokenizer.single_token(5)),
                program.start_decode_timer(),
                program.set_token_count(4),
                program.set_decode_token_count(3),
            )
        ),
        after=lambda _: (
            current().generated_tokens,
            current().decode_start,
            current().decode_tokens,
            current().tensors.generated,
        ),
    ),
    Case(
        "runtime::start_decode_timer",
        (),
        (True, None),
        world=World(before=lambda: program.set_decode_token_count(3)),
        after=lambda _: (ran(current().result().decode_elapsed), current().decode_tokens),
    ),
    Case("runtime::set_token_count", (7,), 7, after=lambda _: current().result().generated_tokens),
    Case(
        "runtime::set_decode_token_count",
        (6,),
        6,
        after=lambda _: current().result().decode_tokens,
    ),
    Case("cache::has", ("k",), True, world=STORED),
    Case("cache::has", ("",), False, world=STORED),
    *(
        case
        for dtype in (torch.float32, torch.bfloat16, torch.float16)
        for case in (
            Case("cache::get", ("k",), X.to(dtype), dtype, world=kept(X.to(dtype))),
            Case(
                "cache::set",
                ("k", Y.to(dtype)),
                Y.to(dtype),
                dtype,
                world=STORED,
                after=lambda _: cache.get("k"),
            ),
        )
    ),
    Case("cache::clear", (), False, world=STORED, after=lambda _: cache.has("k")),
    *floats("pair::new", lambda t: (X.to(t), Y.to(t)), lambda x, y: (x, y)),
    Case("pair::new", (X, None), Pair(X, None)),
    Case("pair::new", (X, 0), Pair(X, None)),
    *floats("pair::local", lambda t: (Pair(X.to(t), Y.to(t)),), lambda pair: pair.local),
    *floats("pair::global", lambda t: (Pair(X.to(t), Y.to(t)),), lambda pair: pair.global_),
    Case("pair::global", (Pair(X, None),), None),
]


def parses(name: str, world: World, *rest: Any) -> list[Refusal]:
    """What an int argument cannot be, by place in `world`."""
    faults = {
        "no number": (0, "'x' is not a number"),
        "empty": (1, "it is empty"),
        "too large": (2, "too large for 64 bits"),
        "too small": (3, "too small for 64 bits"),
    }
    says = "script argument {} cannot be read as int: {}"
    return [
        Refusal(name, error, (at, *rest), says.format(at, why), world)
        for error, (at, why) in faults.items()
    ]


NEGATIVE = "negative argument index -1"
REFUSALS: list[Refusal] = [
    *each("runtime::arg runtime::arg_int", "negative index", (-1,), NEGATIVE),
    Refusal("runtime::arg_or", "negative index", (-1, "d"), NEGATIVE),
    *each("runtime::arg_int_or runtime::arg_float_or", "negative index", (-1, 5), NEGATIVE),
    *each("runtime::arg runtime::arg_int", "too few", (4,), "no script argument 4; 4 given", GIVEN),
    *parses("runtime::arg_int", TEXTS),
    *parses("runtime::arg_int_or", TEXTS, 5),
    Refusal("runtime::arg_int", "no number", (4,), "'1_0' is not a number", TEXTS),
    Refusal("runtime::arg_float_or", "no number", (4, 1.0), "be read as float: '1_0' is", TEXTS),
    Refusal("runtime::arg_float_or", "empty", (1, 1.0), "be read as float: it is empty", TEXTS),
    Refusal("runtime::input", "negative index", (-1,), "negative input"),
    Refusal("runtime::input", "too few", (2,), "no input 2; the host supplies 2", INPUTS),
    Refusal("runtime::fail", "always", ("no such mode",), "flint::runtime::fail: no such mode"),
    Refusal("runtime::set_token_count", "negative", (-1,), "negative token count -1"),
    Refusal("runtime::set_decode_token_count", "negative", (-2,), "negative decode count -2"),
    Refusal("cache::get", "absent", ("no",), "nothing cached under 'no'", STORED),
]

EXEMPT = Exempt(
    values={"runtime::fail": "it always fails"},
    floats=because(
        "it hands on a tensor of any type as it is",
        "runtime::input runtime::set_output runtime::compact2",
    ),
)
