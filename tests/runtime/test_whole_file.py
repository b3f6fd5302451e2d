"""Files and folders that appear whole or not at all."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from flint.whole_file import require_place, written_whole


def test_the_longest_name(tmp_path: Path) -> None:
    target = tmp_path / ("a" * 255)
    with written_whole(target) as file:
        assert file.parent.parent == tmp_path
        file.write_text("new")
        assert not target.exists()
    assert [(path, path.read_text()) for path in tmp_path.iterdir()] == [(target, "new")]


def test_a_failure_leaves_the_old_file(tmp_path: Path) -> None:
    target = tmp_path / "a"
    target.write_text("old")

    def interrupted() -> None:
        with written_whole(str(target)) as file:
            file.write_text("half")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert [(path, path.read_text()) for path in tmp_path.iterdir()] == [(target, "old")]


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "far").mkdir()
    (tmp_path / "link").symlink_to("far/real")
    with written_whole(tmp_path / "link") as file:
        file.write_text("new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "far" / "real").read_text() == "new"


def test_a_folder(tmp_path: Path) -> None:
    with written_whole(tmp_path / "new") as folder:
        folder.mkdir()
        (folder / "file").write_text("x")
    assert [path.name for path in tmp_path.rglob("*")] == ["new", "file"]


@pytest.mark.parametrize(
    ("name", "problem"),
    [
        ("", "Is a directory"),
        ("missing/a", "No such file or directory"),
        ("file/a", "Not a directory"),
        ("a" * 256, "File name too long"),
        ("new/", "Is a directory"),
        ("pipe", "not a regular file"),
    ],
)
def test_places_where_nothing_can_be_written(tmp_path: Path, name: str, problem: str) -> None:
    (tmp_path / "file").write_text("mine")
    os.mkfifo(tmp_path / "pipe")
    path = f"{tmp_path}{os.sep}{name}"
    with pytest.raises(OSError, match=problem), written_whole(path) as file:
        file.write_text("new")
    if not name.startswith("missing"):
        with pytest.raises(OSError, match=problem):
            require_place(path)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["file", "pipe"]
