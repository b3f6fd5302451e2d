"""Models that the benchmarks measure with, made once and kept in the virtual environment."""

from __future__ import annotations

import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any

from tokenizers import Tokenizer, models, pre_tokenizers

WORD, WORD_ID = "hi", 9
PROMPT_MARKUP = 4
"""Tokens of a chat prompt beside the user's, by the tokenizer of `tokenizer`."""

MODELS = Path(sys.prefix) / "models"
PARAMETERS = 354_483_968
"""Of LFM2-350M."""


def tool(name: str) -> Any:
    """A module of `.ci/tools`."""
    folder = str(Path(__file__).resolve().parent.parent / ".ci" / "tools")
    if folder not in sys.path:
        sys.path.insert(0, folder)
    return __import__(name)


def tokenizer() -> Tokenizer:
    """Reads everything between spaces as one token; what a model says is not the point."""
    made = Tokenizer(models.WordLevel({WORD: WORD_ID}, unk_token=WORD))
    made.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    return made


def write_lfm2(folder: Path, **sizes: Any) -> None:
    """A checkpoint of random weights with a tokenizer, in the sizes of LFM2-350M or in others."""
    maker = tool("make_lfm2_random")
    maker.write(folder, maker.Shape(**sizes))
    tokenizer().save(str(folder / "tokenizer.json"))


@cache
def lfm2_folder() -> str:
    """The checkpoint in float32; the folder appears when it is complete."""
    folder = MODELS / "lfm2-350m-random"
    if not folder.exists():
        print("making a model in the sizes of LFM2-350M", file=sys.stderr)
        half_made = folder.with_name(f"{folder.name}.part")
        write_lfm2(half_made)
        half_made.rename(folder)
    return str(folder)


@cache
def smollm2_folder() -> str:
    """SmolLM2 with real weights, converted from GGUF to where `make demo` has it too."""
    folder = MODELS / "SmolLM2-135M-Instruct"
    if not folder.exists():
        gguf = str(tool("demo_model").smollm2_gguf())
        subprocess.run([sys.executable, "-m", "flint", "convert", gguf, str(folder)], check=True)
    return str(folder)


@cache
def lfm2_gguf(kind: str) -> str:
    """The same weights for llama.cpp: `f32`, `f16` or `q8_0`."""
    from benchmarks import lfm2_gguf as writer

    path = MODELS / f"lfm2-350m-random-{kind}.gguf"
    if not path.exists():
        print(f"making {path.name}", file=sys.stderr)
        half_made = path.with_suffix(".part")
        writer.write(Path(lfm2_folder()), half_made, kind)
        half_made.rename(path)
    return str(path)
