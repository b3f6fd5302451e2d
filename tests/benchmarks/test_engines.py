"""The engines do the same work: tokens, lengths of prompts, and what a failure says."""

from __future__ import annotations

import math
from pathlib import Path
from unittest import mock

import pytest
from torch import Tensor

from benchmarks import lfm2, lfm2_gguf, models
from benchmarks.engines import ours
from benchmarks.engines.worker import EngineFailed, Worker
from benchmarks.overhead import NARROW

PROMPT, TOKENS = 16, 8


@pytest.fixture(autouse=True)
def one_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    """Threads that wait for each other crawl where other tests run beside."""
    monkeypatch.setattr("benchmarks.engines.worker.THREADS", 1)
    monkeypatch.setattr("benchmarks.engines.llama.THREADS", 1)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("lfm2")
    models.write_lfm2(path, **NARROW)
    return path


def test_llama_reads_the_weights_that_transformers_reads(folder: Path, tmp_path: Path) -> None:
    llama = pytest.importorskip("benchmarks.engines.llama")
    from benchmarks.engines import hugging_face

    path = tmp_path / "model.gguf"
    lfm2_gguf.write(folder, path, "f32")
    theirs = llama.load(str(path), "f32", PROMPT + TOKENS)
    peer = hugging_face.load(str(folder), "f32", PROMPT + TOKENS)
    assert theirs.answer(PROMPT, TOKENS) == peer.answer(PROMPT, TOKENS)
    assert theirs.decode(PROMPT, TOKENS) > 0
    assert peer.prefill(PROMPT) > 0


def test_our_prompt_has_as_many_tokens(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KOHARU_TORCH_WEIGHT_KIND", "float")
    from generated.layers import lfm2 as decoder

    lengths: list[int] = []
    embed = decoder.embed

    def seen(tokens: Tensor, prefix: str) -> Tensor:
        lengths.append(tokens.shape[1])
        return embed(tokens, prefix)

    with mock.patch.object(decoder, "embed", seen):
        assert ours.load(str(folder), "f32", 0).prefill(PROMPT) > 0
    assert lengths == [PROMPT]


def test_a_worker_measures_and_names_a_failure(folder: Path) -> None:
    with Worker("ours", str(folder), "f32", 0) as worker:
        assert worker.decode_speed(PROMPT, TOKENS)() > 0
        assert worker.prefill_speed(PROMPT)() > 0
        assert worker.ask("peak") > 50
        with pytest.raises(EngineFailed, match=r"ours: AttributeError: .*dance"):
            worker.ask("dance", 1)


def test_a_model_that_does_not_load_is_told(tmp_path: Path) -> None:
    pytest.importorskip("llama_cpp")
    worker = Worker("llama.cpp", str(tmp_path / "nowhere.gguf"), "f32", PROMPT)
    with pytest.raises(EngineFailed, match=r"llama\.cpp does not load .*nowhere\.gguf"), worker:
        pass


def test_only_a_missing_kind_of_weights_is_left_out() -> None:
    refusal = EngineFailed("ours: ScriptError: KOHARU_TORCH_WEIGHT_KIND allows native, half")
    assert lfm2.note("decode int8", refusal).startswith("decode int8: not measured")
    with pytest.raises(EngineFailed):
        lfm2.note("decode f32", EngineFailed("ours: out of memory"))


def test_the_sizes_are_those_of_the_parameters() -> None:
    maker = models.tool("make_lfm2_random")
    total = sum(math.prod(sizes) for _, sizes in maker._sizes(maker.Shape()))
    assert total == models.PARAMETERS
