"""A step that is called a few times, recorded as a graph, and replayed from then on.

Nothing is done twice or thrown away: the calls before the recording are the first tokens. Source:
PyTorch's notes on CUDA graphs (warm-up on another stream, memory that stays in its place).
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any, Protocol, TypeAlias

import torch
from torch import Tensor

from flint.runtime.host import Refused
from flint.runtime.nn.traced import without_traces
from flint.runtime.op import reason
from flint.runtime.step_trace import StepTrace

Step: TypeAlias = Callable[[], object]

# Calls before a step is recorded. The first makes what is made once: tables, handles of libraries.
WARM_UPS = 3


class Graph(Protocol):
    """A recorded step."""

    def replay(self) -> None: ...


class Recorder(Protocol):
    """How a device records a step."""

    def warm_up(self, step: Step) -> None:
        """Call the step as it will be recorded."""

    def record(self, step: Step) -> Graph:
        """Record the step, without doing it."""


class CudaRecorder:
    """Records CUDA graphs, on a stream of its own: the default one cannot be recorded."""

    def __init__(self, device: torch.device) -> None:
        self._device = device
        cuda: Any = torch.cuda  # its annotations are incomplete
        self._stream = cuda.Stream(device)

    def warm_up(self, step: Step) -> None:
        stream = torch.cuda.current_stream(self._device)
        self._stream.wait_stream(stream)
        with torch.cuda.stream(self._stream):
            step()
        stream.wait_stream(self._stream)

    def record(self, step: Step) -> Graph:
        graph: Any = torch.cuda.CUDAGraph()
        failures: list[Exception] = []
        try:
            # a recording that fails leaves the stream that it set, the outer context does not
            with torch.cuda.stream(self._stream), self._recording(graph):
                try:
                    step()
                except Exception as error:
                    failures.append(error)
        except RuntimeError as error:  # often a consequence of the step's own failure
            failures.append(Refused(f"cannot record the step: {reason(error)}"))
        if failures:
            raise failures[0]
        recorded: Graph = graph
        return recorded

    def _recording(self, graph: Any) -> AbstractContextManager[None]:
        # "thread_local": other threads of the process may use the device meanwhile
        mode = "thread_local"
        return torch.cuda.graph(graph, stream=self._stream, capture_error_mode=mode)


class StepGraph:
    """One step. Without a recorder it is called every time, and checked all the same."""

    def __init__(self, name: str, recorder: Recorder | None) -> None:
        self._name = name
        self._recorder = recorder
        self._calls = 0
        self._trace: StepTrace | None = None
        self._graph: Graph | None = None
        self._outside: list[Tensor] = []  # what the graph uses must not be freed

    def run(self, step: Step) -> None:
        """Do the step: call it, or replay what was recorded."""
        self._calls += 1
        if self._graph is not None:
            self._graph.replay()
        elif self._calls <= WARM_UPS:
            with without_traces():
                self._warm_up(step)
        elif self._recorder is None:
            step()
        else:
            with without_traces():
                self._graph = self._recorder.record(step)
            self._trace = None
            self._graph.replay()

    def _warm_up(self, step: Step) -> None:
        observed = step if self._calls == 1 else lambda: self._observe(step)
        if self._recorder is None:
            observed()
        else:
            self._recorder.warm_up(observed)

    def _observe(self, step: Step) -> None:
        with StepTrace() as trace:
            step()
        difference = self._trace.difference(trace) if self._trace is not None else None
        if difference is not None:
            raise Refused(f"step {self._name!r} is not the same every time: {difference}")
        self._trace = trace
        self._outside = list(trace.outside.values())


class Steps:
    """The steps of one run, by name."""

    def __init__(self, recorder: Recorder | None) -> None:
        self._recorder = recorder
        self._graphs: dict[str, StepGraph] = {}
        self._running = False

    def run(self, name: str, step: Step) -> None:
        """Do the step of that name."""
        if self._running:
            raise Refused("a step cannot replay another one")
        self._running = True
        try:
            self._graph(name).run(step)
        finally:
            self._running = False

    def forget(self) -> None:
        """Record all steps anew: tensors that they use are in another place now."""
        self._graphs.clear()

    def _graph(self, name: str) -> StepGraph:
        if name not in self._graphs:
            self._graphs[name] = StepGraph(name, self._recorder)
        return self._graphs[name]


def recorder_for(device: torch.device) -> Recorder | None:
    """What records steps on the device, if anything does."""
    return CudaRecorder(device) if device.type == "cuda" else None
