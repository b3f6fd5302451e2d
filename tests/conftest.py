"""Fixtures that every part of the suite shares: where the project lies, and the real model."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import settings

from demo_model import smollm2_gguf

# A native assertion would start a debugger for its backtrace; a failing test needs none.
os.environ.setdefault("GGML_NO_BACKTRACE", "1")

settings.register_profile("default", deadline=None, print_blob=True)
settings.register_profile("ci", parent=settings.get_profile("default"), derandomize=True)
settings.load_profile("ci" if os.environ.get("CI") else "default")


@pytest.fixture(scope="session")
def root() -> Path:
    """The top folder of the project."""
    return Path(__file__).resolve().parent.parent


@pytest.fixture(scope="session")
def smollm2() -> Path:
    """The GGUF of SmolLM2-135M-Instruct (98 MB, Q4_1); `make setup` installs it."""
    return smollm2_gguf()
