"""Module `io` (language reference 7.8): files in an empty folder."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from flint.lang.errors import HostError

Evaluate = Callable[[str], list[object]]

USE = "use stdlib::rss::io as m;\n"


@pytest.fixture(autouse=True)
def _empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize(
    ("content", "lines"),
    [
        (b"", []),
        (b"a", ["a"]),
        (b"a\n", ["a"]),
        (b"a\nb", ["a", "b"]),
        (b"\n", [""]),
        (b"a\n\n", ["a", ""]),
        (b"\n\na\n", ["", "", "a"]),
        (b"a\r\nb\r\n", ["a\r", "b\r"]),
        ("ä\n\u2028\n".encode(), ["ä", "\u2028"]),  # only \n ends a line
    ],
)
def test_read_lines_and_text(evaluate: Evaluate, content: bytes, lines: list[str]) -> None:
    Path("file.txt").write_bytes(content)
    assert evaluate(USE + 'm::read_lines("file.txt"); m::read_text("file.txt");') == [
        lines,
        content.decode(),
    ]


@pytest.mark.parametrize("text", ["", "a\n", "äöü €", "tail without end"])
def test_written_text_is_read_again(evaluate: Evaluate, text: str) -> None:
    literal = f'"{text}"'.replace("\n", "\\n")
    size = len(text.encode())
    script = (
        f'm::write_text("new", {literal}); m::read_text("new"); m::append_text("new", {literal});'
    )
    assert evaluate(USE + script) == [size, text, size]
    assert Path("new").read_bytes() == (text + text).encode()


def test_write_text_replaces_and_append_text_makes_a_file(evaluate: Evaluate) -> None:
    Path("old").write_text("much longer than what comes", encoding="utf-8")
    evaluate(USE + 'm::write_text("old", "short"); m::append_text("other", "x");')
    assert Path("old").read_bytes() == b"short"
    assert Path("other").read_bytes() == b"x"


@pytest.mark.parametrize(
    "call", ['read_text("none/x")', 'read_lines("none/x")', 'write_text("none/x", "")']
)
def test_missing_files_are_errors(evaluate: Evaluate, call: str) -> None:
    with pytest.raises(HostError, match="io_open failed: No such file or directory"):
        evaluate(f"{USE}m::{call};")


def test_text_must_be_utf8(evaluate: Evaluate) -> None:
    Path("file.txt").write_bytes(b"\xff")
    with pytest.raises(HostError, match="io_read_all failed"):
        evaluate(USE + 'm::read_text("file.txt");')


def test_files_are_closed_after_each_call(evaluate: Evaluate) -> None:
    # far more calls than a process may have open files; handles count on from 1
    name = json.dumps("file.txt")
    script = f"""use io;
for i in 0..3000 {{ m::append_text({name}, "."); }}
io::open({name}, "r");"""
    assert evaluate(USE + script)[-1] == 3001
    assert Path("file.txt").stat().st_size == 3000
