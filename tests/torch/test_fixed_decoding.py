"""Decoding by a step that never changes: the tokens of growing decoding and of transformers.

No operation of it depends on what the host knows, so a GPU can replay it as one graph. There need
not be a GPU for these tests.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import save_file
from torch.utils._python_dispatch import TorchDispatchMode

import flint
from flint.runtime import (
    cache,
    fixed,
    ggml_graph,
    graph,
    nn,
    step_graph,
    tensor,
    tokenizer,
    weights,
)
from flint.runtime.context import current
from flint.runtime.pair import Pair
from flint.runtime.step_graph import WARM_UPS, Step
from generated import lfm2
from generated.layers import fixed_decoding
from generated.layers import lfm2 as decoder
from tests.torch.support import in_run, ints, random, refusal
from tests.torch.taped import TapeRecorder
from tests.torch.test_lfm2 import Tiny, text_of

WAITS = {torch.Tag.data_dependent_output, torch.Tag.dynamic_output_shape}
FROM_NUMBERS = "aten.lift_fresh.default"
Operations = list[tuple[object, ...]]


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Tiny:
    return Tiny(tmp_path_factory.mktemp("lfm2"))


@pytest.fixture
def graphs(monkeypatch: pytest.MonkeyPatch) -> None:
    """The switch is on."""
    monkeypatch.setenv(graph.VARIABLE, "1")


@pytest.fixture
def recorder(graphs: None, monkeypatch: pytest.MonkeyPatch) -> TapeRecorder:
    """In place of a GPU. Everything is torch's, since what ggml computes could not be recorded."""
    tapes = TapeRecorder()
    monkeypatch.setattr(graph, "recorder_for", lambda device: tapes)
    monkeypatch.setattr(ggml_graph, "ENABLED", False)
    return tapes


def answered(tiny: Tiny, count: int, ignore_eos: bool = True, weights: str | None = None) -> Any:
    arguments = tiny.arguments(count, str(int(ignore_eos)))
    arguments[0] = weights or arguments[0]
    return flint.TorchScriptRunner("cpu").run_text(lfm2, arguments)


# -- the same tokens ------------------------------------------------------------------------


@pytest.mark.parametrize("count", [1, 2, 8, 9, 64])
def test_tokens_of_transformers(tiny: Tiny, graphs: None, count: int) -> None:
    output = answered(tiny, count)
    assert output.text == text_of(tiny.expected(count))
    assert (output.generated_tokens, output.decode_tokens) == (count, count - 1)
    assert (output.decode_elapsed is None) == (count == 1)


def test_nothing_to_generate(tiny: Tiny, graphs: None) -> None:
    output = answered(tiny, 0)
    assert (output.text, output.generated_tokens, output.decode_tokens) == ("", 0, 0)


@pytest.mark.parametrize("kind", ["float", "bf16", "half"])
def test_tokens_of_growing_decoding(tiny: Tiny, kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KOHARU_TORCH_WEIGHT_KIND", kind)
    growing = answered(tiny, 24).text
    monkeypatch.setenv(graph.VARIABLE, "1")
    assert answered(tiny, 24).text == growing


@pytest.mark.parametrize("at", [0, 1, 6, 7, 8, 15])
def test_the_end_of_the_turn(
    tiny: Tiny, graphs: None, at: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Wherever it comes among the tokens that are looked at together."""
    chosen = tiny.expected(32)
    end = chosen[at]
    monkeypatch.setattr(tokenizer, "is_eos", lambda token: token == end)
    output = answered(tiny, 32, ignore_eos=False)
    length = chosen.index(end) + 1
    assert output.text == text_of(chosen[:length])
    assert (output.generated_tokens, output.decode_tokens) == (length, length - 1)


@pytest.mark.usefixtures("graphs")
def test_text_comes_in_stretches(tiny: Tiny) -> None:
    parts: list[str] = []
    runner = flint.TorchScriptRunner("cpu")
    output = runner.run_text(lfm2, tiny.arguments(20, "1"), on_text=parts.append)
    assert output.text.startswith("".join(parts))
    assert len(parts) > 1


def test_a_second_answer_in_one_run(tiny: Tiny, recorder: TapeRecorder) -> None:
    """The first one's places and graphs are not in its way."""

    def answers() -> list[str]:
        weights.load(tiny.weights)
        tokenizer.load(tiny.tokenizer)
        prompt = torch.tensor([tiny.prompt()])
        rest = decoder.embed(prompt, "model."), "model.", 16, True
        return [decoder.answer(prompt, *rest) for _ in range(2)]

    assert in_run(answers) == [text_of(tiny.expected(16))] * 2
    assert [tape.replays for tape in recorder.tapes] == [15 - WARM_UPS] * 2


def test_growing_decoding_reserves_nothing(tiny: Tiny, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(graph.VARIABLE, raising=False)
    monkeypatch.setattr(fixed, "reserve", None)
    monkeypatch.setattr(graph, "replay", None)
    assert answered(tiny, 4).text == text_of(tiny.expected(4))


# -- replayed -------------------------------------------------------------------------------


@pytest.mark.parametrize("ignore_eos", [True, False])
def test_a_replayed_step_chooses_the_same(
    tiny: Tiny, recorder: TapeRecorder, ignore_eos: bool
) -> None:
    expected = tiny.expected(40, None if ignore_eos else 7)
    assert answered(tiny, 40, ignore_eos).text == text_of(expected)
    assert recorder.warm_ups == WARM_UPS
    (tape,) = recorder.tapes
    steps = 39 if ignore_eos else -(-len(expected) // 8) * 8 - 1
    assert tape.replays == min(steps, 39) - WARM_UPS


def test_a_tape_would_show_a_step_that_changes(
    recorder: TapeRecorder, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What these tests rest on: a number that the host counts is that of the recording."""
    monkeypatch.setattr(step_graph.StepTrace, "difference", lambda self, other: None)
    counts = iter(range(1, 99))

    def total() -> list[int]:
        fixed.reserve("k", ints(0), 0, 1)
        for _ in range(6):
            graph.replay("s", lambda: fixed.advance("k", next(counts)))
        return tensor.ints(fixed.get("k"))

    assert in_run(total) == [1 + 2 + 3 + 4 + 4 + 4]


# -- nothing depends on the host ------------------------------------------------------------


class Watch(TorchDispatchMode):
    """Every operation with the forms of its tensors and its numbers; those that wait, counted."""

    def __init__(self) -> None:
        super().__init__()
        self.operations: Operations = []
        self.waits: Counter[str] = Counter()

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        self.operations.append((str(func), *map(form, flat((args, kwargs)))))
        if WAITS & set(func.tags):
            self.waits[str(func)] += 1
        return func(*args, **kwargs)


def flat(value: object) -> Iterator[object]:
    if isinstance(value, dict):
        value = list(value.items())
    if isinstance(value, list | tuple):
        for item in value:
            yield from flat(item)
    else:
        yield value


def form(value: object) -> object:
    if isinstance(value, torch.Tensor):
        return (value.dtype, tuple(value.shape), value.stride(), value.storage_offset())
    return repr(value)


class Watcher:
    """A recorder that never records: it watches every step."""

    def __init__(self) -> None:
        self.steps: list[Watch] = []

    def warm_up(self, step: Step) -> None:
        with Watch() as watch:
            step()
        self.steps.append(watch)

    def record(self, step: Step) -> Any:
        raise AssertionError


def test_all_steps_are_the_same_operations(
    tiny: Tiny, graphs: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    watcher = Watcher()
    monkeypatch.setattr(graph, "recorder_for", lambda device: watcher)
    # so that every step is compared with the one before, addresses included
    monkeypatch.setattr(step_graph, "WARM_UPS", 1000)
    answered(tiny, 41)
    assert len(watcher.steps) == 40
    first = watcher.steps[1].operations
    assert len(first) > 100
    for step in watcher.steps[1:]:
        assert step.operations == first
        assert not step.waits


def test_a_growing_step_is_not_the_same(tiny: Tiny, graphs: None) -> None:
    """The check that a step can be replayed finds the first operation that grows."""

    def steps() -> None:
        weights.load(tiny.weights)
        ids = torch.tensor([tiny.prompt()])
        decoder.model(ids, "model.", 0, False)
        positions = iter(range(ids.shape[1], 999))

        def step() -> bool:
            return cache.set("x", decoder.model(ids[:, :1], "model.", next(positions), True))

        for _ in range(3):
            graph.replay("s", step)

    message = refusal(steps)
    assert message.startswith("flint::graph::replay: step 's' is not the same every time: ")


def watched(tiny: Tiny, count: int, ignore_eos: bool) -> Watch:
    arguments = tiny.arguments(count, str(int(ignore_eos)))
    runner = flint.TorchScriptRunner("cpu")
    runner.run_text(lfm2, arguments)  # reads the weights
    with Watch() as watch:
        runner.run_text(lfm2, arguments)
    return watch


def test_growing_decoding_waits_for_no_token(tiny: Tiny) -> None:
    """With IGNORE_EOS; otherwise each token is looked at."""
    watch = watched(tiny, 40, ignore_eos=True)
    assert not watch.waits
    # the prompt, and tables of positions, twice since they grow; a GPU waits for numbers too
    assert [operation[0] for operation in watch.operations].count(FROM_NUMBERS) <= 5
    assert sum(watched(tiny, 12, ignore_eos=False).waits.values()) >= 12


def test_decoding_in_place_waits_for_no_token(tiny: Tiny, graphs: None) -> None:
    assert not watched(tiny, 20, ignore_eos=True).waits


# -- parts ----------------------------------------------------------------------------------


def test_attention_in_place_is_attention() -> None:
    """Keys and values of positions that are not there yet count for nothing."""
    query, keys, values = (random(1, heads, 5, 8, seed=heads) for heads in (4, 2, 6))
    values = values[:, :2].contiguous()

    def steps() -> list[torch.Tensor]:
        fixed.reserve("position", ints(0), 0, 1)
        fixed.reserve("mask", torch.zeros(1, 1, 1, 16), 3, 16)
        for name in ("keys", "values"):
            fixed.reserve(f"p.{name}", torch.zeros(1, 2, 0, 8), 2, 16)
        found = []
        for at in range(5):
            fixed.update("mask", tensor.causal_mask_at(fixed.get("position"), 16))
            q, k, v = (part[:, :, at : at + 1].contiguous() for part in (query, keys, values))
            found.append(decoder.cached_attention.attention_in_place("p.", Pair(q, k), v))
            fixed.advance("position", 1)
        return found

    whole = torch.nn.functional.scaled_dot_product_attention(
        query, keys, values, is_causal=True, enable_gqa=True
    )
    assert torch.allclose(torch.cat(in_run(steps), dim=2), whole, atol=1e-6)


@pytest.mark.parametrize("kind", ["float", "bf16", "int8"])
def test_large_weights(kind: str, graphs: None, tmp_path: Path) -> None:
    """Other libraries compute with them on the CPU; their memory has to stay where it is too."""
    path = str(tmp_path / "w.safetensors")
    save_file({"w": random(1024, 1024) / 32, "n": random(1024)}, path)

    def steps() -> torch.Tensor:
        weights.load(path)
        first = random(1, 1024, seed=1).to(weights.get("n").dtype)
        fixed.reserve("x", first, 0, 1)

        def step() -> bool:
            normed = nn.rms_norm(fixed.get("x"), weights.get("n"), 1e-5)
            return fixed.update("x", nn.linear(normed, weights.get("w"), None))

        for _ in range(6):
            graph.replay("s", step)
        return fixed.get("x")

    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("KOHARU_TORCH_WEIGHT_KIND", kind)
        result = in_run(steps)
        patch.setenv(graph.VARIABLE, "0")
        assert torch.equal(in_run(steps), result)


@pytest.mark.parametrize(("length", "columns"), [(0, 0), (1, 16), (16, 16), (17, 32), (100, 112)])
def test_columns(length: int, columns: int) -> None:
    assert fixed_decoding.columns_for(length) == columns


def test_what_is_settled_is_kept_once(tiny: Tiny) -> None:
    def step() -> bool:
        cache.set("k", random(1, 2))
        fixed_decoding.settle("k", 1, 4)
        fixed_decoding.keep("k", random(1, 4, seed=1))
        fixed_decoding.keep("x", random(1, 2))
        return cache.get("k") is fixed.get("k") and list(current().tensors.fixed) == ["k"]

    assert in_run(step)


@pytest.mark.parametrize("switch", ["0", "1"])
def test_the_example_of_the_page(
    root: Path, switch: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv(graph.VARIABLE, switch)
    page = (root / "docs" / "gpu.md").read_text(encoding="utf-8")
    match = re.search(r"^```rust\n(.*?)^```\n\n```text\n(.*?)^```", page, re.M | re.S)
    assert match is not None
    flint.TorchScriptRunner("cpu").run_text(flint.compile_source(match[1]).program, [])
    assert capsys.readouterr().out == match[2] == f"{sum(n * n for n in range(1, 11))}\n"


# -- on a GPU -------------------------------------------------------------------------------


@pytest.mark.cuda
@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a CUDA device; there is none")
@pytest.mark.parametrize("switch", ["0", "1"])
@pytest.mark.parametrize("ignore_eos", [True, False])
def test_tokens_on_a_gpu(
    tiny: Tiny, switch: str, ignore_eos: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(graph.VARIABLE, switch)
    expected = tiny.expected(40, None if ignore_eos else 7)
    arguments = tiny.arguments(40, str(int(ignore_eos)))
    assert flint.TorchScriptRunner("cuda").run_text(lfm2, arguments).text == text_of(expected)
