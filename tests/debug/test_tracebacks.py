"""Errors come with their places in the script, as much Python as is asked for, and no more."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import pytest
from click.testing import CliRunner

from flint.runtime import launch
from flintc.cli import main, running

SCRIPT = """\
use flint;

fn mlp(hidden: int, weight: int) -> int {
    // [1, 2] by a weight for 3 columns
    flint::nn::linear(hidden, weight, 0)
}

fn deep(n: int) -> int {
    if n == 0 => {
        let none = [0]; none[n + 1]
    } else => {
        deep(n - 1)
    }
}

let choice = flint::runtime::arg(0);
if choice == "deep" {
    println(deep(30));
} else if choice == "shapes" {
    let row: int = flint::tensor::view2(flint::tensor::arange(2), 1, 2);
    mlp(row, flint::tensor::view2(flint::tensor::arange(9), 3, 3));
} else {
    let items = [1, 2]; println("é" + items[choice.length]);
}
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("tracebacks")
    (folder / "scripts").mkdir()
    (folder / "scripts" / "failing.rss").write_text(SCRIPT, encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        assert CliRunner().invoke(main, ["build", "scripts/failing.rss"]).exit_code == 0
    return folder


LINE = 23  # of the index that does not exist


class Failing:
    """The program in a folder, run in this process; each way returns what is said on stderr."""

    def __init__(self, capfd: pytest.CaptureFixture[str], patch: pytest.MonkeyPatch) -> None:
        self.capfd = capfd
        self.patch = patch

    def by_module(self, folder: Path, word: str) -> str:
        """As `python -m generated.failing WORD`."""
        found = spec_from_file_location("generated.failing", folder / "generated" / "failing.py")
        assert found is not None
        assert found.loader is not None
        module = module_from_spec(found)
        found.loader.exec_module(module)
        self.patch.chdir(folder)
        self.patch.setattr("sys.argv", ["failing", word])
        assert launch.run_main(module.main) == 1
        return self.capfd.readouterr().err

    def by_script(self, folder: Path, word: str) -> str:
        """As `flintc run scripts/failing.rss WORD`."""
        self.patch.chdir(folder)
        assert running.run("scripts/failing.rss", [word], None) == 1
        return self.capfd.readouterr().err


@pytest.fixture
def failing(capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Failing:
    return Failing(capfd, monkeypatch)


def test_an_error_of_the_program(folder: Path, failing: Failing) -> None:
    text = failing.by_module(folder, "index")
    head, place, line, carets = text.splitlines()
    assert head == "Error: host error: array index 5 out of bounds"
    module_line = place.rpartition(":")[2].rstrip(")")
    assert (
        place == f"  at scripts/failing.rss:{LINE}:39 in main (generated/failing.py:{module_line})"
    )
    generated = (folder / "generated/failing.py").read_text(encoding="utf-8").splitlines()
    assert "items" in generated[int(module_line) - 1]
    # the column counts code points, the carets stand below what failed
    assert line[carets.index("^") : carets.rindex("^") + 1] == "items[choice.length]"
    assert failing.by_script(folder, "index").splitlines()[1:2] == [place.partition(" (")[0]]


def test_deep_stacks_are_cut(folder: Path, failing: Failing) -> None:
    text = failing.by_module(folder, "deep")
    places = [line for line in text.splitlines() if line.startswith("  at ")]
    assert "scripts/failing.rss:10:25 in deep" in places[0]
    assert "in main" in places[-1]
    assert len(places) == 8 + 2
    # deep(30) to deep(0), and main
    assert f"  … {31 + 1 - 10} more calls" in text.splitlines()


@pytest.mark.parametrize("level", ["1", "full"])
def test_tracebacks_on_request(
    folder: Path, failing: Failing, monkeypatch: pytest.MonkeyPatch, level: str
) -> None:
    monkeypatch.setenv("FLINT_TRACEBACK", level)
    text = failing.by_module(folder, "index")
    assert text.startswith("Traceback (most recent call last):\n")
    assert f'File "{folder}/generated/failing.py", line ' in text
    assert f"\nat scripts/failing.rss:{LINE}:39 in main" in text
    assert text.endswith("\nError: host error: array index 5 out of bounds\n")
    assert ("/flint/runtime/launch.py" in text) == (level == "full")
    assert ("/flint/runtime/context.py" in text) == (level == "full")


def test_what_a_host_function_refuses(folder: Path, failing: Failing) -> None:
    """One line for the user of a program; the place for who runs a script; shapes for both."""
    message = "Error: host error: flint::nn::linear: "
    (line,) = failing.by_module(folder, "shapes").splitlines()
    assert line.startswith(message)
    assert "[1, 2]" in line
    assert "[3, 3]" in line
    places = failing.by_script(folder, "shapes").splitlines()
    assert places[0] == line
    assert places[1] == "  at scripts/failing.rss:5:5 in mlp"
    assert places[2].strip() == "flint::nn::linear(hidden, weight, 0)"
    assert places[4] == "  at scripts/failing.rss:21:5 in main"


def test_python_prints_the_places_below_its_own_traceback(folder: Path) -> None:
    root = Path(__file__).resolve().parents[2]
    code = (
        "import flint; from generated import failing; "
        "flint.ScriptRunner().run_text(failing, ['index'])"
    )
    path = os.pathsep.join((str(folder), str(root), str(root / "runtime")))
    text = subprocess.run(
        [sys.executable, "-c", code],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=False,
    ).stderr
    own, _, notes = text.partition("flint.lang.errors.HostError: ")
    assert f'File "{folder}/generated/failing.py", line ' in own
    assert f"\nat scripts/failing.rss:{LINE}:39 in main (generated/failing.py:" in notes


def test_a_stale_map_gives_the_module_and_advice(
    folder: Path, failing: Failing, tmp_path: Path
) -> None:
    shutil.copytree(folder, tmp_path, dirs_exist_ok=True)
    script = tmp_path / "scripts" / "failing.rss"
    script.write_text("// a line more\n" + SCRIPT, encoding="utf-8")
    line = failing.by_module(tmp_path, "index").splitlines()[1]
    assert line.startswith("  at generated/failing.py:")
    assert "is stale: scripts/failing.rss changed" in line
    assert "flintc build scripts/failing.rss" in line
    script.unlink()  # a module may be used without its script
    line = failing.by_module(tmp_path, "index").splitlines()[1]
    assert line.startswith(f"  at scripts/failing.rss:{LINE}:")
