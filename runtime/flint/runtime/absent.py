"""The stand-in for a weight that the checkpoint lacks (host-functions.md 7.4)."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, eq=False)
class AbsentWeight:
    """What `weights::get_optional` gives instead of a tensor.

    `handle` is the negative number that programs see; using it as a tensor is an error.
    """

    handle: int
    name: str

    def __repr__(self) -> str:
        return f"<absent weight {self.name}>"
