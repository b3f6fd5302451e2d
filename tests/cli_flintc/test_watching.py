"""`--watch` builds and runs again after a change, and says what it needs."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
_LIMIT_S = 30


def _environment() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), str(ROOT / "runtime")])}


@contextmanager
def _flintc(folder: Path, *arguments: str) -> Iterator[Path]:
    """A running command; the file that its output goes to. It is interrupted at the end."""
    output = folder / "output.txt"
    with output.open("wb") as stream:
        process = subprocess.Popen(
            [sys.executable, "-m", "flintc", *arguments],
            cwd=folder,
            env=_environment(),
            stdout=stream,
            stderr=stream,
        )
        try:
            yield output
            process.send_signal(signal.SIGINT)
            assert process.wait(_LIMIT_S) == 0
            assert not re.search("KeyboardInterrupt|already dead|Traceback", output.read_text())
        finally:
            process.kill()
            process.wait()


def _until(is_true: Callable[[], bool], act: Callable[[], object] = lambda: None) -> None:
    """Wait for something, doing `act` every few seconds: the watch may not have begun at first, and
    what it starts must be left the time to finish."""
    end = time.monotonic() + _LIMIT_S
    tries = 0
    while not is_true():
        assert time.monotonic() < end
        if tries % 30 == 0:
            act()
        tries += 1
        time.sleep(0.1)


def test_build_again_after_a_change_and_after_an_error(tmp_path: Path) -> None:
    script = tmp_path / "a.rss"
    script.write_text("print(1);\n", encoding="utf-8")
    module = tmp_path / "generated" / "a.py"
    with _flintc(tmp_path, "build", "--watch", "a.rss") as output:
        _until(module.exists)
        _until(
            lambda: "E_EXPECTED_EXPRESSION" in output.read_text(),
            lambda: script.write_text("print(1 + );\n", encoding="utf-8"),
        )
        _until(
            lambda: output.read_text().count("built generated/a.py") == 2,
            lambda: script.write_text("print(2);\n", encoding="utf-8"),
        )


def test_run_again_after_a_change(tmp_path: Path) -> None:
    script = tmp_path / "a.rss"
    text = 'use flint;\nprint("{} {}", flint::runtime::arg(0), NUMBER);\n'
    script.write_text(text.replace("NUMBER", "1"), encoding="utf-8")
    with _flintc(tmp_path, "run", "--watch", "a.rss", "two words") as output:
        _until(lambda: "two words 1" in output.read_text())
        _until(
            lambda: "two words 2" in output.read_text(),
            lambda: script.write_text(text.replace("NUMBER", "2"), encoding="utf-8"),
        )


def test_without_its_package_it_says_what_to_install(tmp_path: Path) -> None:
    (tmp_path / "a.rss").write_text("print(1);\n", encoding="utf-8")
    code = (
        "import importlib.util as util; found = util.find_spec\n"
        "util.find_spec = lambda name, *more: name != 'watchfiles' and found(name, *more) or None\n"
        "from flintc.cli import main; main(['build', '--watch', 'a.rss'])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=tmp_path,
        env=_environment(),
        capture_output=True,
        text=True,
    )
    assert done.returncode == 1
    assert "pip install 'flintc[watch]'" in done.stderr
    assert not (tmp_path / "generated").exists()
