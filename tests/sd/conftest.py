"""The tiny FLUX.2 Klein, made once; without stable-diffusion.cpp its tests are skipped."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

import pytest

import toy_klein
from tests.runtime.support import python
from tests.sd.support import THREADS, model


@pytest.fixture(scope="session")
def library() -> None:
    """Skips what needs the library where it is not installed."""
    if find_spec("stable_diffusion_cpp") is None:
        pytest.skip("needs stable-diffusion-cpp-python: `make setup-sd` or pip install '.[sd]'")


@pytest.fixture(scope="session")
def klein(library: None, tmp_path_factory: pytest.TempPathFactory) -> toy_klein.Paths:
    """The three files of a model that fit each other."""
    return toy_klein.write(tmp_path_factory.mktemp("klein"))


@pytest.fixture(scope="session")
def expected(klein: toy_klein.Paths, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The image with seed 1 as the library's own class makes it."""
    path = tmp_path_factory.mktemp("direct") / "1.png"
    result = python("-m", "tests.sd.direct", *model(klein), str(path), "1", **THREADS)
    assert result.returncode == 0, result.stderr
    return path
