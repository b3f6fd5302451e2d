"""What is no file to read is refused at once: a pipe would be waited for, a device never ends."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

import flint
from flint.regular_file import require_regular
from flint.runtime import llama, tokenizer
from flint.runtime.context import run
from flint.runtime.host import Refused
from flint.runtime.images import UnreadableImage, read_image
from flint.runtime.model_folder import ModelFolder
from flint.runtime.session import Session

pytestmark = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes in folders")


def load_llama(path: str) -> None:
    backend = llama.backend_init("cpu")
    llama.model_load(backend, llama.model_params_init(backend), path)


REFUSALS = (flint.HostError, Refused, UnreadableImage)
READERS: dict[str, Callable[[str], object]] = {
    "tokenizer": tokenizer.load,
    "folder": lambda path: ModelFolder(Path(path).parent)._text(Path(path).name),
    "image": read_image,
    "llama": load_llama,
}


@pytest.fixture
def pipe(tmp_path: Path) -> str:
    os.mkfifo(tmp_path / "pipe")
    return str(tmp_path / "pipe")


@pytest.mark.parametrize("reader", READERS.values(), ids=READERS)
def test_pipes_and_devices(reader: Callable[[str], object], pipe: str) -> None:
    for path in (pipe, "/dev/zero"):
        with pytest.raises(REFUSALS, match="not a regular file"):
            run(partial(reader, path), session=Session("cpu"))


def test_files_and_links_are_read(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    (tmp_path / "link").symlink_to("file")
    require_regular(tmp_path / "link")


@pytest.mark.parametrize(
    ("name", "kind"),
    [("none", FileNotFoundError), ("", IsADirectoryError), ("file/a", NotADirectoryError)],
)
def test_missing_files_and_folders(name: str, kind: type[OSError], tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(kind):
        require_regular(tmp_path / name)
