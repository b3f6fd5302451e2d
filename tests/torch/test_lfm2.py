"""`scripts/lfm2.rss` against transformers' Lfm2ForCausalLM, on a tiny model of random weights."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file, save_file

import flint
from flint.runtime import tokenizer, weights
from flint.runtime.session import Session
from generated import lfm2
from generated.layers import lfm2 as decoder
from tests.runtime.support import python
from tests.torch import lfm2_model
from tests.torch.support import in_run, refusal

SYSTEM, USER = "You are helpful.", "Was weiß man über Zürich?"


class Tiny:
    """The model, and the files that a script reads."""

    def __init__(self, folder: Path) -> None:
        self.model = lfm2_model.save(folder)
        self.weights = str(folder / "model.safetensors")
        self.tokenizer = str(folder / "tokenizer.json")

    def arguments(self, count: int, *more: str) -> list[str]:
        return [self.weights, self.tokenizer, SYSTEM, USER, str(count), *more]

    def prompt(self) -> list[int]:
        text = (
            f"<|startoftext|><|im_start|>system\n{SYSTEM}<|im_end|>\n"
            f"<|im_start|>user\n{USER}<|im_end|>\n<|im_start|>assistant\n"
        )
        ids: list[int] = lfm2_model.tiny_tokenizer().encode(text, add_special_tokens=False).ids
        return ids

    def expected(self, count: int, eos: int | None = None) -> list[int]:
        """The tokens that transformers chooses greedily."""
        ids = self.prompt()
        made: Any = self.model.generate(
            torch.tensor([ids]),
            attention_mask=torch.ones(1, len(ids), dtype=torch.int64),
            max_new_tokens=count,
            do_sample=False,
            eos_token_id=eos,
            pad_token_id=0,
        )
        chosen: list[int] = made[0, len(ids) :].tolist()
        return chosen


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Tiny:
    return Tiny(tmp_path_factory.mktemp("lfm2"))


@pytest.fixture(scope="module")
def runner() -> flint.TorchScriptRunner:
    return flint.TorchScriptRunner("cpu")


def text_of(tokens: list[int]) -> str:
    return str(lfm2_model.tiny_tokenizer().decode(tokens, skip_special_tokens=True))


@pytest.mark.parametrize("ignore_eos", ["0", "1"])
def test_64_greedy_tokens(tiny: Tiny, runner: flint.TorchScriptRunner, ignore_eos: str) -> None:
    eos = None if ignore_eos == "1" else 7
    expected = tiny.expected(64, eos)
    output = runner.run_text(lfm2, tiny.arguments(64, ignore_eos))
    assert output.text == text_of(expected)
    assert output.generated_tokens == len(expected)
    assert output.decode_tokens == len(expected) - 1


@pytest.fixture
def stepwise(tiny: Tiny) -> Iterator[tuple[torch.Tensor, torch.Tensor]]:
    """Logits after every position: computed step by step, and by one full forward."""
    ids = tiny.prompt() + tiny.expected(40)

    def steps() -> torch.Tensor:
        weights.load(tiny.weights)
        tokens = torch.tensor([ids])
        rows = [decoder.model(tokens[:, :1], "model.", 0, False)]
        rows += [
            decoder.model(tokens[:, at : at + 1], "model.", at, True) for at in range(1, len(ids))
        ]
        return torch.cat(rows)

    with torch.no_grad():
        yield in_run(steps), tiny.model(torch.tensor([ids])).logits[0]


def test_logits_at_every_position(stepwise: tuple[torch.Tensor, torch.Tensor]) -> None:
    steps, full = stepwise
    assert steps.shape == full.shape
    assert (steps - full).abs().max() < 1e-4


@pytest.mark.parametrize("length", [1, 2, 3, 50])
def test_prefill_of_any_length(tiny: Tiny, length: int) -> None:
    """Also of one token, whose convolutions have no earlier inputs; then two steps."""
    ids = torch.tensor([(tiny.prompt() * 2)[: length + 2]])

    def steps() -> torch.Tensor:
        weights.load(tiny.weights)
        rows = [decoder.model(ids[:, :length], "model.", 0, False)]
        rows += [
            decoder.model(ids[:, at : at + 1], "model.", at, True) for at in (length, length + 1)
        ]
        return torch.cat(rows)

    with torch.no_grad():
        full = tiny.model(ids).logits[0, length - 1 :]
    assert (in_run(steps) - full).abs().max() < 1e-4


@pytest.mark.parametrize("kind", ["bf16", "native", "half"])
def test_other_kinds_run(tiny: Tiny, kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    path = Path(tiny.weights)
    if kind == "native":  # which serves checkpoints in bfloat16
        path = path.parent / "brain"
        lfm2_model.save(path, dtype=torch.bfloat16)
    monkeypatch.setenv("KOHARU_TORCH_WEIGHT_KIND", kind)
    arguments = [str(path), *tiny.arguments(20, "1")[1:]]
    assert flint.TorchScriptRunner("cpu").run_text(lfm2, arguments).generated_tokens == 20
    dtype = torch.float16 if kind == "half" else torch.bfloat16
    ids = torch.tensor([tiny.prompt()])

    def logits() -> torch.Tensor:
        weights.load(str(path))
        return decoder.model(ids, "model.", 0, False)

    result = in_run(logits)
    assert result.dtype == dtype
    with torch.no_grad():
        exact = tiny.model(ids).logits[0, -1]
    # rounding only: the direction of the logits is that of float32
    cosine = torch.cosine_similarity(result[0].float(), exact, dim=0)
    assert cosine > 0.99


def test_a_folder_and_a_fresh_runner_give_the_same(
    tiny: Tiny, runner: flint.TorchScriptRunner
) -> None:
    whole = runner.run_text(lfm2, tiny.arguments(8, "1")).text
    folder = [os.path.dirname(tiny.weights), *tiny.arguments(8, "1")[1:]]
    assert flint.TorchScriptRunner().run_text(lfm2, folder).text == whole
    assert runner.run_text(lfm2, folder).text == whole


def test_native_kind_of_another_dtype(
    tiny: Tiny, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Tables of positions are bfloat16 then; they have to fit a checkpoint in float16 too."""
    lfm2_model.save(tmp_path, dtype=torch.float16)
    monkeypatch.setenv("KOHARU_TORCH_WEIGHT_KIND", "native")
    arguments = [str(tmp_path), *tiny.arguments(4, "1")[1:]]
    assert flint.TorchScriptRunner("cpu").run_text(lfm2, arguments).generated_tokens == 4


@pytest.mark.slow
def test_the_commands_print_the_same(tiny: Tiny, root: Path) -> None:
    arguments = tiny.arguments(6, "1")
    script = str(root / "scripts" / "lfm2.rss")
    by_flint = python("-m", "flint", "--llm", "--device", "cpu", "--script", script, *arguments)
    by_module = python("-m", "generated.lfm2", *arguments)
    assert (by_flint.returncode, by_module.returncode) == (0, 0), by_flint.stderr
    expected = text_of(tiny.expected(6))
    for done in (by_flint, by_module):
        rest = done.stdout.removeprefix(f"{expected}\n")
        assert re.fullmatch(r"tokens/s total: \d+\.\d\d\ntokens/s decode: \d+\.\d\d\n", rest)
        assert done.stderr == ""


@pytest.mark.parametrize("count", ["0", "-3"])
def test_nothing_to_generate(tiny: Tiny, runner: flint.TorchScriptRunner, count: str) -> None:
    output = runner.run_text(lfm2, [*tiny.arguments(0)[:4], count])
    assert (output.text, output.generated_tokens, output.decode_tokens) == ("", 0, 0)


def test_one_token_has_no_decode_time(tiny: Tiny, runner: flint.TorchScriptRunner) -> None:
    output = runner.run_text(lfm2, tiny.arguments(1, "1"))
    assert (output.generated_tokens, output.decode_elapsed) == (1, None)


def changed(tiny: Tiny, at: int, value: str) -> list[str]:
    arguments = tiny.arguments(4)
    arguments[at] = value
    return arguments


@pytest.mark.parametrize(
    ("at", "value", "reason"),
    [
        (0, "/nonexistent", "flint::weights::load: cannot read /nonexistent"),
        (1, "/nonexistent", "flint::tokenizer::load: cannot read /nonexistent"),
        (4, "many", "cannot be read as int"),
    ],
)
def test_bad_arguments(tiny: Tiny, at: int, value: str, reason: str) -> None:
    with pytest.raises(flint.HostError, match=re.escape(reason)):
        flint.TorchScriptRunner("cpu").run_text(lfm2, changed(tiny, at, value))


def test_a_tokenizer_of_another_model(tiny: Tiny, tmp_path: Path) -> None:
    """Ids beyond the embedding are a clear error."""
    foreign = lfm2_model.tiny_tokenizer()
    foreign.add_tokens([f"word{number}" for number in range(1000)])
    foreign.save(str(tmp_path / "tokenizer.json"))
    arguments = changed(tiny, 1, str(tmp_path / "tokenizer.json"))
    arguments[3] = "word999"
    with pytest.raises(
        flint.HostError, match=r"flint::nn::embedding: index 1263 out of range, .* 264 rows"
    ):
        flint.TorchScriptRunner("cpu").run_text(lfm2, arguments)


def test_a_weight_is_missing(tiny: Tiny, tmp_path: Path) -> None:
    """Whichever it is: layers are counted by their weights, and none may be left out for that."""
    held = load_file(tiny.weights)
    runner = flint.TorchScriptRunner("cpu")
    for name in held:
        path = str(tmp_path / f"{name}.safetensors")
        save_file({other: held[other] for other in held if other != name}, path)
        with pytest.raises(flint.HostError, match="no weight named"):
            runner.run_text(lfm2, changed(tiny, 0, path))


def test_weights_of_another_model(tmp_path: Path, tiny: Tiny) -> None:
    save_file({"model.embed_tokens.weight": torch.zeros(300, 8)}, tmp_path / "w.safetensors")
    with pytest.raises(flint.HostError, match=r"no weight named 'model\.embedding_norm\.weight'"):
        flint.TorchScriptRunner("cpu").run_text(lfm2, changed(tiny, 0, str(tmp_path)))


@pytest.mark.slow
def test_session_without_tokenizer(tiny: Tiny) -> None:
    assert refusal(lambda: tokenizer.encode_chat("a", "b"), Session("cpu")).endswith(
        "no tokenizer loaded"
    )
