"""Tensors that are extended step by step: as `torch.cat`, without copying what is there."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import pytest
import torch
from torch import Tensor

from flint.runtime import context, growth, tensor
from tests.torch.support import random, refusal


@pytest.fixture(autouse=True)
def in_a_run() -> Iterator[None]:
    """Outside a run nothing grows."""
    with context._active(context.RunContext()):
        yield


def grown(steps: int, dim: int = 2, *shape: int) -> tuple[Tensor, Tensor]:
    """A tensor extended by single entries, and the same by `torch.cat` at once."""
    shape = shape or (1, 3, 1, 4)
    parts = [random(*shape, seed=seed) for seed in range(steps + 1)]
    result = parts[0]
    for part in parts[1:]:
        result = tensor.cat2(result, part, dim)
    return result, torch.cat(parts, dim)


@pytest.mark.parametrize("dim", [0, 1, 2, 3, -1, -2])
@pytest.mark.parametrize("steps", [1, 2, 3, 140, 300])
def test_is_what_cat_gives(steps: int, dim: int) -> None:
    result, expected = grown(steps, dim)
    assert torch.equal(result, expected)
    assert result.shape == expected.shape


def test_later_steps_copy_nothing_of_what_is_there() -> None:
    result, _ = grown(3)
    longer = tensor.cat2(result, random(1, 3, 1, 4), 2)
    assert longer.data_ptr() == result.data_ptr()


def test_copies_are_a_constant_share_of_the_entries() -> None:
    moves, result = 0, grown(2)[0]
    for step in range(3000):
        longer = tensor.cat2(result, random(1, 3, 1, 4, seed=step), 2)
        moves += longer.shape[2] if longer.data_ptr() != result.data_ptr() else 1
        result = longer
    assert moves < 6 * 3000


def test_two_ways_on_from_one_tensor() -> None:
    result, expected = grown(5)
    ones, twos = torch.ones(1, 3, 1, 4), torch.full((1, 3, 2, 4), 2.0)
    left, right = tensor.cat2(result, ones, 2), tensor.cat2(result, twos, 2)
    again = tensor.cat2(result, ones, 2)
    assert torch.equal(left, torch.cat((expected, ones), 2))
    assert torch.equal(right, torch.cat((expected, twos), 2))
    assert torch.equal(again, left)
    assert torch.equal(result, expected)


def test_a_part_of_the_tensor_goes_its_own_way() -> None:
    result, expected = grown(5)
    short = tensor.narrow(result, 2, 0, 4)
    other = tensor.cat2(tensor.cat2(short, short, 2), short, 2)
    assert torch.equal(other, torch.cat([expected[:, :, :4]] * 3, 2))
    assert torch.equal(result, expected)


def test_itself_as_what_is_added() -> None:
    result, expected = grown(4)
    assert torch.equal(tensor.cat2(result, result, 2), torch.cat((expected, expected), 2))


def test_views_that_a_tensor_without_spare_room_has() -> None:
    result, expected = grown(6)
    assert torch.equal(tensor.view2(result, 3, 28), expected.view(3, 28))
    inner = tensor.select(result, 0, 0)
    del result
    assert torch.equal(tensor.view2(inner, -1, 4), expected.view(-1, 4))


def test_views_that_no_tensor_has_are_still_refused() -> None:
    turned = tensor.transpose(random(2, 3), 0, 1)
    assert "view size is not compatible" in refusal(lambda: tensor.view2(turned, 1, 6))
    result, _ = grown(6)
    assert "invalid for input of size" in refusal(lambda: tensor.view2(result, 5, 5))


def test_dtypes_are_promoted_and_wrong_shapes_named() -> None:
    result, expected = grown(4)
    more = torch.ones(1, 3, 1, 4, dtype=torch.float64)
    joined = tensor.cat2(result, more, 2)
    assert joined.dtype == torch.float64
    assert torch.equal(joined, torch.cat((expected, more), 2))
    assert "Sizes of tensors must match" in refusal(
        lambda: tensor.cat2(result, torch.ones(1, 2, 1, 4), 2)
    )
    other = torch.ones(1, 3, 7, 1)
    assert torch.equal(
        tensor.cat2(result, other[:, :, :5], 3), torch.cat((expected, other[:, :, :5]), 3)
    )


def test_gradients_are_not_lost() -> None:
    result, _ = grown(4)
    wanted = torch.ones(1, 3, 1, 4, requires_grad=True)
    tensor.cat2(result, wanted, 2).sum().backward()
    assert wanted.grad is not None
    assert torch.equal(wanted.grad, torch.ones(1, 3, 1, 4))


def test_can_be_turned_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(growth, "ENABLED", False)
    result, expected = grown(9)
    assert result.is_contiguous()
    assert torch.equal(result, expected)


def test_any_order_of_extensions() -> None:
    """Every tensor of a tree of extensions keeps its entries."""
    made = {(): (tensor.cat2(random(1, 2), random(1, 2), 0), torch.cat((random(1, 2),) * 2))}
    for depth in range(1, 5):
        for path in itertools.product((0, 1), repeat=depth):
            result, expected = made[path[:-1]]
            part = random(1 + path[-1], 2, seed=hash(path) % 1000)
            made[path] = tensor.cat2(result, part, 0), torch.cat((expected, part))
    assert all(torch.equal(result, expected) for result, expected in made.values())


def test_outside_a_run_tensors_are_their_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(growth, "running", lambda: None)
    first, _ = grown(3)
    expected = first.clone()
    longer = tensor.cat2(first, random(1, 3, 1, 4), 2)
    first.zero_()
    assert torch.equal(longer[:, :, :4], expected)
