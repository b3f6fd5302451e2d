"""`flint::pair`: two tensors in one value, the second one optional (host-functions.md 8)."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from flint.runtime.host import host

if TYPE_CHECKING:
    from torch import Tensor


class Pair(NamedTuple):
    """Two tensors; what they mean is up to the function that made the pair."""

    local: Tensor
    global_: Tensor | None


@host
def new(local: Tensor, global_: Tensor | None) -> Pair:
    """Return a pair of `local` and `global`; 0 stands for no second tensor."""
    return Pair(local, global_)


@host
def local(pair: Pair) -> Tensor:
    """Return the first tensor of the pair, the very one that was put in."""
    return pair.local


@host
def global_(pair: Pair) -> Tensor:
    """Return the second tensor of the pair, 0 if it has none (only `new` makes such pairs)."""
    # Typed as a tensor, which it is in the pairs of all other functions.
    return pair.global_  # type: ignore[return-value]
