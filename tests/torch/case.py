"""Tables of single calls: `test_cases` runs them, `test_checklist` counts them by function.

A module `cases_*.py` holds three: `CASES` (values by independent formulas), `REFUSALS` (errors) and
`EXEMPT` (why a function needs none of something).
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias

import torch
from safetensors.torch import save_file
from tokenizers import Tokenizer

import flint
from flint.runtime import tokenizer, weights
from flintc import catalogue
from tests.torch.conftest import FLOATS
from tests.torch.support import in_run

Args: TypeAlias = tuple[Any, ...] | Callable[[Path], tuple[Any, ...]]
"""The arguments, or what makes them inside the run, given an empty folder."""

CATALOGUE = catalogue.load(Path(flint.__file__).parent.parent)


@dataclass(frozen=True, kw_only=True)
class World:
    """What there is before a call: script arguments, inputs, files that were loaded."""

    args: tuple[str, ...] = ()
    inputs: tuple[torch.Tensor, ...] = ()
    weights: Mapping[str, torch.Tensor] = field(default_factory=dict)
    tokenizer: Callable[[], Tokenizer] | None = None
    variables: Mapping[str, str] = field(default_factory=dict)
    before: Callable[[], object] = lambda: None

    def enter(self, folder: Path) -> None:
        """Load the files and make the earlier calls, in the run."""
        if self.weights:
            path = folder / "weights.safetensors"
            save_file(dict(self.weights), path)
            weights.load(str(path))
        if self.tokenizer is not None:
            path = folder / "tokenizer.json"
            self.tokenizer().save(str(path))
            tokenizer.load(str(path))
        self.before()


EMPTY = World()


@dataclass(frozen=True)
class Case:
    """One call of `flint::<name>` and what it has to give.

    `expected` is the value, or a formula that computes it with numpy from the arguments; `result`
    is the type of the tensors in it. `dtype` is the float type that the case is about. `after`
    gives the value to compare where a function works by its effect.
    """

    name: str
    args: Args
    expected: Any
    dtype: torch.dtype | None = None
    result: torch.dtype | None = None
    world: World = EMPTY
    after: Callable[[Path], Any] | None = None


@dataclass(frozen=True)
class Refusal:
    """One call of `flint::<name>` that has to fail with a message that contains `says`.

    `error` is its key in host_functions.toml, or `torch` where torch finds the fault: then the
    message has to show all arguments.
    """

    name: str
    error: str
    args: Args
    says: str
    world: World = EMPTY


@dataclass(frozen=True)
class Exempt:
    """Reasons, by function, why it needs no value, no refusal by torch, or no float types."""

    values: Mapping[str, str] = field(default_factory=dict)
    torch: Mapping[str, str] = field(default_factory=dict)
    floats: Mapping[str, str] = field(default_factory=dict)


def floats(
    name: str,
    args: Callable[[torch.dtype], tuple[Any, ...]],
    expected: Any,
    result: torch.dtype | None = None,
    types: tuple[torch.dtype, ...] = FLOATS,
    **rest: Any,
) -> Iterator[Case]:
    """A case for each float type; the result has that type too, unless `result` names another."""
    for dtype in types:
        yield Case(name, args(dtype), expected, dtype, result or dtype, **rest)


def each(names: str, error: str, args: Args, says: str, world: World = EMPTY) -> Iterator[Refusal]:
    """The same refusal by several functions."""
    for name in names.split():
        yield Refusal(name, error, args, says, world)


def because(why: str, names: str) -> dict[str, str]:
    """One reason for several functions."""
    return dict.fromkeys(names.split(), why)


def described(name: str) -> catalogue.HostFunction:
    """The host function's signature and text."""
    function = CATALOGUE.find(f"flint::{name}")
    assert function is not None, name
    return function


def implementation(name: str) -> Any:
    """The Python function behind `flint::<name>`."""
    function = described(name)
    return getattr(importlib.import_module(function.module), function.name)


def called(
    name: str,
    args: Args,
    world: World,
    folder: Path,
    after: Callable[[Path], Any] | None = None,
) -> tuple[tuple[Any, ...], Any]:
    """The arguments of a call in its world, and its result (or what there is `after` it)."""

    def main() -> tuple[tuple[Any, ...], Any]:
        world.enter(folder)
        values = args(folder) if callable(args) else args
        result = implementation(name)(*values)
        return values, result if after is None else after(folder)

    return in_run(main, *world.args, inputs=world.inputs)
