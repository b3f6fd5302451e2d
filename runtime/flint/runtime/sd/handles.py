"""What the four kinds of sd resources have in common (host-functions.md 3)."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import ClassVar

from flint.runtime.resources import Resource

# The order in which a run frees what its program left.
RELEASE_ORDER = ("image batch", "image parameter", "context parameter", "context")


class SdResource(Resource):
    """A resource of `flint::sd`; all kinds share one sequence of handle numbers."""

    family: ClassVar[str] = "sd"
    numbers: ClassVar[Iterator[int]] = itertools.count(1)

    def __init_subclass__(cls) -> None:
        cls.release_rank = RELEASE_ORDER.index(cls.kind)
