"""Calling `flintc` in this process, in a folder of its own."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from flintc.cli import main

Flintc = Callable[..., Result]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder, which is also the current one."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def flintc(folder: Path) -> Flintc:
    """Run the command in the folder; an exception that it does not handle fails the test."""

    def call(*args: str) -> Result:
        result = CliRunner().invoke(main, args)
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            raise result.exception
        assert "internal error" not in result.stderr
        return result

    return call
