"""`io::` on real files and processes (language.md 6.5)."""

import subprocess
import sys
from pathlib import Path

import pytest

from flint.lang.errors import HostError
from flint.lang.state import run_state
from flint.lang.std import io

needs_sh = pytest.mark.skipif(sys.platform == "win32", reason="uses commands of a POSIX shell")


@pytest.fixture(autouse=True)
def run():
    with run_state() as state:
        yield state


def error(function, *arguments) -> str:
    with pytest.raises(HostError) as caught:
        function(*arguments)
    return caught.value.message


def put(path: Path, mode: str, text: str) -> None:
    handle = io.open(str(path), mode)
    assert io.write(handle, text) == len(text.encode())
    assert io.close(handle) is True


def test_write_and_read(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    assert not io.exists(str(path))
    put(path, "w", "line one\nline two\n\u00e9")
    assert io.exists(str(path))
    handle = io.open(str(path), "r")
    assert io.read_line(handle) == "line one\n"
    assert io.read_all(handle) == "line two\n\u00e9"
    assert io.read_all(handle) == ""
    assert io.read_line(handle) == ""
    assert path.read_bytes() == "line one\nline two\n\u00e9".encode()


def test_modes(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    put(path, "w", "a long first text")
    put(path, "w", "short")
    put(path, "a", "er")
    assert path.read_text() == "shorter"
    put(path, "r+", "S")
    assert path.read_text() == "Shorter"
    both = io.open(str(path), "a+")
    assert io.read_all(both) == "Shorter"
    io.write(both, "!")
    assert path.read_text() == "Shorter!"
    fresh = io.open(str(path), "w+")
    assert io.read_all(fresh) == ""


def test_reading_then_writing_continues_where_reading_stopped(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("one\ntwo\n")
    handle = io.open(str(path), "r+")
    io.read_line(handle)
    io.write(handle, "TWO")
    assert io.read_all(handle) == "\n"
    assert path.read_text() == "one\nTWO\n"


def test_written_text_is_seen_at_once(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    handle = io.open(str(path), "w")
    io.write(handle, "now")
    assert path.read_text() == "now"
    assert io.flush(handle) is True


def test_handles_are_numbered_from_one(tmp_path: Path) -> None:
    path = str(tmp_path / "a.txt")
    assert [io.open(path, "w") for _ in range(3)] == [1, 2, 3]
    io.close(2)
    assert error(io.close, 2) == "io handle 2 not found"
    assert io.open(path, "r") == 4
    assert error(io.read_all, 0) == "invalid io handle id 0; expected positive handle id"
    assert error(io.read_all, -7) == "invalid io handle id -7; expected positive handle id"


def test_the_end_of_the_run_closes_files(tmp_path: Path) -> None:
    with run_state() as state:
        handle = io.open(str(tmp_path / "a.txt"), "w")
        stream = state.handles[handle].stream  # type: ignore[attr-defined]
    assert stream.closed


def test_failures(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(b"\xff\nrest")
    missing = "io_open failed: No such file or directory (os error 2)"
    assert error(io.open, str(tmp_path / "missing"), "r") == missing
    assert error(io.open, "a\0b", "r").startswith("io_open failed: ")
    bad_mode = "unsupported io_open mode 'rw', expected r/w/a/r+/w+/a+"
    assert error(io.open, str(path), "rw") == bad_mode
    assert error(io.read_all, io.open(str(path), "r")).startswith("io_read_all failed: ")
    assert io.read_line(io.open(str(path), "r")) == "\ufffd\n"
    reader, writer = io.open(str(path), "r"), io.open(str(path), "a")
    bad = "Bad file descriptor (os error 9)"
    assert error(io.write, reader, "x") == f"io_write failed: {bad}"
    assert error(io.read_all, writer) == f"io_read_all failed: {bad}"
    assert error(io.read_line, writer) == f"io_read_line failed: {bad}"


@needs_sh
def test_processes(tmp_path: Path) -> None:
    reader = io.popen("echo one; echo two", "r")
    assert io.read_line(reader) == "one\n"
    assert io.read_all(reader) == "two\n"
    assert io.close(reader) is True
    target = tmp_path / "out.txt"
    writer = io.popen(f"cat > '{target}'", "w")
    assert io.write(writer, "text") == 4
    io.close(writer)
    assert target.read_text() == "text"


@needs_sh
def test_process_failures() -> None:
    expected = "unsupported io_popen mode 'rw', expected r or w"
    assert error(io.popen, "echo x", "rw") == expected
    reader, writer = io.popen("echo x", "r"), io.popen("cat", "w")
    assert error(io.write, reader, "y") == "io_write requires a writable handle"
    assert error(io.read_all, writer) == "io_read_all requires a readable handle"
    assert error(io.read_line, writer) == "io_read_line requires a readable handle"
    assert io.close(io.popen("exit 3", "r")) is True


@needs_sh
def test_a_process_that_does_not_listen() -> None:
    writer = io.popen("true", "w")
    process = io._lookup(writer).process
    assert isinstance(process, subprocess.Popen)
    process.wait()
    assert error(io.write, writer, "x" * 1_000_000).startswith("io_write failed: ")
    assert io.close(writer) is True
