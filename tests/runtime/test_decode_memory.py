"""Over 500 steps of decoding nothing stays in memory but keys, values and the tokens themselves."""

from __future__ import annotations

import gc
import sys
from pathlib import Path
from typing import NamedTuple

import pytest
import torch
from tokenizers import Tokenizer

import flint
from flint.runtime import growth
from flint.runtime.context import current
from generated import lfm2
from generated.layers import lfm2 as decoder
from tests.torch import lfm2_model

EARLY, LATE = 10, 510
FLOAT, INT = 4, 8
# of the tiny model: layers with attention, keys and values; heads, head size
CACHES, CACHE_BYTES_A_STEP = 2 * 2, 2 * 16 * FLOAT


class Memory(NamedTuple):
    """What is alive: memory of tensors, its bytes, and blocks of memory of Python's own objects.

    Keys and values, which have room to grow, are counted apart.
    """

    storages: int
    tensor_bytes: int
    caches: int
    cache_bytes: int
    python_blocks: int


def measured() -> Memory:
    gc.collect()
    # tables of positions are there once and double when they have to
    tables = {
        table.untyped_storage().data_ptr() for table in current().tensors.rope_tables.values()
    }
    found = [item for item in gc.get_objects() if type(item) is torch.Tensor]
    growing: dict[int, int] = {}
    others: dict[int, int] = {}
    for item in found:
        memory = item.untyped_storage()
        if memory.data_ptr() not in tables:
            kind = growing if growth.is_grown(item) else others
            kind[memory.data_ptr()] = memory.nbytes()
    return Memory(
        len(others),
        sum(others.values()),
        len(growing),
        sum(growing.values()),
        sys.getallocatedblocks(),
    )


def prompt_length(folder: Path) -> int:
    """Tokens of the prompt: the markup, `Hi` and two line ends, by the model's own tokenizer."""
    text = "<|startoftext|><|im_start|>user\nHi<|im_end|>\n<|im_start|>assistant\n"
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    return len(tokenizer.encode(text, add_special_tokens=False).ids)


def test_500_steps(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lfm2_model.save(tmp_path)
    model = decoder.model
    seen: dict[int, Memory] = {}
    steps = 0

    def counted(
        tokens: torch.Tensor, prefix: str, position: int, incremental: bool
    ) -> torch.Tensor:
        nonlocal steps
        logits = model(tokens, prefix, position, incremental)
        steps += incremental
        if steps in (EARLY, LATE) and steps not in seen:
            seen[steps] = measured()
        return logits

    monkeypatch.setattr(decoder, "model", counted)
    words = [str(tmp_path), str(tmp_path / "tokenizer.json"), "", "Hi", str(LATE + 1), "1"]
    output = flint.TorchScriptRunner("cpu").run_text(lfm2, words)
    assert output.generated_tokens == LATE + 1
    early, late = seen[EARLY], seen[LATE]
    steps = LATE - EARLY
    # the script keeps one tensor of one int64 for every token
    assert late.storages - early.storages == steps
    assert late.tensor_bytes - early.tensor_bytes == steps * INT
    # the caches have a quarter of what is in them as room, and 128 entries at least
    assert early.caches == late.caches == CACHES
    needed = (prompt_length(tmp_path) + LATE) * CACHE_BYTES_A_STEP
    assert needed <= late.cache_bytes / CACHES < 1.25 * needed + 128 * CACHE_BYTES_A_STEP
    # which takes a few blocks: the object, its view's base, its place in a list
    assert late.python_blocks - early.python_blocks < 8 * steps
