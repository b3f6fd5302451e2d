"""The parts of `make setup` that can be tried without setting anything up."""

from __future__ import annotations

import re
import subprocess
import tomllib
from pathlib import Path

import pytest


def _step(root: Path, script: str) -> subprocess.CompletedProcess[str]:
    command = ["bash", str(root / ".ci" / "tools" / "step.sh"), "[1/1] trying", "sh", "-c", script]
    return subprocess.run(command, capture_output=True, text=True, timeout=30, check=False)


def test_step_hides_the_output_of_what_works(root: Path) -> None:
    done = _step(root, "echo noise; echo more >&2")
    assert done.returncode == 0
    assert re.fullmatch(r"\[1/1\] trying … done in \d+ s\n", done.stdout)


def test_step_shows_what_failed_and_passes_its_status_on(root: Path) -> None:
    done = _step(root, "echo the reason >&2; exit 7")
    assert done.returncode == 7
    assert "FAILED" in done.stdout
    assert "the reason" in done.stdout


def _requirements(root: Path) -> set[str]:
    project = tomllib.loads((root / "pyproject.toml").read_text())["project"]
    extras = (item for items in project["optional-dependencies"].values() for item in items)
    return {re.split(r"[\[<>=]", item)[0] for item in (*project["dependencies"], *extras)}


def test_every_requirement_has_an_exact_version(root: Path) -> None:
    lines = (root / "constraints.txt").read_text().splitlines()
    pins = [line for line in lines if line and not line.startswith("#")]
    assert all(re.fullmatch(r"[a-z0-9-]+==[\w.]+", pin) for pin in pins)
    assert {pin.partition("==")[0] for pin in pins} >= _requirements(root)


@pytest.mark.parametrize("target", ["help", "setup", "demo", "test", "check", "build", "clean"])
def test_make_knows_its_targets(root: Path, target: str) -> None:
    """`make --dry-run` finds a syntax error or a missing prerequisite without running anything."""
    command = ["make", "--dry-run", "--no-print-directory", target]
    done = subprocess.run(
        command, cwd=root, capture_output=True, text=True, timeout=30, check=False
    )
    assert done.returncode == 0, done.stderr
