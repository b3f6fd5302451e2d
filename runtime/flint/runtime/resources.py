"""Handles of native resources: the objects that programs pass around and free."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from flint.runtime.context import current


class Resource:
    """A resource with a number that is never used again; it belongs to the run that made it.

    A family of kinds states its name and its number sequence, a kind its name and
    `release_rank`: a run frees lower ranks first. `gone` is None while the resource is usable,
    then the reason why it is not.
    """

    family: ClassVar[str]
    numbers: ClassVar[Iterator[int]]
    kind: ClassVar[str]
    release_rank: int

    def __init__(self) -> None:
        self.handle = next(self.numbers)
        self.gone: str | None = None
        self._run = current()
        self._run.adopt(self)

    @classmethod
    def title(cls) -> str:
        """Family and kind, as error messages name it."""
        return f"{cls.family} {cls.kind}"

    def close(self, why: str = "already freed") -> None:
        """Free the native part, once; `why` is what a later use is told."""
        if self.gone is None:
            self.gone = why
            self._run.forget(self)
            self._release()

    def _release(self) -> None:
        """Free the native part, if there is one."""

    def __str__(self) -> str:
        return str(self.handle)

    def __repr__(self) -> str:
        state = "" if self.gone is None else f", {self.gone}"
        return f"<{self.title()} {self.handle}{state}>"
