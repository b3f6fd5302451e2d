"""An error planted on line N of a 500-line program is reported on line N, whoever reports it."""

from __future__ import annotations

import importlib
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner

import debug_client
import flint
from flintc import map_files
from flintc.cli import main
from tests.debug.conftest import Settings
from tests.debug.test_source_map import numbered_program

LINES = 500
# Statements of the program's top level, and one inside a function.
PLACES = [14, 266, 494, 500]
PLANTED = "println(items[total + 7]);"
CRLF = "\r\n"


def write(text: str, newline: str = "\n") -> None:
    Path("planted.rss").write_bytes(text.replace("\n", newline).encode())


def flintc(*words: str) -> str:
    return CliRunner().invoke(main, words).stderr


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    known = {name for name in sys.modules if name.partition(".")[0] == "generated"}
    kept = {name: sys.modules.pop(name) for name in known}
    yield tmp_path
    for name in [name for name in sys.modules if name.partition(".")[0] == "generated"]:
        del sys.modules[name]
    sys.modules.update(kept)


@pytest.mark.parametrize(
    ("line", "newline"), [*((line, "\n") for line in PLACES), (PLACES[1], CRLF)]
)
def test_errors_name_the_line(line: int, newline: str) -> None:
    for wrong in ("let = 1;", "println(missing);"):
        write(numbered_program(LINES, line, wrong), newline)
        assert f" planted.rss:{line}:" in flintc("check", "planted.rss").replace("-->", "")

    write(numbered_program(LINES, line, PLANTED), newline)
    assert f"  at planted.rss:{line}:9 in main\n" in flintc("run", "planted.rss")

    assert "error" not in flintc("build", "planted.rss")
    mapped = map_files.read("generated/planted.py")
    failed = _failure_of_the_module()
    (python_line,) = re.findall(r"\(generated/planted.py:(\d+)\)", failed)
    assert failed.startswith(f"at planted.rss:{line}:9 in main (")
    assert failed.split("\n")[1].strip() == PLANTED
    assert mapped.map.to_script(int(python_line))[0].line == line
    assert int(python_line) in [piece.line for piece in mapped.map.to_output(line)]


def _failure_of_the_module() -> str:
    """The first note of the error that the generated module ends in."""
    importlib.invalidate_caches()
    module = importlib.import_module("generated.planted")
    with pytest.raises(flint.ScriptError) as caught:
        flint.ScriptRunner().run_text(module)
    return str(caught.value.__notes__[0])


def test_the_debugger_stops_on_the_line(folder: Path, settings: Settings) -> None:
    write(numbered_program(LINES, PLACES[1], PLANTED))
    script = folder / "planted.rss"
    start = settings("RustScript: this file", args=["planted.rss"], cwd=str(folder))
    with debug_client.launch(start, {script: [PLACES[1]]}) as client:
        stack = client.stopped()
        assert (stack[0].name, stack[0].line) == ("main", PLACES[1])
        client.request("continue", threadId=client.thread)
        assert client.event("exited")["exitCode"] == 1
        assert f"at planted.rss:{PLACES[1]}:9 in main" in client.output
