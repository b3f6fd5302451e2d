"""What the eleven kinds of llama resources have in common (host-functions.md 4)."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import ClassVar

from flint.runtime.resources import Resource

# The order in which a run frees what its program left: users before what they use.
RELEASE_ORDER = (
    "sampler",
    "batch",
    "decoder",
    "tokens",
    "chat messages",
    "chat template",
    "context params",
    "context",
    "model params",
    "model",
    "backend",
)


class LlamaResource(Resource):
    """A resource of `flint::llama`; all kinds share one sequence of handle numbers."""

    family: ClassVar[str] = "llama"
    numbers: ClassVar[Iterator[int]] = itertools.count(1)

    def __init_subclass__(cls) -> None:
        if cls.kind in RELEASE_ORDER:
            cls.release_rank = RELEASE_ORDER.index(cls.kind)
