"""`flint::cache`, `flint::pair` and the tensors of `flint::runtime`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import save_file

import flint
from flint.runtime import cache, pair, program, tensor, tokenizer, weights
from flint.runtime.context import current
from flint.runtime.session import Session
from tests.torch.support import in_run, random, refusal

untyped_pair: Any = pair
untyped_cache: Any = cache


def test_cache_keeps_the_tensor_itself() -> None:
    x, y = random(2), random(2, seed=1)

    def main() -> list[Any]:
        cache.set("a", x)
        cache.set("b", x)
        cache.set("a", y)
        found = [cache.has("a"), cache.has("c"), cache.get("a") is y, cache.get("b") is x]
        program.compact2(0, 0)  # type: ignore[arg-type]
        found.append(cache.get("a") is y)
        cache.clear()
        return [*found, cache.has("a")]

    assert in_run(main) == [True, False, True, True, True, False]


def test_cache_is_empty_in_the_next_run() -> None:
    session = Session("cpu")
    in_run(lambda: cache.set("a", random(2)), session=session)
    assert not in_run(lambda: cache.has("a"), session=session)
    assert refusal(lambda: cache.get("a"), session) == "flint::cache::get: nothing cached under 'a'"


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        (5, "no tensor with handle 5"),
        (None, "no tensor with handle 0"),
        (pair.Pair(random(1), None), "a Pair is no tensor"),
    ],
)
def test_no_tensor(value: object, reason: str) -> None:
    assert refusal(lambda: untyped_cache.set("a", value)) == f"flint::cache::set: tensor: {reason}"
    assert refusal(lambda: untyped_pair.new(value, 0)) == f"flint::pair::new: local: {reason}"


def test_static_families_name_the_type_only() -> None:
    with pytest.raises(flint.ScriptError, match=r"^type mismatch: expected int"):
        in_run(lambda: untyped_cache.set("a", "text"))
    with pytest.raises(flint.ScriptError, match=r"^type mismatch: expected string"):
        in_run(lambda: untyped_cache.get(1))


def test_pair() -> None:
    x, y = random(2), random(3)
    both = in_run(lambda: pair.new(x, y))
    assert in_run(lambda: pair.local(both)) is x
    assert in_run(lambda: pair.global_(both)) is y
    assert in_run(lambda: pair.global_(pair.new(x, None))) is None
    assert in_run(lambda: pair.global_(untyped_pair.new(x, 0))) is None


@pytest.mark.parametrize("function", [pair.local, pair.global_])
def test_no_pair(function: Any) -> None:
    name = function.__name__.removesuffix("_")
    assert refusal(lambda: function(3)) == f"flint::pair::{name}: pair: no pair with handle 3"
    assert refusal(lambda: function(random(1))) == f"flint::pair::{name}: pair: a Tensor is no pair"


def test_compact2_counts_used_weights(tmp_path: Path) -> None:
    path = str(tmp_path / "w.safetensors")
    save_file({name: random(2) for name in "abc"}, path)
    x, y = random(2), random(2)

    def main() -> list[int]:
        weights.load(path)
        first = [program.compact2(x, y), program.compact2(x, x)]
        weights.get("a")
        weights.get("a")
        weights.get("b")
        program.set_output(y)
        counted = program.compact2(x, weights.get("a"))
        return [*first, counted, current().tensors.weights["a"] is weights.get("a")]

    assert in_run(main) == [2, 1, 4, True]


def test_inputs() -> None:
    image = random(1, 3, 2, 2)
    assert in_run(lambda: program.input(0), inputs=[image]) is image
    assert refusal(lambda: program.input(0)).endswith("no input 0; the host supplies 0")


def test_runs_have_no_gradients() -> None:
    x = random(2).requires_grad_()
    assert not in_run(lambda: tensor.mul(x, x)).requires_grad


def test_functions_without_state_work_outside_a_run() -> None:
    # so that torch.compile and torch.export can be applied to generated functions
    assert tensor.add(torch.ones(1), torch.ones(1)).tolist() == [2]
    with pytest.raises(flint.HostError, match="only during a run"):
        tensor.arange(3)


def test_start_timer_forgets_generated_tokens() -> None:
    def main() -> list[Any]:
        tokenizer.push_generated_token_tensor(tokenizer.single_token(5))
        program.start_timer()
        return list(current().tensors.generated)

    assert in_run(main) == []
