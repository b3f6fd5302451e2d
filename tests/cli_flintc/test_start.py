"""The command starts fast, imports little, and says so when it is the one at fault."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

from flintc import compiler

Flintc = Callable[..., Result]

HEAVY = ("torch", "numpy", "black", "parso", "tokenizers", "llama_cpp", "flint")
_LIMIT_S = 0.150


@pytest.fixture
def environment(root: Path) -> dict[str, str]:
    path = os.pathsep.join([str(root), str(root / "runtime")])
    return {**os.environ, "PYTHONPATH": path}


def imported(arguments: list[str], environment: dict[str, str], folder: Path) -> set[str]:
    """The modules that a command imports."""
    command = [sys.executable, "-X", "importtime", "-m", "flintc", *arguments]
    ran = subprocess.run(command, env=environment, cwd=folder, capture_output=True, text=True)
    assert ran.returncode == 0
    lines = (line for line in ran.stderr.splitlines() if line.startswith("import time:"))
    return {line.rpartition("|")[2].strip() for line in lines}


@pytest.mark.parametrize(
    ("arguments", "unneeded"),
    [
        (["--help"], (*HEAVY, "flintc.driver", "json")),
        (["explain", "E_UNWRAP"], (*HEAVY, "flintc.driver")),
        (["check", "a.rss"], HEAVY),
        (["fmt", "a.rss"], (*HEAVY, "flintc.driver")),
        (["build", "a.rss"], tuple(name for name in HEAVY if name != "black")),
        (["run", "a.rss"], tuple(name for name in HEAVY if name != "flint")),
    ],
    ids=lambda value: value[0] if isinstance(value, list) else "",
)
def test_imports(
    environment: dict[str, str], folder: Path, arguments: list[str], unneeded: tuple[str, ...]
) -> None:
    (folder / "a.rss").write_text("println(1);\n")
    assert imported(arguments, environment, folder).isdisjoint(unneeded)


def test_an_unchanged_build_imports_no_formatter(
    environment: dict[str, str], flintc: Flintc, folder: Path
) -> None:
    (folder / "a.rss").write_text("println(1);\n")
    assert flintc("build", "a.rss").exit_code == 0
    assert "black" not in imported(["build", "a.rss"], environment, folder)


@pytest.mark.skipif(os.name != "posix", reason="measures the CPU time of child processes")
def test_help_is_instant(environment: dict[str, str]) -> None:
    """Processor time, so that a busy machine does not matter; the best of five."""

    def seconds() -> float:
        before = os.times()
        command = [sys.executable, "-m", "flintc", "--help"]
        subprocess.run(command, env=environment, check=True, capture_output=True)
        after = os.times()
        user = after.children_user - before.children_user
        return user + after.children_system - before.children_system

    seconds()  # compiles the byte code
    assert min(seconds() for _ in range(5)) < _LIMIT_S


def test_version(flintc: Flintc) -> None:
    from flintc import __version__

    assert flintc("--version").stdout == f"flintc {__version__}\n"


def test_every_command_has_help(flintc: Flintc) -> None:
    for command in ("build", "check", "run", "exec", "fmt", "explain"):
        result = flintc(command, "--help")
        assert result.exit_code == 0
        assert result.stdout.startswith(f"Usage: main {command} ")


def test_a_stream_that_lacks_characters(environment: dict[str, str], folder: Path) -> None:
    (folder / "größe.rss").write_text("1;\n")
    ran = subprocess.run(
        [sys.executable, "-m", "flintc", "fmt", "größe.rss"],
        env={**environment, "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "1"},
        cwd=folder,
        capture_output=True,
    )
    shown = b"already formatted gr\\xf6\\xdfe.rss\n"
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, shown, b"")


# -- faults of flintc itself -----------------------------------------------------------------


def test_an_incomplete_installation(folder: Path, root: Path) -> None:
    """Without our `flint`, or with another package of that name: one line, no traceback."""
    (folder / "a.rss").write_text("1;\n")
    (folder / "flint").mkdir()
    (folder / "flint/__init__.py").write_text("")
    path = os.pathsep.join([str(folder), str(root)])
    ran = subprocess.run(
        [sys.executable, "-m", "flintc", "check", "a.rss"],
        env={**os.environ, "PYTHONPATH": path},
        cwd=folder,
        capture_output=True,
        text=True,
    )
    assert (ran.returncode, ran.stdout) == (1, "")
    assert ran.stderr.startswith("error: flintc needs its own runtime package `flint`")
    assert "Traceback" not in ran.stderr


def test_a_defect_is_reported_as_one(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from flintc.cli import main

    def fail(path: str, **options: object) -> None:
        raise KeyError("lost")

    (folder / "a.rss").write_text("1;\n")
    monkeypatch.setattr(compiler, "check_file", fail)
    with pytest.raises(SystemExit) as exit_:
        main(["check", "a.rss"])
    assert exit_.value.code == 1
    assert capsys.readouterr().err == (
        "internal error: KeyError: 'lost'\n"
        "This is a defect of flintc. FLINT_TRACEBACK=full shows where.\n"
    )
