"""`flint::tokenizer` (host-functions.md 6)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import torch

from flint.runtime import tokenizer
from flint.runtime.context import current
from flint.runtime.pair import Pair
from tests.torch.case import Case, Exempt, Refusal, World, because, each
from tests.torch.made_tokenizers import (
    greedy_truncation,
    tiny_tokenizer,
    without_unknown,
    word_tokenizer,
)
from tests.torch.support import ints

WORDS = World(tokenizer=greedy_truncation)
BYTES = World(tokenizer=tiny_tokenizer)
FAILING = World(tokenizer=without_unknown)
CHAT = (
    "<|startoftext|><|im_start|>system\ns<|im_end|>\n"
    "<|im_start|>user\nü<|im_end|>\n<|im_start|>assistant\n"
)
VL_CHAT = (
    "<|startoftext|><|im_start|>system\n<|im_end|>\n<|im_start|>user\n<|image_start|><image>"
    "<image><|image_end|>ü<|im_end|>\n<|im_start|>assistant\n"
)


class Undecodable:
    """In place of a tokenizer whose decoder fails, which no file of ours makes one do."""

    def decode(self, *_: object, **__: object) -> str:
        raise ValueError("broken")


def break_decoder() -> None:
    loaded: Any = current().session.tokenizer
    loaded.tokenizer = Undecodable()


def push(*tokens: int) -> None:
    for token in tokens:
        tokenizer.push_generated_token_tensor(ints([token]))


def saved(folder: Path) -> tuple[str]:
    path = folder / "t.json"
    word_tokenizer().save(str(path))
    return (str(path),)


def encoded(text: str) -> torch.Tensor:
    return ints(tiny_tokenizer().encode(text, add_special_tokens=False).ids)


PUSHED = World(tokenizer=greedy_truncation, before=lambda: push(7, 2, 8))
CASES: list[Case] = [
    Case("tokenizer::load", saved, 10, after=lambda _: tokenizer.encode("big", False).item()),
    # the file's truncation and padding are off
    Case("tokenizer::encode", ("new york is big", True), ints([1, 7, 8, 9, 10, 2]), world=WORDS),
    Case("tokenizer::encode", ("", False), torch.zeros(1, 0, dtype=torch.int64), world=WORDS),
    Case("tokenizer::encode_chat", ("s", "ü"), encoded(CHAT), world=BYTES),
    Case("tokenizer::encode_vl_chat", ("", "ü", 2), encoded(VL_CHAT), world=BYTES),
    Case(
        "tokenizer::encode_padded",
        ("is big", 6, 99, True),
        Pair(ints([1, 9, 10, 2, 99, 99]), ints([1, 1, 1, 1, 0, 0])),
        world=WORDS,
    ),
    Case(
        "tokenizer::encode_padded",
        ("is big", 3, 99, True),
        Pair(ints([1, 9, 10]), ints([1, 1, 1])),
        world=WORDS,
    ),
    Case(
        "tokenizer::format_token_labels",
        ("東京都に", ints([0, 1, 1, 0, 0]), "O, LOC", True),
        "LOC\t0\t9\t東京都\n",
        world=WORDS,
    ),
    Case(
        "tokenizer::decode_generated",
        (ints([1, 7, 8, 2, -5, 2**40, 9]), 1),
        "new york is",
        world=WORDS,
    ),
    Case("tokenizer::decode_generated", (ints([1, 7]), 9), "", world=WORDS),
    Case("tokenizer::append_token", (ints([1, 2]), 3), ints([1, 2, 3])),
    Case("tokenizer::append_token_tensor", (ints([1], [2]), ints([3], [4])), ints([1, 3], [2, 4])),
    Case("tokenizer::single_token", (-7,), ints([-7])),
    Case("tokenizer::is_eos", (7,), True),
    Case("tokenizer::is_eos", (-7,), False),
    Case("tokenizer::decode_generated_tokens", (), "new york", world=PUSHED),
    Case("tokenizer::decode_generated_tokens", (), "", world=WORDS),
    Case(
        "tokenizer::push_generated_token_tensor",
        (ints([9]),),
        "new york is",
        world=PUSHED,
        after=lambda _: tokenizer.decode_generated_tokens(),
    ),
    Case(
        "tokenizer::clear_generated_tokens",
        (),
        "",
        world=PUSHED,
        after=lambda _: tokenizer.decode_generated_tokens(),
    ),
]

LABELS = "tokenizer::format_token_labels"
PLAIN: dict[str, tuple[Any, ...]] = {
    "tokenizer::encode": ("big", True),
    "tokenizer::encode_chat": ("big", "big"),
    "tokenizer::encode_vl_chat": ("big", "big", 1),
    "tokenizer::encode_padded": ("big", 3, 0, True),
    LABELS: ("big", ints(1), "O,A", True),
    "tokenizer::decode_generated": (ints([1]), 0),
    "tokenizer::decode_generated_tokens": (),
}
DECODERS = ("tokenizer::decode_generated", "tokenizer::decode_generated_tokens")
BROKEN = World(tokenizer=word_tokenizer, before=break_decoder)

REFUSALS: list[Refusal] = [
    *(Refusal(name, "no tokenizer", args, "no tokenizer loaded") for name, args in PLAIN.items()),
    *(
        Refusal(name, "encoding", args, "encoding failed: WordLevel error: Missing", FAILING)
        for name, args in PLAIN.items()
        if name not in DECODERS
    ),
    *(
        Refusal(name, "decoding", PLAIN[name], "decoding failed: broken", BROKEN)
        for name in DECODERS
    ),
    Refusal("tokenizer::load", "unreadable", ("/nowhere/t",), "cannot read /nowhere/t: "),
    Refusal("tokenizer::encode_vl_chat", "negative", ("", "", -1), "image_tokens -1", BYTES),
    Refusal("tokenizer::encode_padded", "negative", ("", -1, 0, True), "max_len -1", WORDS),
    Refusal(
        "tokenizer::encode_padded",
        "too large",
        ("is", 2**60, 0, True),
        f"[1, {2**60}] takes",
        WORDS,
    ),
    Refusal(LABELS, "negative label", ("big", ints(-1), "O", False), "negative label id -1", WORDS),
    Refusal(LABELS, "no name", ("big", ints(2), "O,A", False), "no name for label 2", WORDS),
    Refusal("tokenizer::decode_generated", "negative", (ints(1), -1), "negative prompt", WORDS),
    *each(
        "tokenizer::clear_generated_tokens tokenizer::decode_generated_tokens",
        "arguments",
        (1,),
        "no arguments expected",
        WORDS,
    ),
    Refusal("tokenizer::append_token", "torch", (ints([1], [2]), 3), "Sizes of tensors"),
    Refusal("tokenizer::append_token_tensor", "torch", (ints([1]), ints(3)), "same number of"),
]

EXEMPT = Exempt(
    floats=because(
        "ids are int64, and labels are made from int64 results",
        "tokenizer::encode tokenizer::encode_chat tokenizer::encode_vl_chat"
        " tokenizer::encode_padded tokenizer::format_token_labels tokenizer::decode_generated"
        " tokenizer::append_token tokenizer::append_token_tensor tokenizer::single_token"
        " tokenizer::push_generated_token_tensor",
    ),
)
