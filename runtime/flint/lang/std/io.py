"""`io::`: files and processes behind numbered handles (language.md 6.5)."""

import builtins
import contextlib
import os
import subprocess
import sys
from typing import IO

from flint.lang.errors import HostError, TypeMismatch
from flint.lang.kinds import expect
from flint.lang.state import current

_FILE_MODES = ("r", "w", "a", "r+", "w+", "a+")
_BAD_DESCRIPTOR = "Bad file descriptor (os error 9)"


class _Handle:
    """An open file, or one end of a process."""

    def __init__(self, stream: IO[bytes], process: subprocess.Popen[bytes] | None = None) -> None:
        self.stream = stream
        self.process = process

    def close(self) -> None:
        """Close the stream and wait for the process; a late write error has no reader."""
        with contextlib.suppress(OSError):
            self.stream.close()
        if self.process is not None:
            self.process.wait()


def open(path: str, mode: str) -> int:
    """Open a file in one of the modes r, w, a, r+, w+, a+; returns a handle."""
    expect(path, str)
    expect(mode, str)
    if mode not in _FILE_MODES:
        raise HostError(f"unsupported io_open mode '{mode}', expected r/w/a/r+/w+/a+")
    try:
        stream = builtins.open(path, mode + "b")  # noqa: SIM115 - closed through its handle
    except (OSError, ValueError) as error:
        raise HostError(f"io_open failed: {_reason(error)}") from None
    if mode == "a+":
        stream.seek(0)  # reading starts at the front, writing always goes to the end
    return current().register(_Handle(stream))


def popen(command: str, mode: str) -> int:
    """Start a shell command to read its output (r) or write its input (w); returns a handle."""
    expect(command, str)
    expect(mode, str)
    if mode not in ("r", "w"):
        raise HostError(f"unsupported io_popen mode '{mode}', expected r or w")
    shell = ["cmd", "/C", command] if sys.platform == "win32" else ["sh", "-c", command]
    pipe, null = subprocess.PIPE, subprocess.DEVNULL
    reads = mode == "r"
    print(end="", flush=True)  # what the program printed comes before what the command prints
    try:
        process = subprocess.Popen(
            shell, stdin=null if reads else pipe, stdout=pipe if reads else null
        )
    except (OSError, ValueError) as error:
        raise HostError(f"io_popen failed: {_reason(error)}") from None
    stream = process.stdout if reads else process.stdin
    assert stream is not None
    return current().register(_Handle(stream, process))


def read_all(handle: int) -> str:
    """The rest of a stream as text; `HostError` if it is not UTF-8."""
    stream = _readable(handle, "io_read_all")
    try:
        return stream.read().decode()
    except UnicodeDecodeError:
        raise HostError("io_read_all failed: stream did not contain valid UTF-8") from None
    except OSError as error:
        raise HostError(f"io_read_all failed: {_reason(error)}") from None


def read_line(handle: int) -> str:
    """The next line with its newline, `""` at the end; malformed UTF-8 becomes U+FFFD."""
    stream = _readable(handle, "io_read_line")
    try:
        return stream.readline().decode(errors="replace")
    except OSError as error:
        raise HostError(f"io_read_line failed: {_reason(error)}") from None


def write(handle: int, text: str) -> int:
    """Write a text at once; returns its number of bytes."""
    entry = _lookup(handle)
    expect(text, str)
    if not entry.stream.writable():
        raise HostError(_wrong_end(entry, "io_write", "writable"))
    data = text.encode()
    try:
        entry.stream.write(data)
        entry.stream.flush()  # other handles of the file see it now
    except OSError as error:
        raise HostError(f"io_write failed: {_reason(error)}") from None
    return len(data)


def flush(handle: int) -> bool:
    """Hand everything written to the system; returns true."""
    entry = _lookup(handle)
    try:
        entry.stream.flush()
    except OSError as error:
        raise HostError(f"io_flush failed: {_reason(error)}") from None
    return True


def close(handle: int) -> bool:
    """Close a handle, waiting for a process to end; returns true."""
    entry = _lookup(handle)
    del current().handles[handle]
    entry.close()
    return True


def exists(path: str) -> bool:
    """Whether a file or folder of that name exists."""
    expect(path, str)
    return os.path.exists(path)


def _lookup(handle: object) -> _Handle:
    if type(handle) is not int:
        raise TypeMismatch("int")
    if handle <= 0:
        raise HostError(f"invalid io handle id {handle}; expected positive handle id")
    entry = current().handles.get(handle)
    if not isinstance(entry, _Handle):
        raise HostError(f"io handle {handle} not found")
    return entry


def _readable(handle: object, operation: str) -> IO[bytes]:
    entry = _lookup(handle)
    if not entry.stream.readable():
        raise HostError(_wrong_end(entry, operation, "readable"))
    return entry.stream


def _wrong_end(entry: _Handle, operation: str, needed: str) -> str:
    if entry.process is not None:
        return f"{operation} requires a {needed} handle"
    return f"{operation} failed: {_BAD_DESCRIPTOR}"


def _reason(error: OSError | ValueError) -> str:
    if isinstance(error, OSError) and error.errno is not None:
        return f"{error.strerror} (os error {error.errno})"
    return str(error)
