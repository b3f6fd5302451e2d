"""`--stream`: text appears while a program makes it, whole and once, and nothing else changes."""

from __future__ import annotations

import re
from itertools import chain
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import flint
from flint.output import ScriptTextOutput, printed
from flint.runtime import launch, llama, program, tokenizer
from flint.runtime.context import run
from flint.runtime.token_stream import TokenStream
from flint.text_stream import TextStream
from generated import lfm2, llama_quantized
from tests.runtime.support import python
from tests.runtime.tiny_gguf import byte_level_tokens, write_model
from tests.torch import lfm2_model
from tests.torch.support import in_run

TEXT = "Zürich — 日本 😀!"  # characters of one to four bytes, one token a byte


def ids_of(text: str) -> list[int]:
    ids: list[int] = lfm2_model.tiny_tokenizer().encode(text, add_special_tokens=False).ids
    return ids


# -- pieces ----------------------------------------------------------------------------------------


def test_characters_of_several_tokens_are_whole() -> None:
    pieces: list[str] = []
    stream = TokenStream(lfm2_model.tiny_tokenizer(), pieces.append)
    stream.push(ids_of(TEXT))
    assert pieces == list(TEXT)


@settings(max_examples=100, deadline=None)
@given(
    st.lists(
        st.one_of(
            st.text(alphabet="aé€😀\n", max_size=3).map(ids_of),
            st.integers(0, 300).map(lambda token: [token]),
        ),
        max_size=12,
    )
)
def test_any_tokens(parts: list[list[int]]) -> None:
    """What was handed on is always the beginning of what all tokens decode to."""
    ids = list(chain.from_iterable(parts))
    pieces: list[str] = []
    TokenStream(lfm2_model.tiny_tokenizer(), pieces.append).push(ids)
    decoded = lfm2_model.tiny_tokenizer().decode(ids, skip_special_tokens=True)
    assert decoded.startswith("".join(pieces))


def test_bytes_that_never_make_a_character_cost_no_more_and_more() -> None:
    pieces: list[str] = []
    stream = TokenStream(lfm2_model.tiny_tokenizer(), pieces.append)
    first_of_three = ids_of("日")[:1]
    stream.push(first_of_three * 100_000)  # hours if each step decoded all before it
    assert pieces == []


def test_both_ways_of_keeping_tokens(tmp_path: Path) -> None:
    lfm2_model.tiny_tokenizer().save(str(tmp_path / "tokenizer.json"))
    pieces: list[str] = []

    def main() -> None:
        tokenizer.load(str(tmp_path / "tokenizer.json"))
        tokens = tokenizer.single_token(1)
        for token in ids_of("é"):
            tokens = tokenizer.append_token(tokens, token)
        tokens = tokenizer.append_token_tensor(tokens, tokenizer.single_token(7))
        program.start_timer()
        for token in ids_of("ü"):
            tokenizer.push_generated_token_tensor(tokenizer.single_token(token))
        tokenizer.push_generated_token_tensor(tokenizer.single_token(-1))
        program.set_text_output(tokenizer.decode_generated_tokens())

    assert run(main, on_text=pieces.append).text == "ü"
    assert pieces == ["é", "ü"]


def test_without_tokenizer_or_run_nothing_streams() -> None:
    assert tokenizer.append_token(in_run(lambda: tokenizer.single_token(1)), 2).tolist() == [[1, 2]]


def test_llama_decoder(tmp_path: Path) -> None:
    model_path = write_model(tmp_path / "m.gguf", byte_level_tokens(), byte_level="gpt-2")
    pieces: list[str] = []

    def main() -> None:
        backend = llama.backend_init("cpu")
        model = llama.model_load(backend, llama.model_params_init(backend), model_path)
        decoder = llama.decoder_init()
        tokens = llama.model_tokenize(model, TEXT, False)
        for at in range(llama.tokens_len(tokens)):
            llama.decoder_push(decoder, model, llama.tokens_get(tokens, at), False)

    run(main, on_text=pieces.append)
    assert pieces == list(TEXT)


# -- what is printed in the end --------------------------------------------------------------------


@pytest.mark.parametrize(
    ("pieces", "published", "rest"),
    [
        ([], "", ""),
        ([], "text", "text\n"),
        (["te", "xt"], "text", "\n"),
        (["te"], "text\ufffd", "xt\ufffd\n"),
        (["text\n"], "text\n", "\n"),
        (["\n te", "xt "], "text", "\n"),
        (["text\n"], "text", ""),
        (["text"], "", "\n"),
        (["text\n"], "", ""),
        (["text"], "Answer: text", "\nAnswer: text\n"),
        (["te\n"], "other", "other\n"),
        ([" te "], "te xt", "\nte xt\n"),
    ],
)
def test_the_rest(
    pieces: list[str], published: str, rest: str, capsys: pytest.CaptureFixture[str]
) -> None:
    stream = TextStream()
    for piece in pieces:
        stream.write(piece)
    assert capsys.readouterr().out == "".join(pieces)
    output = ScriptTextOutput(published, decode_tokens=3, decode_elapsed=1.0)
    assert printed(output, stream) == f"{rest}tokens/s decode: 3.00\n"


@pytest.mark.parametrize(
    ("words", "passed_on"),
    [
        (["a", "--stream"], ["a"]),
        (["--stream", "a"], ["a"]),
        (["--stream"], []),
        (["a", "--stream", "b"], ["a", "--stream", "b"]),
        (["a", "--stream", "--stream"], ["a", "--stream"]),
        (["a"], ["a"]),
    ],
)
def test_whose_word_it_is(
    words: list[str], passed_on: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.argv", ["program", *words])
    seen: list[str] = []
    assert launch.run_main(lambda: seen.extend(program.args())) == 0
    assert seen == passed_on


def test_an_error_starts_on_its_own_line(capsys: pytest.CaptureFixture[str]) -> None:
    stream = TextStream()

    def fail() -> None:
        stream.write("half a sent")
        raise flint.UserError("no more")

    assert launch.run_command(fail, stream) == 1
    captured = capsys.readouterr()
    assert (captured.out, captured.err) == ("half a sent\n", "Error: no more\n")


# -- whole programs --------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """Arguments of lfm2 for a tiny model of random weights."""
    folder = tmp_path_factory.mktemp("tiny")
    lfm2_model.save(folder)
    return [str(folder), str(folder / "tokenizer.json"), "Be brief.", "Hi", "24"]


@pytest.mark.parametrize("ignore_eos", ["0", "1"])
def test_lfm2_streams_what_it_publishes(tiny: list[str], ignore_eos: str) -> None:
    pieces: list[str] = []
    runner = flint.TorchScriptRunner("cpu")
    plain = runner.run_text(lfm2, [*tiny, ignore_eos])
    streamed = runner.run_text(lfm2, [*tiny, ignore_eos], on_text=pieces.append)
    assert streamed.text == plain.text
    assert len(pieces) > 3
    assert plain.text.startswith("".join(pieces))


@pytest.mark.slow
def test_both_commands_print_what_they_print_without(tiny: list[str], root: Path) -> None:
    script = ["-m", "flint", "--llm", "--device", "cpu", "--script"]
    flint_command = [*script, str(root / "scripts" / "lfm2.rss"), *tiny]
    plain = python(*flint_command)
    module = python("-m", "generated.lfm2", *tiny, "--stream")
    streamed = python(*flint_command[:2], "--stream", *flint_command[2:])
    for done in (streamed, module):
        assert without_speed(done.stdout) == without_speed(plain.stdout)


def without_speed(text: str) -> str:
    return re.sub(r"\d+\.\d\d\n", "\n", text)


@pytest.mark.slow
def test_smollm2_streams_what_it_publishes(smollm2: Path) -> None:
    pieces: list[str] = []
    arguments = [str(smollm2), "You are a helpful assistant.", "What is a compiler?", "16"]
    output = flint.ScriptRunner().run_text(
        llama_quantized, [*arguments, "cpu", "0", "512", "0"], on_text=pieces.append
    )
    assert len(pieces) > 3
    assert "".join(pieces) == output.text


@pytest.mark.parametrize("error", [ZeroDivisionError, RuntimeError, TypeError, ValueError])
def test_what_a_listener_raises_is_no_failure_of_the_program(
    error: type[Exception], tmp_path: Path
) -> None:
    lfm2_model.tiny_tokenizer().save(str(tmp_path / "tokenizer.json"))
    failure = error("of the listener")

    def listen(_piece: str) -> None:
        raise failure

    def main() -> None:
        tokenizer.load(str(tmp_path / "tokenizer.json"))
        tokenizer.append_token(tokenizer.single_token(1), ids_of("a")[0])

    with pytest.raises(error) as caught:
        run(main, on_text=listen)
    assert caught.value is failure


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs Linux's device that is full")
def test_a_full_disk_is_told_in_a_line(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    stream = TextStream()
    with Path("/dev/full").open("w") as full:
        monkeypatch.setattr("sys.stdout", full)
        assert launch.run_command(lambda: stream.write("half"), stream) == 1
    assert capfd.readouterr().err == "Error: [Errno 28] No space left on device\n"
