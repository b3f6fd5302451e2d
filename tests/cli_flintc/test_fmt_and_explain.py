"""`flintc fmt` and `flintc explain`."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

Flintc = Callable[..., Result]

UGLY = b"let a=1;let b=2;\r\n"
NICE = b"let a = 1;\nlet b = 2;\n"


def test_formatting(flintc: Flintc, folder: Path) -> None:
    file = folder / "a.rss"
    file.write_bytes(UGLY)
    first = flintc("fmt", "a.rss")
    assert (first.exit_code, first.stdout, first.stderr) == (0, "formatted a.rss\n", "")
    assert file.read_bytes() == NICE
    second = flintc("fmt", "a.rss")
    assert (second.exit_code, second.stdout) == (0, "already formatted a.rss\n")


def test_checking(flintc: Flintc, folder: Path) -> None:
    (folder / "a.rss").write_bytes(UGLY)
    (folder / "b.rss").write_bytes(NICE)
    result = flintc("fmt", "--check", "a.rss", "b.rss")
    assert result.exit_code == 1
    assert result.stdout == "would reformat a.rss\nalready formatted b.rss\n"
    assert (folder / "a.rss").read_bytes() == UGLY
    assert flintc("fmt", "--check", "b.rss").exit_code == 0


def test_a_file_that_is_not_tokens(flintc: Flintc, folder: Path) -> None:
    (folder / "a.rss").write_bytes(b"let a=#;")
    (folder / "b.rss").write_bytes(UGLY)
    result = flintc("fmt", "a.rss", "b.rss")
    assert (result.exit_code, result.stdout) == (1, "formatted b.rss\n")
    assert "error[E_UNEXPECTED_CHARACTER]" in result.stderr
    assert (folder / "a.rss").read_bytes() == b"let a=#;"


@pytest.mark.parametrize("length", [251, 252, 255])
def test_the_longest_names_that_a_file_can_have(flintc: Flintc, folder: Path, length: int) -> None:
    name = "a" * (length - 4) + ".rss"
    (folder / name).write_bytes(UGLY)
    result = flintc("fmt", name)
    assert (result.exit_code, result.stderr) == (0, "")
    assert [path.name for path in folder.iterdir()] == [name]
    assert (folder / name).read_bytes() == NICE


@pytest.mark.parametrize(("name", "content"), [("a.rss", b"\xff\xfe"), ("notes.txt", b"let a=1;")])
def test_files_that_are_no_scripts(flintc: Flintc, folder: Path, name: str, content: bytes) -> None:
    (folder / name).write_bytes(content)
    result = flintc("fmt", name)
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr.startswith("error[E_FILE]")
    assert (folder / name).read_bytes() == content


def test_permissions_and_links_stay(flintc: Flintc, folder: Path) -> None:
    (folder / "real.rss").write_bytes(UGLY)
    (folder / "real.rss").chmod(0o640)
    (folder / "link.rss").symlink_to("real.rss")
    assert flintc("fmt", "link.rss").exit_code == 0
    assert (folder / "link.rss").is_symlink()
    assert (folder / "real.rss").read_bytes() == NICE
    assert (folder / "real.rss").stat().st_mode & 0o777 == 0o640
    assert sorted(os.listdir(folder)) == ["link.rss", "real.rss"]


def test_a_failed_write(flintc: Flintc, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(source: object, target: object) -> None:
        raise OSError(28, "No space left on device", str(target))

    (folder / "a.rss").write_bytes(UGLY)
    monkeypatch.setattr(os, "replace", full)
    result = flintc("fmt", "a.rss")
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr == ("error[E_CANNOT_WRITE]: cannot write a.rss: No space left on device\n")
    assert (folder / "a.rss").read_bytes() == UGLY
    assert os.listdir(folder) == ["a.rss"]


# -- explain ---------------------------------------------------------------------------------


@pytest.mark.parametrize("code", ["E_UNWRAP", "e_unwrap"])
def test_a_page(flintc: Flintc, code: str) -> None:
    result = flintc("explain", code)
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout.startswith("# E_UNWRAP: There is no `.unwrap`.\n")
    assert "nickname.unwrap_or" in result.stdout


def test_the_list_of_codes(flintc: Flintc) -> None:
    lines = flintc("explain").stdout.splitlines()
    codes = [line.split()[0] for line in lines]
    assert codes == sorted(codes)
    assert {"E_LOCAL_MOVED", "E_TYPE_MISMATCH", "W_TRAILING_SEMICOLON"} <= set(codes)
    assert all(len(line.split(maxsplit=1)) == 2 for line in lines)


@pytest.mark.parametrize(
    ("code", "advice"),
    [
        ("E_UNWARP", "did you mean E_UNWRAP?"),
        ("../README", "`flintc explain` lists all codes"),
        ("", "`flintc explain` lists all codes"),
    ],
)
def test_an_unknown_code(flintc: Flintc, code: str, advice: str) -> None:
    result = flintc("explain", code)
    assert (result.exit_code, result.stdout) == (2, "")
    assert advice in result.stderr
