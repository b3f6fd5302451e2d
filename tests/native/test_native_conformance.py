"""Compiled programs of the conformance suite print what the reference printed, and fail as it did.

Programs of one file are compiled as one group, which saves most of the time. A few run always, all
with `-m long`.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from flintc.cli import building, mypyc_run, native

ROOT = Path(__file__).resolve().parents[2]
GIVEN = ROOT / "tests" / "conformance" / "given"
BENCH = ROOT / "tests" / "conformance" / "bench"
RUNNER = Path(__file__).with_name("outcomes.py")
PARTS = 12  # of the suite
SAMPLE = 150  # every so manyth program

Case = tuple[Path, dict[str, Any]]


def _cases() -> list[Case]:
    """The programs that compile, with their results."""
    found = []
    for result in sorted(GIVEN.rglob("*.json")):
        wanted = json.loads(result.read_text(encoding="utf-8"))
        if wanted["status"] != "compile_error":
            alone = result.with_suffix(".rss")
            path = alone if alone.exists() else result.with_suffix("") / "main.rss"
            found.append((path, wanted))
    return found


CASES = _cases()
ALONE = [case for case in CASES if case[0].name != "main.rss"]
SEVERAL_FILES = [case for case in CASES if case[0].name == "main.rss"]


@pytest.fixture(autouse=True)
def quick_build(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An empty folder; one group for all programs of a build, without optimisation."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(mypyc_run, "_LEVEL", "0")
    monkeypatch.setattr(native, "_connected", lambda programs: [list(programs)])


def _outcomes(names: Sequence[str]) -> dict[str, tuple[str, str | None]]:
    """What the compiled programs of the current folder do, in a process of their own."""
    path = os.pathsep.join((str(ROOT / "runtime"), str(ROOT)))
    done = subprocess.run(
        [sys.executable, str(RUNNER), os.getcwd(), *names],
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return {name: (printed, error) for name, (printed, error) in json.loads(done.stdout).items()}


def _check(outcome: tuple[str, str | None], path: Path, wanted: dict[str, Any]) -> None:
    printed, error = outcome
    assert printed == wanted["stdout"], path
    expected = wanted["error"]["message"] if wanted["error"] else None
    assert (error is None) == (expected is None), (path, error)
    # the suite gives as much of a message as is part of the language
    assert (error or "").startswith(expected or ""), path


def _check_together(cases: Sequence[Case]) -> None:
    files = []
    for number, (path, _) in enumerate(cases):
        shutil.copyfile(path, f"case_{number}.rss")
        files.append(f"case_{number}.rss")
    assert building.build(files, "generated", "text", native=True) == 0
    found = _outcomes([name.removesuffix(".rss") for name in files])
    for number, (path, wanted) in enumerate(cases):
        _check(found[f"case_{number}"], path, wanted)


def test_a_sample() -> None:
    _check_together(ALONE[::SAMPLE])


@pytest.mark.long
@pytest.mark.slow
@pytest.mark.parametrize("part", range(PARTS))
def test_every_program_of_one_file(part: int) -> None:
    _check_together(ALONE[part::PARTS])


@pytest.mark.long
@pytest.mark.slow
@pytest.mark.parametrize(
    ("path", "wanted"), SEVERAL_FILES, ids=lambda value: getattr(value, "parent", Path("-")).name
)
def test_every_program_of_several_files(path: Path, wanted: dict[str, Any]) -> None:
    assert building.build([str(path)], "generated", "text", native=True) == 0
    _check(_outcomes(["main"])["main"], path, wanted)


@pytest.mark.slow
def test_the_ten_scalar_programs() -> None:
    """Their results are printed for this: they are the last values of the programs."""
    rows = re.findall(r"^\| (\w+) \| (\S+) \| [\d.]+ ms ", (BENCH / "README.md").read_text(), re.M)
    results = dict(rows)
    assert len(results) == 10
    for name in results:
        *lines, last = (BENCH / f"{name}.rss").read_text().rstrip().splitlines()
        Path(f"{name}.rss").write_text("\n".join([*lines, f"println({last.rstrip(';')});"]))
    assert (
        building.build([f"{name}.rss" for name in results], "generated", "text", native=True) == 0
    )
    assert _outcomes(list(results)) == {
        name: (f"{value}\n", None) for name, value in results.items()
    }
