"""Progress bars: on a terminal, for what takes long, and gone when other text comes."""

from __future__ import annotations

import os
import pty
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest
import torch
from safetensors.torch import save_file

from flint import progress
from flint.runtime import llama, weights
from flint.runtime.context import current, run
from flint.runtime.session import Session
from tests.runtime.support import on_screen
from tests.runtime.tiny_gguf import write_model


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[], str]]:
    """A terminal as stderr, and no patience; a function that gives what was written to it."""
    master, slave = pty.openpty()
    os.set_blocking(master, False)
    stream = os.fdopen(slave, "w")
    # pytest puts its own sys.stderr back before the test
    monkeypatch.setattr(progress, "sys", SimpleNamespace(stderr=stream))
    monkeypatch.setattr(progress, "PATIENCE_SECONDS", 0.0)

    def written() -> str:
        stream.flush()
        try:
            return os.read(master, 100_000).decode()
        except BlockingIOError:
            return ""

    yield written
    stream.close()
    os.close(master)


def checkpoint(folder: Path) -> str:
    """Three weights of 4000 bytes."""
    tensors = {name: torch.zeros(1000) for name in "abc"}
    save_file(tensors, folder / "w.safetensors")
    return str(folder / "w.safetensors")


def test_weights(terminal: Callable[[], str], tmp_path: Path) -> None:
    path = checkpoint(tmp_path)
    seen: list[str] = []

    def main() -> None:
        weights.load(path)
        weights.get("a")
        seen.append(on_screen(terminal()))
        weights.get("a")
        seen.append(on_screen(terminal()))
        weights.get("b")
        seen.append(on_screen(terminal()))

    run(main, session=Session("cpu"))
    size = os.path.getsize(path)
    assert seen[0].startswith(f"weights: {4000 / size:4.0%}")
    assert seen[1] == ""
    assert seen[2].startswith(f"weights: {8000 / size:4.0%}")
    # the third weight was never used: the bar goes with the run
    assert on_screen(terminal()) == ""


def test_text_comes_after_the_bar(terminal: Callable[[], str], tmp_path: Path) -> None:
    path = checkpoint(tmp_path)
    seen: list[str] = []

    def main() -> None:
        weights.load(path)
        weights.get("a")
        assert "weights" in on_screen(terminal())
        current().emit("text")

    run(main, session=Session("cpu"), on_text=lambda text: seen.append(on_screen(terminal())))
    assert seen == [""]


def test_short_loads_show_nothing(
    terminal: Callable[[], str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(progress, "PATIENCE_SECONDS", 60.0)
    path = checkpoint(tmp_path)
    run(lambda: (weights.load(path), weights.get("a"), weights.get("b")), session=Session("cpu"))
    assert terminal() == ""


def test_without_a_terminal_there_is_no_bar(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(progress, "PATIENCE_SECONDS", 0.0)
    path = checkpoint(tmp_path)
    run(lambda: (weights.load(path), weights.get("a"), weights.get("b")), session=Session("cpu"))
    assert capsys.readouterr().err == ""


def load_model(path: str) -> None:
    backend = llama.backend_init("cpu")
    llama.model_load(backend, llama.model_params_init(backend), path)


def test_llama_model(terminal: Callable[[], str], tmp_path: Path) -> None:
    path = write_model(tmp_path / "m.gguf", layers=8)
    run(lambda: load_model(path))
    written = terminal()
    assert "model:" in written
    assert on_screen(written) == ""


def test_interrupting_a_load(
    terminal: Callable[[], str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ctrl-C while llama.cpp loads arrives in its callback, and ends the run as elsewhere."""

    def interrupted(self: object, part: float) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(progress.Progress, "reach", interrupted)
    path = write_model(tmp_path / "m.gguf")
    with pytest.raises(KeyboardInterrupt):
        run(lambda: load_model(path))
    monkeypatch.undo()
    run(lambda: load_model(path))
