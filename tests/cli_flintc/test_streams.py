"""Streams that are closed or full, and a current folder that is gone: one line, no traceback."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="uses /dev/full and `sh`")

HELLO = 'let text = "hello";\nprintln(text);\nprintln("{} {}", text, 1);\n'
FLINTC = [sys.executable, "-m", "flintc"]
RUNS = {
    "build": [*FLINTC, "build", "-o", "other", "hello.rss"],
    "check": [*FLINTC, "check", "bad.rss"],
    "run": [*FLINTC, "run", "hello.rss"],
    "exec": [*FLINTC, "exec", "--json", "hello.rss"],
    "fmt": [*FLINTC, "fmt", "--check", "hello.rss"],
    "explain": [*FLINTC, "explain"],
    "module": [sys.executable, "-m", "generated.hello"],
    "flint": [sys.executable, "-m", "flint", "--llama", "--script", "hello.rss"],
}
PRINTING = ["run", "exec", "fmt", "explain", "module", "flint"]


def _run(command: list[str], redirection: str, folder: Path, root: Path) -> tuple[int, str, str]:
    path = os.pathsep.join([str(folder), str(root), str(root / "runtime")])
    done = subprocess.run(
        ["sh", "-c", f'"$@" {redirection}', "sh", *command],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        timeout=60,
    )
    return done.returncode, done.stdout, done.stderr


@pytest.fixture
def scripts(flintc: Callable[..., Result], folder: Path) -> Path:
    (folder / "hello.rss").write_text(HELLO)
    (folder / "bad.rss").write_text("println(1")
    assert flintc("build", "hello.rss").exit_code == 0
    return folder


@pytest.mark.parametrize("name", RUNS)
def test_closed_output(name: str, scripts: Path, root: Path) -> None:
    code, _, errors = _run(RUNS[name], ">&-", scripts, root)
    assert code == int(name == "check")
    assert "Error" not in errors
    assert "defect" not in errors


@pytest.mark.parametrize("name", RUNS)
def test_closed_errors(name: str, scripts: Path, root: Path) -> None:
    code, output, _ = _run(RUNS[name], "2>&-", scripts, root)
    assert code == int(name == "check")
    assert "Error" not in output
    assert "defect" not in output


@pytest.mark.parametrize("name", PRINTING)
def test_a_full_device(name: str, scripts: Path, root: Path) -> None:
    code, _, errors = _run(RUNS[name], ">/dev/full", scripts, root)
    assert code == 1
    assert errors.lower() == "error: [errno 28] no space left on device\n"


@pytest.mark.parametrize("command", ["build", "check", "run", "exec --json"])
def test_a_folder_that_is_gone(command: str, scripts: Path, root: Path) -> None:
    gone = scripts / "gone"
    gone.mkdir()
    script = f'cd gone && rmdir ../gone && exec "$0" -m flintc {command} ../hello.rss'
    code, output, errors = _run(["sh", "-c", script, sys.executable], "", scripts, root)
    assert (code, output) == (1, "")
    assert errors.endswith("error: the current folder no longer exists\n")
