"""Every program of tests/conformance/given against the result of the reference implementation.

Programs run in this process; a few run through the installed command, by the suite's own runner.
tests/conformance_known_failures.txt lists the cases that fail today. It is strict both ways: an
unlisted failure and a listed case that passes both fail the test, so the list can only shrink.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import FrameType, ModuleType
from typing import Any

import pytest

from flintc.execute import run_json

HERE = Path(__file__).resolve().parent
SUITE = HERE / "conformance"
KNOWN_FAILURES = HERE / "conformance_known_failures.txt"
SECONDS_PER_CASE = 20


def _load_runner() -> ModuleType:
    spec = spec_from_file_location("run_conformance", SUITE / "run_conformance.py")
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


runner = _load_runner()


def _known_failures() -> frozenset[str]:
    lines = (line.partition("#")[0].strip() for line in KNOWN_FAILURES.read_text().splitlines())
    return frozenset(line for line in lines if line)


def _cases() -> list[Any]:
    found = runner.find_cases([str(SUITE / "given")], None)
    return [pytest.param(name, Path(path), want, id=name) for name, path, want in found]


GIVEN = _cases()
KNOWN = _known_failures()


@contextmanager
def _time_limit(seconds: int) -> Iterator[None]:
    """Turn a hang into a failure (POSIX; elsewhere a hang stays one)."""

    def stop(number: int, frame: FrameType | None) -> None:
        raise TimeoutError(f"no result after {seconds} s")

    if not hasattr(signal, "SIGALRM"):
        yield
        return
    before = signal.signal(signal.SIGALRM, stop)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


@pytest.fixture
def empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Some programs write files into the current folder; each starts in an empty one."""
    monkeypatch.chdir(tmp_path)


def _run(main: Path) -> dict[str, Any]:
    with _time_limit(SECONDS_PER_CASE):
        result = run_json(str(main))
    # What the command prints is compared: only values that survive JSON count.
    copy: dict[str, Any] = json.loads(json.dumps(result))
    return copy


@pytest.mark.usefixtures("empty_folder")
@pytest.mark.parametrize(("name", "main", "want"), GIVEN)
def test_given_case(name: str, main: Path, want: dict[str, Any]) -> None:
    got = runner.normalise(_run(main), str(main))
    differences = runner.compare(want, got)
    if name in KNOWN:
        assert differences, f"{name} passes now: delete its line from {KNOWN_FAILURES.name}"
    else:
        assert not differences, "\n".join(differences)


def test_known_failures_name_real_cases() -> None:
    assert {case.id for case in GIVEN} >= KNOWN


def test_suite_is_complete() -> None:
    # The counts of tests/conformance/README.md: a lost file must not go unnoticed.
    assert len(GIVEN) == 568 + 39 + 150


@pytest.mark.slow
def test_command_agrees_with_the_in_process_results(root: Path) -> None:
    """The suite's own runner, starting `flintc exec --json` anew for one case of every kind."""
    of_each_kind = {
        runner.category(name): name
        for name, *_ in (case.values for case in GIVEN)
        if name not in KNOWN
    }
    pattern = f"^({'|'.join(of_each_kind.values())})$"
    command = f"{sys.executable} -m flintc exec --json {{file}}"
    process = subprocess.run(
        [
            *(sys.executable, str(SUITE / "run_conformance.py"), str(SUITE / "given")),
            *("--cmd", command, "--filter", pattern),
        ],
        env={**os.environ, "PYTHONPATH": os.pathsep.join((str(root), str(root / "runtime")))},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert process.returncode == 0, process.stdout[-4000:] + process.stderr[-1000:]
    assert f"100.0% of {len(of_each_kind)} cases" in process.stdout
