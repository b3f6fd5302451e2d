"""The command on a terminal: a bar that goes away, and Ctrl-C."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from tests.runtime.support import ROOT, on_screen
from tests.sd.support import SCRIPT, THREADS, model, pixels
from toy_klein import Paths


@contextmanager
def on_a_terminal(*arguments: str) -> Iterator[tuple[subprocess.Popen[bytes], int]]:
    """The running command, and the other side of the terminal that is its stderr."""
    ours, theirs = os.openpty()
    with subprocess.Popen(
        [sys.executable, "-m", "flint", "--sd", "--script", SCRIPT, *arguments],
        stdout=subprocess.PIPE,
        stderr=theirs,
        env=os.environ | {"PYTHONPATH": f"{ROOT}{os.pathsep}{ROOT / 'runtime'}"} | THREADS,
    ) as process:
        os.close(theirs)
        yield process, ours
    os.close(ours)


def shown_until(word: str, terminal: int) -> str:
    """What the terminal shows up to `word`, or to its end."""
    shown = b""
    with suppress(OSError):  # Linux: the other side is closed
        while word.encode() not in shown and (chunk := os.read(terminal, 4096)):
            shown += chunk
    return shown.decode()


def test_the_command_makes_the_librarys_image_and_shows_its_progress(
    klein: Paths, expected: Path, tmp_path: Path
) -> None:
    output = tmp_path / "not" / "yet" / "there.png"
    arguments = [*model(klein), "a cat", str(output), "64", "64", "2", "1"]
    with on_a_terminal(*arguments) as (process, terminal):
        shown = shown_until("never shown", terminal)
        assert process.stdout is not None
        assert process.stdout.read() == f"{output}\n".encode()  # and nothing else
    assert process.returncode == 0
    assert "loading: " in shown
    for step in range(3):
        assert f"sampling: {step / 2:4.0%}" in shown
        assert f" {step}/2 [" in shown
    assert on_screen(shown) == ""  # the bar is gone when it is done
    assert pixels(output) == pixels(expected)
    assert [path.name for path in output.parent.iterdir()] == ["there.png"]
    assert len(set(pixels(output)[2])) > 100  # no plain area


def test_ctrl_c_ends_the_command_in_the_middle_of_an_image(klein: Paths, tmp_path: Path) -> None:
    arguments = [*model(klein), "a cat", str(tmp_path / "a.png"), "64", "64", "1000", "1"]
    with on_a_terminal(*arguments) as (process, terminal):
        assert "1/1000" in shown_until("1/1000", terminal)
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=60) == -signal.SIGINT
    assert not list(tmp_path.iterdir())
