"""The warning about python-flint, whose import name is ours."""

from __future__ import annotations

from pathlib import Path

import pytest

import name_clash


def test_this_environment_has_no_clash() -> None:
    assert name_clash.clash() is None


def test_python_flint_is_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    info = tmp_path / "python_flint-0.7.1.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: python-flint\nVersion: 0.7.1\n")
    monkeypatch.syspath_prepend(tmp_path)
    problem = name_clash.clash()
    assert problem is not None
    assert "python-flint 0.7.1 is installed" in problem
