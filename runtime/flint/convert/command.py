"""The command `flint convert MODEL.gguf OUT_DIR`."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import click

from flint.convert.architectures import layout_of
from flint.convert.layout import end_token_ids
from flint.convert.source import GgufModel
from flint.report import UserError
from flint.runtime.launch import run_command
from flint.whole_file import written_whole


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("model", metavar="MODEL.gguf")
@click.argument("folder", metavar="OUT_DIR")
def command(model: str, folder: str) -> None:
    """Write a GGUF model as safetensors with configuration and tokenizer, to the new OUT_DIR.

    Knows models of the Llama family and LFM2. Quantised weights become float32.
    """
    sys.exit(run_command(lambda: print(convert(model, folder))))


def convert(path: str, folder: str) -> str:
    """Convert the model and say what was written.

    `folder` must not exist; it appears when it is complete. Memory stays small: tensors are read
    and written a few rows at a time. `UserError` for what cannot be converted.
    """
    from flint.convert.vocabulary import tokenizer_config, tokenizer_of
    from flint.convert.weights import TORCH_NAMES, exact_dtype, write_weights

    with _new_folder(Path(folder)) as target:
        model = GgufModel(path)
        layout = layout_of(model)
        tokenizer = tokenizer_of(model)
        dtype = exact_dtype(layout.weights)
        _write(target / "config.json", layout.config | {"torch_dtype": TORCH_NAMES[dtype]})
        _write(target / "generation_config.json", _generation(layout.config, model))
        _write(target / "tokenizer_config.json", tokenizer_config(model))
        tokenizer.save(str(target / "tokenizer.json"))
        write_weights(target / "model.safetensors", layout.weights, dtype)
        size = (target / "model.safetensors").stat().st_size
    return f"{folder}: {len(layout.weights)} weights in {TORCH_NAMES[dtype]}, {size // 10**6} MB"


def _generation(config: dict[str, Any], model: GgufModel) -> dict[str, Any]:
    ids = {name: config[name] for name in ("bos_token_id", "pad_token_id")}
    return ids | {"eos_token_id": end_token_ids(model)}


def _write(path: Path, content: dict[str, Any]) -> None:
    known = {name: value for name, value in content.items() if value is not None}
    path.write_text(f"{json.dumps(known, indent=2, ensure_ascii=False)}\n", encoding="utf-8")


@contextmanager
def _new_folder(folder: Path) -> Iterator[Path]:
    """A folder beside `folder`, which gets its name when all has been written, and else goes."""
    try:
        if folder.exists() or folder.is_symlink():
            raise UserError(f"{folder} exists already; name a folder that does not")
        with suppress(FileExistsError):
            folder.parent.mkdir(parents=True)
        with written_whole(folder) as complete:
            complete.mkdir()
            yield complete
    except OSError as error:
        raise UserError(f"cannot write {folder}: {error.strerror or error}") from None
