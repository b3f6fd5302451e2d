"""The tiny FLUX.2 Klein, made once; without stable-diffusion.cpp its tests are skipped."""

from __future__ import annotations

from importlib.util import find_spec

import pytest

from tests.sd import tiny_klein


@pytest.fixture(scope="session")
def library() -> None:
    """Skips what needs the library where it is not installed."""
    if find_spec("stable_diffusion_cpp") is None:
        pytest.skip("needs stable-diffusion-cpp-python: `make setup-sd` or pip install '.[sd]'")


@pytest.fixture(scope="session")
def klein(library: None, tmp_path_factory: pytest.TempPathFactory) -> tiny_klein.Paths:
    """The three files of a model that fit each other."""
    return tiny_klein.write(tmp_path_factory.mktemp("klein"))
