"""A recorder that needs no GPU: operations of a step, done again on the very same tensors.

It has what makes CUDA graphs hard: recording does nothing, and replaying neither calls the step nor
looks for tensors; numbers and places are those of the recording.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from torch import Tensor
from torch.utils._python_dispatch import TorchDispatchMode

from flint.runtime.context import current
from flint.runtime.step_graph import Graph, Step


class Tape(TorchDispatchMode):
    """Records operations with their results, and does them again."""

    def __init__(self) -> None:
        super().__init__()
        self._calls: list[tuple[Any, Any, Any, Any]] = []

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        result = func(*args, **(kwargs or {}))
        self._calls.append((func, args, kwargs or {}, result))
        return result

    def replay(self) -> None:
        for func, args, kwargs, result in self._calls:
            again = func(*args, **kwargs)
            for there, new in zip(tensors(result), tensors(again), strict=True):
                if there.data_ptr() != new.data_ptr():  # else a view, or changed in its place
                    there.copy_(new)


class TapeRecorder:
    """Counts how often it warms up, records and replays."""

    def __init__(self) -> None:
        self.warm_ups = 0
        self.tapes: list[CountedTape] = []

    def warm_up(self, step: Step) -> None:
        self.warm_ups += 1
        step()

    def record(self, step: Step) -> Graph:
        kept = current().tensors.fixed
        before = {name: tensor.clone() for name, tensor in kept.items()}
        with CountedTape() as tape:
            step()
        for name, tensor in before.items():
            kept[name].copy_(tensor)
        self.tapes.append(tape)
        return tape


class CountedTape(Tape):
    def __init__(self) -> None:
        super().__init__()
        self.replays = 0

    def replay(self) -> None:
        self.replays += 1
        super().replay()


def tensors(value: object) -> Iterator[Tensor]:
    """The tensors in a result."""
    if isinstance(value, Tensor):
        yield value
    elif isinstance(value, list | tuple):
        for item in value:
            yield from tensors(item)
