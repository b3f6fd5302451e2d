"""What a user who installs the wheel gets: every module and data file, both commands, typed."""

from __future__ import annotations

import os
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def wheel(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The project's wheel, built without fetching anything."""
    folder = tmp_path_factory.mktemp("wheel")
    options = ("--quiet", "--no-deps", "--no-build-isolation", "--wheel-dir", str(folder))
    command = [sys.executable, "-m", "pip", "--disable-pip-version-check", "wheel", *options]
    subprocess.run([*command, str(root)], check=True, timeout=120, capture_output=True)
    (built,) = folder.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def members(wheel: Path) -> set[str]:
    with zipfile.ZipFile(wheel) as archive:
        return set(archive.namelist())


def test_wheel_holds_both_packages_whole(root: Path, members: set[str]) -> None:
    for base, package in ((root, "flintc"), (root / "runtime", "flint")):
        wanted = {
            path.relative_to(base).as_posix()
            for path in (base / package).rglob("*")
            if path.is_file() and "__pycache__" not in path.parts
        }
        assert wanted
        scripts = {"flint/lama/lama.rss"} if package == "flint" else set()
        assert wanted | scripts == {name for name in members if name.startswith(f"{package}/")}


def test_wheel_has_the_script_of_its_own_mode(wheel: Path, root: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        script = archive.read("flint/lama/lama.rss")
    assert script == (root / "scripts" / "lama.rss").read_bytes()


def test_wheel_is_typed_and_has_the_library(members: set[str]) -> None:
    assert {"flintc/py.typed", "flint/py.typed"} <= members
    assert "flintc/stdlib/rss/strings.rss" in members


def test_wheel_holds_nothing_else(members: set[str]) -> None:
    tops = {name.partition("/")[0] for name in members}
    assert tops == {"flintc", "flint", "flintc-0.1.0.dist-info"}


def test_metadata(wheel: Path, members: set[str], root: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        read = {name: archive.read(name).decode() for name in members if ".dist-info/" in name}
    info = "flintc-0.1.0.dist-info"
    assert "flintc = flintc.cli:main" in read[f"{info}/entry_points.txt"]
    assert "flint = flint.cli:main" in read[f"{info}/entry_points.txt"]
    assert "Apache License" in read[f"{info}/licenses/LICENSE"]
    metadata = read[f"{info}/METADATA"]
    assert "License-Expression: Apache-2.0" in metadata
    for package in ("torch", "safetensors", "tokenizers", "parso", "black", "click"):
        assert f"Requires-Dist: {package}>=" in metadata
    for extra, package in (("llama", "llama-cpp"), ("sd", "stable-diffusion-cpp")):
        assert f"Requires-Dist: {package}-python" in metadata
        assert f"extra == '{extra}'" in metadata
    project = tomllib.loads((root / "pyproject.toml").read_text())["project"]
    assert f"Version: {project['version']}" in metadata


@pytest.mark.parametrize("package", ["flintc", "flint"])
def test_unpacked_wheel_runs(wheel: Path, package: str, tmp_path: Path) -> None:
    """Both commands start from the wheel's own files, away from the project."""
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(tmp_path)
    done = subprocess.run(
        [sys.executable, "-m", package, "--help"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "Usage:" in done.stdout


def test_unpacked_wheel_runs_a_script_with_the_library(wheel: Path, tmp_path: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(tmp_path / "site")
    script = tmp_path / "trim.rss"
    script.write_text('use stdlib::rss::strings;\nprintln(strings::trim("  a  "));\n')
    done = subprocess.run(
        [sys.executable, "-m", "flintc", "run", str(script)],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(tmp_path / "site")},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (done.returncode, done.stdout) == (0, "a\n"), done.stderr


def test_unpacked_wheel_finds_the_script_of_its_own_mode(wheel: Path, tmp_path: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(tmp_path / "site")
    done = subprocess.run(
        [sys.executable, "-c", "import flint; print(flint.LamaRustScript('cpu')._program.name)"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(tmp_path / "site")},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (done.returncode, done.stdout) == (0, "lama\n"), done.stderr
