"""The project's launch configurations, and a tiny LFM2 model to debug with."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from make_lfm2_random import Shape, write
from tests.torch.made_tokenizers import tiny_tokenizer

HIDDEN, FEED_FORWARD = 64, 96

Settings = Callable[..., dict[str, Any]]


@pytest.fixture
def settings(root: Path) -> Settings:
    """A configuration of `.vscode/launch.json` with other arguments, here and without a venv."""
    text = (root / ".vscode" / "launch.json").read_text(encoding="utf-8")
    known = json.loads(text.replace("${workspaceFolder}", str(root)))["configurations"]

    def configured(name: str, **changes: Any) -> dict[str, Any]:
        found = next(each for each in known if each["name"] == name)
        path = os.pathsep.join((str(root), str(root / "runtime")))
        return {**found, "env": {"PYTHONPATH": path, "OMP_NUM_THREADS": "1"}, **changes}

    return configured


@pytest.fixture(scope="session")
def lfm2_words(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """The arguments of the LFM2 program: a model of three layers, the second one with attention."""
    folder = tmp_path_factory.mktemp("lfm2")
    tokenizer = tiny_tokenizer()
    size = tokenizer.get_vocab_size()
    write(folder, Shape(size, HIDDEN, FEED_FORWARD, 3, attention_layers=(1,), heads=4, key_heads=2))
    tokenizer.save(str(folder / "tokenizer.json"))
    return [str(folder), str(folder / "tokenizer.json"), "Be brief.", "Hi", "2"]


def line_of(path: Path, pattern: str) -> int:
    """The only line of a file in which a pattern is found."""
    lines = path.read_text(encoding="utf-8").splitlines()
    found = [number for number, line in enumerate(lines, start=1) if re.search(pattern, line)]
    assert len(found) == 1, found
    return found[0]
