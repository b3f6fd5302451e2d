"""`flint::llama` with the real model, compared with llama.cpp's own C API and with known facts."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import llama_cpp
import pytest

import flint
from flint.program import Program
from flint.runtime import llama
from flint.runtime.llama.native import contexts, library, models
from flint.runtime.machine import usable_cpus
from tests.runtime import chat_program
from tests.runtime.support import python

SYSTEM, USER = "You are a helpful assistant.", "What is the capital of France?"
BOS, EOS = 1, 2


class Loaded:
    """The model, loaded in the run that is going on."""

    def __init__(self, path: Path) -> None:
        self.backend = llama.backend_init("cpu")
        params = llama.model_params_init(self.backend)
        self.model = llama.model_load(self.backend, params, str(path))

    def tokenize(self, text: str, add_bos: bool = False) -> list[int]:
        tokens = llama.model_tokenize(self.model, text, add_bos)
        return [llama.tokens_get(tokens, index) for index in range(llama.tokens_len(tokens))]

    def context(self, n_ctx: int = 256, n_batch: int = 256) -> llama.Context:
        params = llama.context_params_init(self.backend)
        llama.context_params_set_sizes(params, n_ctx, n_batch, 128)
        return llama.context_new(self.model, self.backend, params)

    def decoded(self, ids: list[int], wanted: set[int]) -> llama.Context:
        """A context that holds these tokens, with logits of the wanted ones."""
        batch = llama.batch_init(len(ids), 1)
        for position, token in enumerate(ids):
            llama.batch_add(batch, token, position, 0, position in wanted)
        context = self.context()
        llama.context_decode(context, batch)
        return context


def chain(*components: Callable[[llama.Sampler], object]) -> llama.Sampler:
    sampler = llama.sampler_chain_init(True)
    for add in components:
        add(sampler)
    llama.sampler_chain_build(sampler)
    return sampler


@pytest.fixture
def in_run(smollm2: Path) -> Callable[[Callable[[Loaded], Any]], Any]:
    """Call a function with the model, in a run of its own; its result."""

    def call(function: Callable[[Loaded], Any]) -> Any:
        results: list[Any] = []
        main = Program("test", lambda: lambda: results.append(function(Loaded(smollm2))))
        flint.ScriptRunner().run_text(main)
        return results[0]

    return call


InRun = Callable[[Callable[[Loaded], Any]], Any]


def test_gpu_support_is_that_of_the_build(in_run: InRun) -> None:
    supports = in_run(lambda m: llama.backend_supports_gpu_offload(m.backend))
    assert supports is llama_cpp.llama_supports_gpu_offload()


def test_a_model_need_not_be_mapped(smollm2: Path, in_run: InRun) -> None:
    def load(loaded: Loaded) -> int:
        params = llama.model_params_init(loaded.backend)
        assert llama.model_params_set_memory(params, False, False)
        return llama.model_n_vocab(llama.model_load(loaded.backend, params, str(smollm2)))

    assert in_run(load) == in_run(lambda m: llama.model_n_vocab(m.model))


def test_what_was_freed_is_gone(in_run: InRun) -> None:
    def tokens(loaded: Loaded) -> None:
        ids = llama.model_tokenize(loaded.model, "a", False)
        assert llama.tokens_free(ids)
        llama.tokens_len(ids)

    def sampler(loaded: Loaded) -> None:
        greedy = chain(llama.sampler_add_greedy)
        assert llama.sampler_free(greedy)
        llama.sampler_accept(greedy, 5)

    for function in (tokens, sampler):
        with pytest.raises(flint.HostError, match="already freed"):
            in_run(function)


# ---- the same tokens as llama.cpp's own loop ----------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize(
    ("system", "user"),
    [(SYSTEM, USER), ("You are helpful.", USER), ("", "Zähle bis drei! 😀 <|im_start|>")],
)
def test_greedy_tokens_equal_a_bare_loop(smollm2: Path, system: str, user: str) -> None:
    arguments = (str(smollm2), system, user, "40", "256")
    bare = python("-m", "tests.runtime.bare_llama", *arguments)
    ours = python("-m", "tests.runtime.chat_program", *arguments)
    assert (ours.returncode, ours.stderr) == (0, "")
    expected = json.loads(bare.stdout)["generated"]
    assert len(expected) > 5
    printed = ours.stdout.splitlines()
    assert [int(line) for line in printed[: len(expected)]] == expected
    assert re.fullmatch(r"tokens/s decode: \d+\.\d\d", printed[-1])


def test_known_answer(smollm2: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = [str(smollm2), SYSTEM, USER, "40", "256"]
    runner = flint.ScriptRunner()
    first, second = (runner.run_text(chat_program, arguments) for _ in range(2))
    assert "Paris" in first.text
    assert (second.text, second.decode_tokens) == (first.text, first.decode_tokens)
    tokens = capsys.readouterr().out.split()
    assert len(tokens) == 2 * (first.decode_tokens or 0)


def test_no_torch(smollm2: Path) -> None:
    code = (
        "import sys; from tests.runtime import chat_program as p; import flint; "
        "flint.ScriptRunner().run_text(p, sys.argv[1:]); "
        "print([name for name in ('torch', 'tokenizers', 'flintc') if name in sys.modules])"
    )
    result = python("-c", code, str(smollm2), SYSTEM, USER, "2", "256")
    assert result.stdout.splitlines()[-1] == "[]", result.stderr


# ---- vocabulary and chat ------------------------------------------------------------------------


def test_facts_of_the_model(in_run: InRun) -> None:
    facts = in_run(lambda m: (llama.model_n_vocab(m.model), llama.model_n_ctx_train(m.model)))
    assert facts == (49152, 8192)


def test_prompt_is_chatml_with_one_bos(in_run: InRun) -> None:
    def prompt(loaded: Loaded) -> tuple[str, list[int]]:
        messages = llama.chat_messages_init()
        llama.chat_messages_add(messages, "system", "S")
        llama.chat_messages_add(messages, "user", "U 😀")
        template = llama.chat_template(loaded.model, "")
        text = llama.apply_chat_template(loaded.model, template, messages, True)
        return text, loaded.tokenize(text, add_bos=True)

    text, ids = in_run(prompt)
    assert text == (
        "<|im_start|>system\nS<|im_end|>\n<|im_start|>user\nU 😀<|im_end|>\n<|im_start|>assistant\n"
    )
    # <|im_start|> is this vocabulary's BOS: once a turn, and none added in front.
    assert ids.count(BOS) == 3
    assert ids.count(EOS) == 2


def test_prompt_without_the_assistants_turn(in_run: InRun) -> None:
    def prompt(loaded: Loaded) -> str:
        messages = llama.chat_messages_init()
        llama.chat_messages_add(messages, "user", "x" * 5000)
        template = llama.chat_template(loaded.model, "")
        return llama.apply_chat_template(loaded.model, template, messages, False)

    assert in_run(prompt) == f"<|im_start|>user\n{'x' * 5000}<|im_end|>\n"


def test_end_of_generation(in_run: InRun) -> None:
    ends = in_run(lambda m: [llama.model_is_eog(m.model, token) for token in (EOS, 30, -1, 10**6)])
    assert ends == [True, False, False, False]


def test_text_survives_tokens_that_split_characters(in_run: InRun) -> None:
    text = "naïve 😀👩‍👩‍👧 日本語 \u200b\U0010ffff\n\tend"

    def pieces(loaded: Loaded) -> list[str]:
        decoder = llama.decoder_init()
        return [
            llama.decoder_push(decoder, loaded.model, token, False)
            for token in loaded.tokenize(text)
        ]

    found = in_run(pieces)
    assert "".join(found) == text
    assert "" in found  # some character needed more than one token


def test_unfinished_character_becomes_a_replacement_character(in_run: InRun) -> None:
    def push(loaded: Loaded) -> tuple[str, str]:
        first_byte = loaded.tokenize("\U0010ffff")[0]
        decoder = llama.decoder_init()
        return (
            llama.decoder_push(decoder, loaded.model, first_byte, False),
            llama.decoder_push(decoder, loaded.model, loaded.tokenize("a")[0], False),
        )

    assert in_run(push) == ("", "\ufffda")


def test_byte_order_mark_is_dropped_at_the_start_only(in_run: InRun) -> None:
    def push(loaded: Loaded) -> str:
        decoder = llama.decoder_init()
        ids = loaded.tokenize("\ufeffa\ufeffb")
        return "".join(llama.decoder_push(decoder, loaded.model, token, False) for token in ids)

    assert in_run(push) == "a\ufeffb"


def test_control_token_as_text(in_run: InRun) -> None:
    text = in_run(lambda m: llama.decoder_push(llama.decoder_init(), m.model, EOS, True))
    assert text == "<|im_end|>"


def test_empty_text_has_no_tokens(in_run: InRun) -> None:
    assert in_run(lambda m: m.tokenize("")) == []


# ---- batches, contexts, sampling ----------------------------------------------------------------


def test_added_sequence_starts_at_zero_and_asks_for_its_last_logits(in_run: InRun) -> None:
    def fields(loaded: Loaded) -> tuple[object, ...]:
        tokens = llama.model_tokenize(loaded.model, "one two three", False)
        batch = llama.batch_init(10, 1)
        llama.batch_add(batch, 30, 7, 0, False)
        llama.batch_add_sequence(batch, tokens, 0, False)
        llama.batch_add_sequence(batch, tokens, 1, True)
        return list(batch.positions), list(batch.sequences), list(batch.logits)

    assert in_run(fields) == (
        [7, 0, 1, 2, 0, 1, 2],
        [0, 0, 0, 0, 1, 1, 1],
        [0, 0, 0, 1, 1, 1, 1],
    )


def test_a_batch_that_refuses_keeps_what_it_had(in_run: InRun) -> None:
    def lengths(loaded: Loaded) -> tuple[int, int]:
        tokens = llama.model_tokenize(loaded.model, "one two three", False)
        batch = llama.batch_init(3, 1)
        llama.batch_add(batch, 30, 0, 0, False)
        with pytest.raises(flint.HostError, match="batch full, capacity 3"):
            llama.batch_add_sequence(batch, tokens, 0, False)
        before = len(batch.tokens)
        llama.batch_clear(batch)
        llama.batch_add_sequence(batch, tokens, 0, False)
        return before, len(batch.tokens)

    assert in_run(lengths) == (1, 3)


@pytest.mark.parametrize(("asked", "given"), [(1, 256), (256, 256), (257, 512), (0, 8192)])
def test_context_size_is_rounded_up(in_run: InRun, asked: int, given: int) -> None:
    assert in_run(lambda m: llama.context_n_ctx(m.context(asked))) == given


def test_model_memory_outlives_its_handle_while_a_context_lives(in_run: InRun) -> None:
    def sample(loaded: Loaded) -> tuple[int, int]:
        ids = loaded.tokenize("The capital of France is")
        context = loaded.decoded(ids, {len(ids) - 1})
        sampler = chain(llama.sampler_add_greedy)
        before = llama.sampler_sample(sampler, context, -1)
        llama.model_free(loaded.model)
        llama.backend_free(loaded.backend)
        return before, llama.sampler_sample(sampler, context, -1)

    before, after = in_run(sample)
    assert before == after


def test_logits_by_index(in_run: InRun) -> None:
    def sample(loaded: Loaded) -> list[int]:
        context = loaded.decoded(loaded.tokenize("Once upon a time there"), {0, 1, 3})
        sampler = chain(llama.sampler_add_greedy)
        return [llama.sampler_sample(sampler, context, index) for index in (0, 1, 3, -3, -2, -1)]

    first, second, third, *from_the_end = in_run(sample)
    assert from_the_end == [first, second, third]
    assert len({first, second, third}) > 1


def test_seed_decides_and_zero_temperature_is_greedy(in_run: InRun) -> None:
    def sample(loaded: Loaded) -> tuple[list[int], ...]:
        ids = loaded.tokenize("Once upon a time there was")
        context = loaded.decoded(ids, {len(ids) - 1})

        def drawn(*components: Callable[[llama.Sampler], object]) -> list[int]:
            sampler = chain(*components)
            return [llama.sampler_sample(sampler, context, -1) for _ in range(20)]

        def seeded(seed: int) -> Callable[[llama.Sampler], object]:
            return lambda sampler: llama.sampler_add_dist(sampler, seed)

        return (
            drawn(seeded(7)),
            drawn(seeded(7)),
            drawn(seeded(8)),
            drawn(lambda s: llama.sampler_add_temp(s, 0.0), seeded(7)),
            drawn(lambda s: llama.sampler_add_top_k(s, 1), seeded(7)),
            drawn(lambda s: llama.sampler_add_top_p(s, 0.0, 1), seeded(7)),
            drawn(lambda s: llama.sampler_add_min_p(s, 1.0, 1), seeded(7)),
            drawn(llama.sampler_add_greedy),
        )

    first, again, other, *narrowed, greedy = in_run(sample)
    assert first == again != other
    assert len(set(first)) > 1
    assert narrowed == [greedy] * 4
    assert len(set(greedy)) == 1


def test_threads_are_capped_to_what_the_process_may_use(in_run: InRun) -> None:
    def threads(loaded: Loaded) -> tuple[int, int]:
        params = llama.context_params_init(loaded.backend)
        llama.context_params_set_threads(params, 8, 10**6)
        return params.n_threads, params.n_threads_batch

    assert in_run(threads) == (min(8, usable_cpus()), usable_cpus())


# ---- backends -----------------------------------------------------------------------------------


def test_devices(in_run: InRun) -> None:
    text = in_run(lambda m: llama.backend_list_devices(m.backend))
    lines = [line.split("\t") for line in text.split("\n")]
    assert [line[0] for line in lines] == [str(index) for index in range(len(lines))]
    cpu = next(line for line in lines if line[1] == "CPU")
    assert cpu[2] == "CPU"
    assert int(cpu[4]) > 10**6
    assert not text.endswith("\n")


def test_a_failed_run_leaves_no_backend_behind(smollm2: Path) -> None:
    def failing() -> None:
        Loaded(smollm2)
        raise flint.HostError("after loading")

    runner = flint.ScriptRunner()
    for _ in range(2):
        with pytest.raises(flint.HostError, match="after loading"):
            runner.run_text(Program("failing", lambda: failing))


def test_backend_after_backend(in_run: InRun) -> None:
    def names(loaded: Loaded) -> int:
        llama.backend_free(loaded.backend)
        for kind in ("", "AUTO", "cuda12", "cpu"):
            llama.backend_free(llama.backend_init(kind))
        return loaded.backend.handle

    assert in_run(names) > 0


def test_vulkan_only_where_a_vulkan_device_is_listed(in_run: InRun) -> None:
    def initialise(loaded: Loaded) -> tuple[bool, str]:
        listed = "vulkan" in llama.backend_list_devices(loaded.backend).lower()
        llama.backend_free(loaded.backend)
        try:
            llama.backend_init("Vulkan")
        except flint.HostError as error:
            return listed, error.message
        return listed, "initialised"

    listed, outcome = in_run(initialise)
    assert ("initialised" in outcome) is listed
    assert listed or "no backend 'vulkan' on this platform" in outcome


def test_backend_from_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # A folder wins over a backend of the same name.
    (tmp_path / "cpu").mkdir()
    monkeypatch.chdir(tmp_path)
    made: list[llama.Backend] = []
    main = Program("test", lambda: lambda: made.append(llama.backend_init("cpu")))
    flint.ScriptRunner().run_text(main)
    assert made[0].cpu_only is False


def test_handle_numbers_are_never_used_again(in_run: InRun) -> None:
    def numbers(_: Loaded) -> list[int]:
        batch = llama.batch_init(1, 1)
        llama.batch_free(batch)
        return [batch.handle, llama.decoder_init().handle, llama.sampler_chain_init(True).handle]

    first, second = in_run(numbers), in_run(numbers)
    assert first == sorted(first)
    assert second[0] > first[-1]


def test_leftovers_are_freed_natively_users_first(
    in_run: InRun, monkeypatch: pytest.MonkeyPatch
) -> None:
    freed: list[str] = []

    def watch(module: ModuleType, name: str) -> None:
        real: Callable[..., None] = getattr(module, name)

        def watched(*pointer: int) -> None:
            freed.append(name)
            real(*pointer)

        monkeypatch.setattr(module, name, watched)

    for module, name in (
        (contexts, "free_sampler"),
        (contexts, "free_context"),
        (models, "free_model"),
        (library, "backend_free"),
    ):
        watch(module, name)

    def leave(loaded: Loaded) -> None:
        sampler = chain(llama.sampler_add_greedy)
        context = loaded.decoded(loaded.tokenize("left"), {0})
        llama.sampler_sample(sampler, context, -1)
        llama.decoder_init()
        loaded.context()

    in_run(leave)
    assert freed == ["free_sampler", "free_context", "free_context", "free_model", "backend_free"]
