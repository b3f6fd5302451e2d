"""Recording and replaying a step: the order of things without a GPU, the real thing with one."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest
import torch

import flint
from flint.lang.errors import TypeMismatch
from flint.runtime import cache, fixed, graph, nn, program, tensor, tokenizer
from flint.runtime.context import current
from flint.runtime.host import Refused
from flint.runtime.nn import traced
from flint.runtime.session import Session
from flint.runtime.step_graph import WARM_UPS, CudaRecorder, Graph, Step, StepGraph, recorder_for
from flint.runtime.step_trace import StepTrace
from tests.torch.conftest import FLOATS
from tests.torch.support import in_run, ints, random, refusal


class FakeRecorder:
    """Writes down what it is asked for; recording does not call the step, as with CUDA."""

    def __init__(self) -> None:
        self.log: list[str] = []

    def warm_up(self, step: Step) -> None:
        self.log.append("warm up")
        step()

    def record(self, step: Step) -> Graph:
        self.log.append("record")
        return self

    def replay(self) -> None:
        self.log.append("replay")


@pytest.fixture
def recorder(monkeypatch: pytest.MonkeyPatch) -> FakeRecorder:
    """In place of a GPU, with the switch on."""
    fake = FakeRecorder()
    monkeypatch.setattr(graph, "recorder_for", lambda device: fake)
    monkeypatch.setenv(graph.VARIABLE, "1")
    return fake


def counting() -> bool:
    return fixed.advance("k", 1)


def replayed(times: int, step: Callable[[], bool] = counting) -> torch.Tensor:
    """What is kept under `k` after so many steps, from 0."""
    fixed.reserve("k", ints(0), 0, 1)
    for _ in range(times):
        graph.replay("s", step)
    return fixed.get("k")


def test_steps_are_recorded_once(recorder: FakeRecorder) -> None:
    done = in_run(lambda: replayed(WARM_UPS + 4))
    assert recorder.log == ["warm up"] * WARM_UPS + ["record"] + ["replay"] * 4
    assert done.item() == WARM_UPS  # the calls before the recording are steps like all others


def test_no_more_warm_ups_than_steps(recorder: FakeRecorder) -> None:
    in_run(lambda: replayed(2))
    assert recorder.log == ["warm up", "warm up"]


def test_steps_have_graphs_of_their_own(recorder: FakeRecorder) -> None:
    def both() -> None:
        fixed.reserve("k", ints(0), 0, 1)
        for _ in range(WARM_UPS + 1):
            graph.replay("s", counting)
            graph.replay("t", counting)

    in_run(both)
    assert (recorder.log.count("record"), recorder.log.count("replay")) == (2, 2)


def test_every_run_records_anew(recorder: FakeRecorder) -> None:
    for _ in range(2):
        in_run(lambda: replayed(WARM_UPS + 1))
    assert recorder.log.count("record") == 2


def test_a_new_place_is_recorded_anew(recorder: FakeRecorder) -> None:
    """The graph would go on with the tensor that was reserved before."""

    def moved() -> torch.Tensor:
        replayed(WARM_UPS + 1)
        return replayed(2)

    assert in_run(moved).item() == 2
    assert recorder.log[-2:] == ["warm up", "warm up"]


def test_the_graph_keeps_what_it_uses() -> None:
    """Also what the program has forgotten meanwhile: the graph has its address."""
    steps = StepGraph("s", FakeRecorder())
    table, place = random(4), torch.zeros(4)
    for _ in range(WARM_UPS + 1):
        steps.run(lambda: place.copy_(table * 2))
    kept = {held.data_ptr() for held in steps._outside}
    assert kept == {table.data_ptr(), place.data_ptr()}


def test_traces_pause_while_a_step_is_observed(recorder: FakeRecorder) -> None:
    """What TorchScript makes of a function may differ from call to call."""
    seen: list[int] = []

    def step() -> bool:
        seen.append(traced._paused)
        return True

    in_run(lambda: replayed(WARM_UPS, step))
    assert (seen, traced._paused) == ([1] * WARM_UPS, 0)


def test_a_failure_in_a_step_comes_through(recorder: FakeRecorder) -> None:
    def step() -> bool:
        fixed.get("nothing")
        return True

    assert (
        refusal(lambda: replayed(1, step)) == "flint::fixed::get: nothing reserved under 'nothing'"
    )
    assert traced._paused == 0


def test_the_switch_is_off_by_default(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(graph.VARIABLE, raising=False)
    monkeypatch.setattr(graph, "recorder_for", None)

    def steps() -> tuple[int, object]:
        return int(replayed(WARM_UPS + 4).item()), current().tensors.steps

    assert in_run(steps) == (WARM_UPS + 4, None)


def test_on_the_cpu_steps_are_called(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(graph.VARIABLE, "1")
    assert in_run(lambda: replayed(WARM_UPS + 4)).item() == WARM_UPS + 4


def test_scripts_pass_functions(recorder: FakeRecorder) -> None:
    """By name and as closures, also through parameters."""
    script = flint.compile_source("""
        use flint;
        fn step(name: string) -> bool { flint::fixed::advance(name, 1) }
        fn times(count: int, step: fn() -> bool) {
            for number in 0..count { flint::graph::replay("s", step); }
            null
        }
        flint::fixed::reserve("k", flint::tensor::arange(1), 0, 1);
        times(2, || step("k"));
        flint::graph::replay("t", || flint::fixed::advance("k", 10));
        println(flint::tensor::ints(flint::fixed::get("k"))[0]);
        """).program
    lines: list[str] = []
    flint.TorchScriptRunner("cpu").run_text(script, [], on_text=lines.append)
    assert recorder.log == ["warm up"] * 3


@pytest.mark.parametrize("given", [0, 1, "step", True, None])
def test_what_is_no_function(given: object) -> None:
    with pytest.raises(TypeMismatch, match="expected callable"):
        in_run(lambda: graph.replay("s", given))  # type: ignore[arg-type]


# -- what a step may do -------------------------------------------------------------------


def observed(function: Callable[[], object]) -> str:
    """The refusal of a step, when it is observed."""

    def step() -> bool:
        function()
        return True

    return refusal(lambda: replayed(2, step))


@pytest.mark.parametrize(
    ("function", "operation"),
    [
        (lambda: tensor.argmax_int(random(1, 4), -1), "aten._local_scalar_dense"),
        (lambda: tensor.item(random(1)), "aten._local_scalar_dense"),
        (lambda: random(3).nonzero(), "aten.nonzero"),
        (lambda: random(3)[random(3) > 0], "aten.index"),
        (lambda: bool(random(1) > 0), "aten._local_scalar_dense"),
        (lambda: torch.equal(random(1), random(1)), "aten.equal"),
        (lambda: random(3).unique(), "aten._unique2"),
        (lambda: random(2).repeat_interleave(ints(1, 2)), "aten.repeat_interleave"),
    ],
)
def test_a_step_cannot_wait_for_values(
    function: Callable[[], object], operation: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(graph.VARIABLE, "1")
    # the steps above make numbers of their own
    monkeypatch.setattr("flint.runtime.step_trace._FROM_NUMBERS", set())
    message = observed(function)
    assert f"a step that is replayed cannot wait for values, as {operation}" in message


def test_a_step_cannot_make_tensors_of_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(graph.VARIABLE, "1")
    message = observed(lambda: tokenizer.single_token(5))
    assert message == (
        "flint::tokenizer::single_token: a step that is replayed cannot make tensors of numbers"
        " that the host has"
    )


def test_a_step_cannot_move_values_to_another_device() -> None:
    """The `meta` device stands for one that is no CPU."""
    values = random(2)
    place = torch.empty(2, device="meta")
    expected = r"cannot move values, as aten\..*copy.*cpu and meta"
    with pytest.raises(Refused, match=expected), StepTrace():
        values.to("meta")
    with pytest.raises(Refused, match=expected), StepTrace():
        place.copy_(values)
    with StepTrace():
        place.mul_(2.0)


def test_numbers_differ(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(graph.VARIABLE, "1")
    counts = iter(range(9))

    def step() -> bool:
        return fixed.advance("k", next(counts))

    message = refusal(lambda: replayed(3, step))
    assert "operation 0 was aten.add_.Tensor(int64 [1] at 0x" in message
    assert ", 1), then" in message
    assert message.endswith(", 2)")


def test_counts_of_operations_differ() -> None:
    traces, values = [], random(2)
    for times in (1, 2):
        with StepTrace() as trace:
            for _ in range(times):
                values.neg()
        traces.append(trace)
    assert traces[0].difference(traces[1]) == "it had 1 operations, then 2"
    assert traces[0].difference(traces[0]) is None


def test_views_and_results_have_no_address() -> None:
    """Memory that a step makes may lie anywhere; what it is made by counts, and which part."""
    table = random(4, 6)

    def trace(column: int, source: torch.Tensor) -> StepTrace:
        with StepTrace() as trace:
            (source.narrow(1, column, 2) * 2).sum()
        return trace

    first, hold = trace(0, table), trace(0, table)
    assert first.difference(hold) is None
    assert "operation 0 was aten.slice" in str(trace(1, table).difference(first))
    assert "operation 0" in str(first.difference(trace(0, table.clone())))
    assert list(first.outside) == [table.data_ptr()]


# -- CUDA's part, without CUDA ----------------------------------------------------------------


class FakeCuda:
    """What `CudaRecorder` uses of torch.cuda: a log of it, and which stream is the current one."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.log: list[str] = []
        self.current = FakeStream(self, "main")
        self.ending: str | None = None
        monkeypatch.setattr(torch.cuda, "Stream", lambda device: FakeStream(self, "side"))
        monkeypatch.setattr(torch.cuda, "current_stream", lambda device: self.current)
        monkeypatch.setattr(torch.cuda, "stream", self.stream)
        monkeypatch.setattr(torch.cuda, "CUDAGraph", FakeRecorder)
        monkeypatch.setattr(torch.cuda, "graph", self.graph)

    @contextmanager
    def stream(self, stream: FakeStream) -> Iterator[None]:
        before, self.current = self.current, stream
        try:
            yield
        finally:
            self.current = before

    @contextmanager
    def graph(
        self, graph: FakeRecorder, stream: FakeStream, capture_error_mode: str
    ) -> Iterator[None]:
        """As torch's: the end of a failed recording raises, and leaves the stream as it is."""
        self.log.append(f"begin on {stream.name}, {capture_error_mode}")
        before, self.current = self.current, stream
        yield
        if self.ending is not None:
            raise RuntimeError(self.ending)
        self.current = before
        self.log.append("end")

    def step(self) -> bool:
        self.log.append(f"step on {self.current.name}")
        return True


class FakeStream:
    def __init__(self, cuda: FakeCuda, name: str) -> None:
        self.cuda, self.name = cuda, name

    def wait_stream(self, other: FakeStream) -> None:
        self.cuda.log.append(f"{self.name} waits for {other.name}")


@pytest.fixture
def cuda(monkeypatch: pytest.MonkeyPatch) -> FakeCuda:
    return FakeCuda(monkeypatch)


def test_cuda_warms_up_on_the_stream_that_records(cuda: FakeCuda) -> None:
    recorder = recorder_for(torch.device("cuda"))
    assert recorder is not None
    recorder.warm_up(cuda.step)
    recorder.record(cuda.step).replay()
    assert cuda.log == [
        *("side waits for main", "step on side", "main waits for side"),
        *("begin on side, thread_local", "step on side", "end"),
    ]


@pytest.mark.parametrize("device", ["cpu", "mps", "xpu"])
def test_other_devices_record_nothing(device: str) -> None:
    assert recorder_for(torch.device(device)) is None


@pytest.mark.parametrize("ending", [None, "operation failed due to a previous error"])
def test_the_failure_of_a_step_is_told(cuda: FakeCuda, ending: str | None) -> None:
    """And not the failure to end the recording, which follows from it."""
    cuda.ending = ending

    def step() -> bool:
        raise flint.HostError("flint::tensor::item: operation not permitted")

    with pytest.raises(flint.HostError, match="flint::tensor::item"):
        CudaRecorder(torch.device("cuda")).record(step)
    assert cuda.current.name == "main"


def test_a_recording_that_fails(cuda: FakeCuda) -> None:
    cuda.ending = "no memory"
    with pytest.raises(Refused, match="cannot record the step: no memory"):
        CudaRecorder(torch.device("cuda")).record(cuda.step)
    assert cuda.current.name == "main"


@pytest.mark.parametrize("dtype", FLOATS)
def test_a_norm_is_one_kernel(dtype: torch.dtype, monkeypatch: pytest.MonkeyPatch) -> None:
    """torch's own, which a GPU has one for; `meta` stands for it."""
    calls: list[torch.device] = []

    def rms_norm(tensor: torch.Tensor, *_: object) -> torch.Tensor:
        calls.append(tensor.device)
        return tensor

    monkeypatch.setattr(torch.nn.functional, "rms_norm", rms_norm)
    for device in ("meta", "cpu"):
        rows, weight = torch.ones(2, 8, dtype=dtype), torch.ones(8, dtype=dtype)
        nn.rms_norm(rows.to(device), weight.to(device), 1e-5)
    assert calls == [torch.device("meta")]


@pytest.mark.parametrize(("device", "waits"), [("cuda:1", 1), ("cpu", 0)])
def test_the_decode_timer_waits_for_the_prompt(
    device: str, waits: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A device that is behind the program would count the prompt as decoding."""
    waited: list[torch.device] = []
    monkeypatch.setattr(torch.cuda, "is_initialized", lambda: True)
    monkeypatch.setattr(torch.cuda, "synchronize", waited.append)
    assert in_run(program.start_decode_timer, session=Session(torch.device(device)))
    assert waited == [torch.device(device)] * waits


# -- on a GPU -------------------------------------------------------------------------------


@pytest.mark.cuda
@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a CUDA device; there is none")
def test_a_real_graph_is_recorded_and_replayed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(graph.VARIABLE, "1")
    calls: list[int] = []

    def step() -> bool:
        calls.append(1)
        cache.set("x", tensor.neg(fixed.get("k")))
        return fixed.advance("k", 1)

    def run() -> int:
        fixed.reserve("k", ints(0).cuda(), 0, 1)
        for _ in range(20):
            graph.replay("s", step)
        return tensor.ints(fixed.get("k"))[0]

    assert in_run(run, session=Session("cuda")) == 20
    assert len(calls) == WARM_UPS + 1  # the last one is the recording


@pytest.mark.cuda
@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a CUDA device; there is none")
def test_what_cannot_be_recorded_is_told() -> None:
    value = ints(3).cuda()
    with pytest.raises(flint.HostError, match="flint::tensor::item"):
        CudaRecorder(value.device).record(lambda: tensor.item(value))
