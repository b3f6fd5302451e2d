"""What a step does, operation by operation: to tell whether replaying is the same as doing it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import torch
from torch import Tensor
from torch.utils._python_dispatch import TorchDispatchMode

from flint.runtime.host import Refused
from flint.runtime.int8_weight import Int8Weight

_VALUE_TAGS = {torch.Tag.data_dependent_output, torch.Tag.dynamic_output_shape}
# what `torch.tensor` does with the numbers it is given
_FROM_NUMBERS = {torch.ops.aten.lift_fresh.default}
_COPY = torch.ops.aten._to_copy.default


class TensorUse(NamedTuple):
    """A tensor as an argument: its form, and where its memory comes from.

    `origin` is the number of the operation that made the memory, or the address of memory that was
    there before the step.
    """

    dtype: str
    shape: tuple[int, ...]
    stride: tuple[int, ...]
    offset: int
    origin: str

    def __str__(self) -> str:
        return f"{self.dtype} {list(self.shape)} {self.origin}"


class Operation(NamedTuple):
    """An operation of torch with its arguments; numbers and texts are among them as they are."""

    name: str
    arguments: tuple[object, ...]

    def __str__(self) -> str:
        return f"{self.name}({', '.join(map(str, self.arguments))})"


class StepTrace(TorchDispatchMode):  # type: ignore[no-untyped-call]
    """Records the operations that are done in it, as a context.

    `outside` are the tensors they use that were there before, by address. Operations whose outcome
    depends on values that the host has, or would wait for, are refused.
    """

    only_watches = True  # see `eager`

    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.operations: list[Operation] = []
        self.outside: dict[int, Tensor] = {}
        self._made: dict[int, str] = {}
        # as long as a result is held, no other one can have its address
        self._held: list[object] = []

    def __torch_dispatch__(
        self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: Any = None
    ) -> Any:
        kwargs = kwargs or {}
        _require_no_values(func)
        arguments = tuple(self._described(leaf) for leaf in _leaves((args, kwargs)))
        result = func(*args, **kwargs)
        _require_one_device(func, (args, kwargs, result if func is _COPY else None))
        number = len(self.operations)
        self.operations.append(Operation(str(func), arguments))
        for tensor in _tensors(result):
            address = _address(tensor)
            if address not in self.outside:
                self._made.setdefault(address, f"made by operation {number}")
        self._held.append(result)
        return result

    def __exit__(self, *exception: Any) -> None:
        super().__exit__(*exception)  # type: ignore[no-untyped-call]
        self._held.clear()

    def difference(self, other: StepTrace) -> str | None:
        """The first operation that differs in `other`, as a sentence; None if there is none."""
        for number, (mine, its) in enumerate(zip(self.operations, other.operations, strict=False)):
            if mine != its:
                return f"operation {number} was {mine}, then {its}"
        counts = len(self.operations), len(other.operations)
        return (
            None if counts[0] == counts[1] else f"it had {counts[0]} operations, then {counts[1]}"
        )

    def _described(self, leaf: object) -> object:
        if not isinstance(leaf, Tensor):
            return leaf if isinstance(leaf, int | float | str | None) else str(leaf)
        address = _address(leaf)
        if address not in self._made:
            self.outside.setdefault(address, leaf)
        origin = self._made.get(address, f"at {address:#x}")
        dtype = str(leaf.dtype).removeprefix("torch.")
        offset = int(leaf.storage_offset())
        return TensorUse(dtype, tuple(leaf.shape), leaf.stride(), offset, origin)


def _require_no_values(func: Any) -> None:
    if _VALUE_TAGS.intersection(func.tags):
        raise Refused(f"a step that is replayed cannot wait for values, as {func} does")
    if func in _FROM_NUMBERS:
        raise Refused("a step that is replayed cannot make tensors of numbers that the host has")


def _require_one_device(func: Any, values: object) -> None:
    """Numbers become tensors of rank 0 on the CPU, which every device takes."""
    devices = {t.device.type for t in _tensors(values) if t.dim() or t.device.type != "cpu"}
    if len(devices) > 1:
        places = " and ".join(sorted(devices))
        raise Refused(f"a step that is replayed cannot move values, as {func} does ({places})")


def _address(tensor: Tensor) -> int:
    if isinstance(tensor, Int8Weight):
        tensor = tensor.blocks
    return tensor.untyped_storage().data_ptr()


def _tensors(value: object) -> Iterator[Tensor]:
    return (leaf for leaf in _leaves(value) if isinstance(leaf, Tensor))


def _leaves(value: object) -> Iterator[object]:
    if isinstance(value, list | tuple):
        for item in value:
            yield from _leaves(item)
    elif isinstance(value, dict):
        for key, item in value.items():
            yield key
            yield from _leaves(item)
    else:
        yield value
