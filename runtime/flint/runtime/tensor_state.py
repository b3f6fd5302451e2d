"""What one run keeps of tensors beside the program's own variables (host-functions.md 0.4)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from torch import Tensor

    from flint.runtime.step_graph import Steps
    from flint.runtime.token_stream import TokenStream

RopeKey = tuple[str, int, float]
"""Kind of table (`cos` or `sin`), head size, theta."""


@dataclass(slots=True)
class TensorState:
    """Fresh for every run.

    `weights` holds the weights that the program asked for, by the names it used; `absent` counts
    the optional weights that were not there. `fixed` holds tensors that are changed in their place.
    `signed_sines` is the last table of `apply_rope`, its version, and what was made of it.
    """

    cache: dict[str, Tensor] = field(default_factory=dict)
    fixed: dict[str, Tensor] = field(default_factory=dict)
    steps: Steps | None = None
    generated: list[Tensor] = field(default_factory=list)
    rope_tables: dict[RopeKey, Tensor] = field(default_factory=dict)
    signed_sines: tuple[Tensor, int, Tensor] | None = None
    weights: dict[str, Tensor] = field(default_factory=dict)
    absent: int = 0
    token_stream: TokenStream | None = None

    def start_generation(self) -> None:
        """Forget the tokens that were generated so far."""
        self.generated.clear()
        self.token_stream = None
