"""`flint::tokenizer` with tokenizers made here: ids are known by construction."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from tokenizers import Tokenizer

from flint.runtime import tokenizer
from flint.runtime.session import Session
from tests.torch.made_tokenizers import greedy_truncation, tiny_tokenizer
from tests.torch.support import in_run, refusal

INT = torch.int64


@pytest.fixture
def words(tmp_path: Path) -> Session:
    """A session with the word tokenizer, whose file asks for truncation and padding."""
    return with_tokenizer(greedy_truncation(), tmp_path)


@pytest.fixture
def lfm2(tmp_path: Path) -> Session:
    """A session with the byte-level tokenizer of the tiny LFM2 model."""
    return with_tokenizer(tiny_tokenizer(), tmp_path)


def with_tokenizer(made: Tokenizer, folder: Path) -> Session:
    path = str(folder / "tokenizer.json")
    made.save(path)
    session = Session("cpu")
    assert in_run(lambda: tokenizer.load(path), session=session)
    return session


def test_encode_chat(lfm2: Session) -> None:
    ids = in_run(lambda: tokenizer.encode_chat("s<|im_end|>", "ü"), session=lfm2)
    made = tiny_tokenizer()
    text = (
        "<|startoftext|><|im_start|>system\ns<|im_end|><|im_end|>\n"
        "<|im_start|>user\nü<|im_end|>\n<|im_start|>assistant\n"
    )
    assert made.decode(ids[0].tolist(), skip_special_tokens=False) == text
    # a turn is one token, and so is one typed by the user
    assert ids[0].tolist().count(7) == 3
    assert ids[0, :2].tolist() == [1, 6]
    assert ids.dtype == INT


def test_encode_chat_has_an_empty_system_turn(lfm2: Session) -> None:
    ids = in_run(lambda: tokenizer.encode_chat("", "u"), session=lfm2)
    shown = tiny_tokenizer().decode(ids[0].tolist(), skip_special_tokens=False)
    assert shown.startswith("<|startoftext|><|im_start|>system\n<|im_end|>\n<|im_start|>user\nu")


def test_encode_vl_chat(lfm2: Session) -> None:
    ids = in_run(lambda: tokenizer.encode_vl_chat("s", "u", 2), session=lfm2)
    shown = tiny_tokenizer().decode(ids[0].tolist(), skip_special_tokens=False)
    assert shown == (
        "<|startoftext|><|im_start|>system\ns<|im_end|>\n<|im_start|>user\n"
        "<|image_start|><image><image><|image_end|>u<|im_end|>\n<|im_start|>assistant\n"
    )
    message = refusal(lambda: tokenizer.encode_vl_chat("s", "u", -1), lfm2)
    assert message.endswith("image_tokens -1 is below 0")


def labelled(text: str, labels: list[int], names: str, session: Session, special: bool) -> str:
    return in_run(
        lambda: tokenizer.format_token_labels(text, torch.tensor([labels]), names, special),
        session=session,
    )


def test_labels_count_bytes(words: Session) -> None:
    # 東京 and 都 touch and have one label; three bytes a character
    assert labelled("東京都に", [0, 1, 1, 0, 0], "O, LOC", words, True) == "LOC\t0\t9\t東京都\n"


@pytest.mark.parametrize(
    ("labels", "expected"),
    [
        ([1, 1, 0, 2], "A\t0\t3\tnew\nA\t4\t8\tyork\nB\t12\t15\tbig\n"),
        ([0, 0, 0, 0], "O\n"),
        ([], "O\n"),
        ([2], "B\t0\t3\tnew\n"),  # fewer labels than tokens
        ([1, 2, 0, 0, 9], "A\t0\t3\tnew\nB\t4\t8\tyork\n"),  # and more
    ],
)
def test_labels(labels: list[int], expected: str, words: Session) -> None:
    assert labelled("new york is big", labels, "x, A ,B", words, False) == expected


def test_labels_of_special_tokens_do_not_count(words: Session) -> None:
    assert labelled("big", [1, 2, 1], "O,A,B", words, True) == "B\t0\t3\tbig\n"


@pytest.mark.parametrize(
    ("label", "reason"),
    [(-1, "negative label id -1"), (3, "no name for label 3; there are 3")],
)
def test_labels_without_name(label: int, reason: str, words: Session) -> None:
    message = refusal(lambda: labelled("big", [label], "O,A,B", words, False), words)
    assert message == f"flint::tokenizer::format_token_labels: {reason}"


def test_generated_list_is_empty_in_the_next_run(words: Session) -> None:
    in_run(lambda: tokenizer.push_generated_token_tensor(torch.tensor([[7]])), session=words)
    assert in_run(lambda: tokenizer.decode_generated_tokens(), session=words) == ""


@pytest.mark.parametrize("content", [None, b"", b"{}", b"[1]", b"\xff", b'{"version": "1.0"}'])
def test_unreadable(content: bytes | None, tmp_path: Path) -> None:
    path = tmp_path / "tokenizer.json"
    if content is not None:
        path.write_bytes(content)
    message = refusal(lambda: tokenizer.load(str(path)))
    assert message.startswith(f"flint::tokenizer::load: cannot read {path}: ")


def test_a_path_is_read_once(words: Session, tmp_path: Path) -> None:
    path = tmp_path / "tokenizer.json"
    path.unlink()
    assert in_run(lambda: tokenizer.load(str(path)), session=words)
    assert in_run(lambda: tokenizer.encode("big", False), session=words).tolist() == [[10]]
