"""Hot paths as TorchScript: traced and frozen once per kind of input, then called in one step.

`FLINT_TRACE=0` in the environment turns traces off; `python -m benchmarks traces` compares.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Lock
from typing import Any, TypeAlias

import torch
from torch import Tensor, nn

Function: TypeAlias = Callable[..., Any]
_jit: Any = torch.jit  # its annotations are incomplete
_is_tracing: Callable[[], bool] = torch._C._is_tracing

# Off for `0` and for an empty value; read once in a process.
ENABLED = os.environ.get("FLINT_TRACE", "1") not in ("", "0")

_paused = 0
_pause_lock = Lock()

# Elements of a tensor that takes much longer than a trace saves; to make one computes twice more.
_LARGE = 2**18
# A position of a model of usual size has less.
_FEW = 2**13


class _Body(nn.Module):
    """A function as a module, which is what can be frozen."""

    def __init__(self, function: Function) -> None:
        super().__init__()
        self._function = function

    def forward(self, *tensors: Tensor) -> Any:
        return self._function(*tensors)


class Traced:
    """A function of tensors; calls use the trace for their dtypes, ranks and device.

    Sizes may differ from call to call. A trace that disagrees with the function on the input it
    was made from is not used. `few`, if given, is called instead for a tensor of few elements, for
    which the call of a trace costs more than it saves.
    """

    def __init__(self, function: Function, few: Function | None = None) -> None:
        self.function, self.few = function, few
        self.traces: dict[tuple[object, ...], Function] = {}
        self._lock = Lock()

    def __call__(self, *tensors: Tensor) -> Any:
        if _paused or not ENABLED or _is_tracing() or torch.compiler.is_compiling():
            return self.function(*tensors)
        if self.few is not None and tensors[0].numel() < _FEW:
            return self._called(self.few, tensors)
        # Attention at one position takes 8 us: a list of tuples as key would add a third to it.
        kind: list[object] = [tensors[0].device]
        for tensor in tensors:
            kind += tensor.dtype, tensor.ndim
        trace = self.traces.get(key := tuple(kind))
        if trace is None:
            return self._first_call(key, tensors)
        return self._called(trace, tensors)

    def _called(self, function: Function, tensors: tuple[Tensor, ...]) -> Any:
        try:
            return function(*tensors)
        except RuntimeError:
            # The function itself says in one line what does not fit.
            return self.function(*tensors)

    def _first_call(self, key: tuple[object, ...], tensors: tuple[Tensor, ...]) -> Any:
        result = self.function(*tensors)
        if any(tensor.numel() > _LARGE for tensor in tensors):
            return result
        with self._lock:
            if key not in self.traces:
                trace = freeze(self.function, tensors)
                agrees = _same(trace(*tensors), result)
                self.traces[key] = trace if agrees else self.function
        return result


@contextmanager
def without_traces() -> Iterator[None]:
    """Call functions as they are meanwhile, in all threads: for code that records operations."""
    _pause(1)
    try:
        yield
    finally:
        _pause(-1)


def _pause(change: int) -> None:
    global _paused
    with _pause_lock:
        _paused += change


def freeze(function: Function, tensors: tuple[Tensor, ...]) -> Function:
    """The frozen trace of `function`, made from a call with these tensors."""
    with warnings.catch_warnings(), torch.no_grad():
        # torch.jit announces its end in every call.
        warnings.simplefilter("ignore")
        trace = _jit.trace(_Body(function).eval(), tensors, check_trace=False)
        graph = _jit.freeze(trace).graph.copy()
    # A frozen module has no state left; without it as an argument a call takes 5 us less.
    graph.eraseInput(0)
    frozen: Function = torch._C._create_function_from_graph(function.__name__, graph)
    return frozen


def _same(left: Any, right: Any) -> bool:
    if isinstance(left, Tensor):
        close = torch.allclose(left, right, rtol=1e-3, atol=1e-5, equal_nan=True)
        return left.dtype == right.dtype and left.shape == right.shape and close
    return all(map(_same, left, right))
