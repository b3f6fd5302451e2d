"""`flintc run`, `flintc exec`, `python -m generated.…` and `flint.compile_source` agree.

Compared are output, error text and exit status; result stacks, which only `exec` shows, are left
to test_conformance.py. A sample runs always, the whole suite with `-m long`.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests import ways

ROOT = Path(__file__).resolve().parent.parent
GIVEN = ROOT / "tests" / "conformance" / "given"
SAMPLE = 24  # every so manyth program


def _programs() -> list[tuple[Path, dict[str, Any]]]:
    """Main files and their results, in a fixed order."""
    found = []
    for result in sorted(GIVEN.rglob("*.json")):
        alone = result.with_suffix(".rss")
        path = alone if alone.exists() else result.with_suffix("") / "main.rss"
        found.append((path, json.loads(result.read_text(encoding="utf-8"))))
    return found


PROGRAMS = _programs()


def _check(path: Path, folder: Path) -> ways.Outcome:
    outcome = ways.by_run(path)
    assert ways.by_exec(path) == outcome
    assert ways.by_module(path, folder) == outcome
    assert ways.by_embedding(path) == outcome
    return outcome


@pytest.mark.parametrize(
    ("path", "result"), PROGRAMS[::SAMPLE], ids=lambda value: getattr(value, "stem", "")
)
def test_a_sample(
    path: Path, result: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    outcome = _check(path, tmp_path)
    assert outcome.code == (result["status"] != "ok")
    if result["status"] != "compile_error":
        assert outcome.stdout == result["stdout"]
        # the suite gives as much of a message as is part of the language
        assert (outcome.error or "").startswith(
            result["error"]["message"] if result["error"] else ""
        )


@pytest.mark.slow
@pytest.mark.long
@pytest.mark.parametrize("first", range(SAMPLE))
def test_every_program(first: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for number, (path, _) in enumerate(PROGRAMS[first::SAMPLE]):
        folder = tmp_path / str(number)
        folder.mkdir()
        monkeypatch.chdir(folder)
        _check(path, folder)


# -- as processes ------------------------------------------------------------------------------

_EMBEDDED = """
import sys, flint
from pathlib import Path
try:
    flint.ScriptRunner().run_text(flint.compile_source(Path(sys.argv[1]).read_text()).program)
except flint.ScriptError as error:
    sys.exit(f"Error: {error}")
"""
FAILING = (
    'println("before");\nlet items = [1, 2];\nlet at = items.length + 1;\nprintln(&items[at]);\n'
)


def _process(folder: Path, *arguments: str) -> tuple[str, str, int]:
    path = os.pathsep.join((str(ROOT), str(ROOT / "runtime")))
    done = subprocess.run(
        [sys.executable, *arguments],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=False,
    )
    return done.stdout, done.stderr.partition("\n")[0], done.returncode


def test_as_processes(tmp_path: Path) -> None:
    (tmp_path / "failing.rss").write_text(FAILING)
    message = "host error: array index 3 out of bounds"
    _process(tmp_path, "-m", "flintc", "build", "failing.rss")
    expected = ("before\n", f"Error: {message}", 1)
    assert _process(tmp_path, "-m", "flintc", "run", "failing.rss") == expected
    # the folder of the process comes first on the path: its `generated`, not the project's
    assert _process(tmp_path, "-m", "generated.failing") == expected
    assert _process(tmp_path, "-c", _EMBEDDED, "failing.rss") == expected
    printed, errors, code = _process(tmp_path, "-m", "flintc", "exec", "--json", "failing.rss")
    result = json.loads(printed)
    assert (result["stdout"], f"Error: {result['error']['message']}", code) == expected
    assert errors == ""
