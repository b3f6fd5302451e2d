"""A client of the Debug Adapter Protocol: what an editor says to debugpy, as Python calls.

`Client.launch` starts a program as VS Code does, from the fields of a launch configuration;
`Client.attach` joins one that waits. Used by the tests and by `debug_transcript.py`.
"""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from queue import Empty, Queue
from typing import Any, BinaryIO, TypeAlias, cast

SECONDS = 60.0  # for every answer; a machine may be busy

Breakpoint: TypeAlias = int | tuple[int, str] | Mapping[str, Any]
"""A line, a line and a condition, or the protocol's fields: `hitCondition`, `logMessage`."""
Breakpoints: TypeAlias = Mapping[Path, Sequence[Breakpoint]]


@dataclass(frozen=True, slots=True)
class Frame:
    """One entry of the call stack."""

    id: int
    name: str
    path: str
    line: int


@dataclass(frozen=True, slots=True)
class Variable:
    """A local or a part of one; `reference` is not 0 where it has parts itself."""

    name: str
    type: str
    value: str
    reference: int


class DebugFailed(Exception):
    """The adapter refused a request, or the program ended or stopped where it should not."""


class Client:
    """One debugging session over a pair of byte streams."""

    def __init__(self, reader: BinaryIO, writer: BinaryIO, end: Callable[[], object]) -> None:
        self._reader = reader
        self._writer = writer
        self._end = end  # of the adapter or the connection
        self._sent = 0
        self._answers: dict[int, dict[str, Any]] = {}
        self._events: list[dict[str, Any]] = []
        self._inbox: Queue[dict[str, Any] | None] = Queue()
        self.thread = 0
        self.output = ""
        self._listener = threading.Thread(target=self._read, daemon=True)
        self._listener.start()

    # -- starting and ending ---------------------------------------------------------------------

    def start(
        self,
        request: str,
        settings: Mapping[str, Any],
        breakpoints: Breakpoints,
        exceptions: Sequence[str] = (),
    ) -> None:
        """Send `launch` or `attach`, then the breakpoints, also those at kinds of exceptions."""
        self.request("initialize", adapterID="debugpy", linesStartAt1=True, columnsStartAt1=True)
        number = self._send(request, dict(settings))
        self.event("initialized")
        for path, lines in breakpoints.items():
            self.set_breakpoints(path, lines)
        self.request("setExceptionBreakpoints", filters=list(exceptions))
        self.request("configurationDone")
        self._answer(number)

    def set_breakpoints(self, path: Path, lines: Sequence[Breakpoint]) -> list[bool]:
        """Replace the breakpoints of a file; whether the adapter says that each will be hit."""
        wanted = [_fields(line) for line in lines]
        body = self.request("setBreakpoints", source={"path": str(path)}, breakpoints=wanted)
        return [bool(found["verified"]) for found in body["breakpoints"]]

    def close(self) -> None:
        """End the session and the program."""
        with suppress(OSError, ValueError, DebugFailed):  # it may have ended already
            self.request("disconnect", terminateDebuggee=True)
        with suppress(OSError):
            self._writer.close()
        self._end()
        self._listener.join(SECONDS)
        self._reader.close()

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # -- running ---------------------------------------------------------------------------------

    def stopped(self) -> list[Frame]:
        """Wait for the next stop; the call stack, innermost first."""
        self.thread = int(self.event("stopped")["threadId"])
        frames = self.request("stackTrace", threadId=self.thread)["stackFrames"]
        return [
            Frame(
                frame["id"], frame["name"], frame.get("source", {}).get("path", ""), frame["line"]
            )
            for frame in frames
        ]

    def go(self, step: str = "continue") -> list[Frame]:
        """`continue`, `next` (over), `stepIn` or `stepOut`; the call stack at the next stop."""
        self.request(step, threadId=self.thread)
        return self.stopped()

    def finish(self) -> int:
        """Continue to the end; the exit code."""
        self.request("continue", threadId=self.thread)
        return int(self.event("exited")["exitCode"])

    # -- looking ---------------------------------------------------------------------------------

    def locals(self, frame: Frame) -> dict[str, Variable]:
        scopes = self.request("scopes", frameId=frame.id)["scopes"]
        scope = next(scope for scope in scopes if scope["name"] == "Locals")
        return self.parts(int(scope["variablesReference"]))

    def parts(self, reference: int) -> dict[str, Variable]:
        """What is inside a scope or a variable."""
        found = self.request("variables", variablesReference=reference)["variables"]
        return {
            each["name"]: Variable(
                each["name"], each.get("type", ""), each["value"], each["variablesReference"]
            )
            for each in found
        }

    def evaluate(self, expression: str, frame: Frame) -> str:
        body = self.request("evaluate", expression=expression, frameId=frame.id, context="watch")
        return str(body["result"])

    # -- the protocol ----------------------------------------------------------------------------

    def request(self, command: str, **arguments: Any) -> dict[str, Any]:
        return self._answer(self._send(command, arguments))

    def event(self, name: str) -> dict[str, Any]:
        """The body of the next event of that name."""
        while True:
            for event in self._events:
                if event["event"] == name:
                    self._events.remove(event)
                    return cast("dict[str, Any]", event.get("body", {}))
            if any(event["event"] == "terminated" for event in self._events):
                raise DebugFailed(f"the program ended before `{name}`:\n{self.output}")
            self._receive(name)

    def _answer(self, number: int) -> dict[str, Any]:
        while number not in self._answers:
            self._receive("an answer")
        answer = self._answers.pop(number)
        if not answer["success"]:
            raise DebugFailed(str(answer.get("message")))
        return cast("dict[str, Any]", answer.get("body", {}))

    def _receive(self, wanted: str) -> None:
        try:
            message = self._inbox.get(timeout=SECONDS)
        except Empty:
            raise DebugFailed(f"no {wanted} after {SECONDS:.0f} s:\n{self.output}") from None
        if message is None:
            raise DebugFailed(f"the adapter went away before {wanted}:\n{self.output}")
        if message["type"] == "response":
            self._answers[message["request_seq"]] = message
        elif message["type"] == "event" and message["event"] == "output":
            if message["body"].get("category") in ("stdout", "stderr"):
                self.output += message["body"]["output"]
        elif message["type"] == "event":
            self._events.append(message)

    def _send(self, command: str, arguments: Mapping[str, Any]) -> int:
        self._sent += 1
        message = {
            "seq": self._sent,
            "type": "request",
            "command": command,
            "arguments": arguments,
        }
        data = json.dumps(message).encode()
        self._writer.write(b"Content-Length: %d\r\n\r\n%s" % (len(data), data))
        self._writer.flush()
        return self._sent

    def _read(self) -> None:
        with suppress(OSError, ValueError):  # the other side is gone
            while header := self._reader.readline():
                length = int(header.split(b":")[1])
                self._reader.readline()
                self._inbox.put(json.loads(self._reader.read(length)))
        self._inbox.put(None)


def _fields(breakpoint: Breakpoint) -> dict[str, Any]:
    match breakpoint:
        case int(line):
            return {"line": line}
        case (line, condition):
            return {"line": line, "condition": condition}
        case _:
            return dict(breakpoint)


def launch(
    settings: Mapping[str, Any], breakpoints: Breakpoints, exceptions: Sequence[str] = ()
) -> Client:
    """Start a program as an editor does: `settings` are fields of `.vscode/launch.json`."""
    adapter = subprocess.Popen(
        [sys.executable, "-m", "debugpy.adapter"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "PYDEVD_DISABLE_FILE_VALIDATION": "1"},
    )

    def end() -> None:
        try:
            adapter.wait(SECONDS)
        except subprocess.TimeoutExpired:
            adapter.kill()
            adapter.wait()

    client = Client(cast("BinaryIO", adapter.stdout), cast("BinaryIO", adapter.stdin), end)
    fixed = {"console": "internalConsole", "python": [sys.executable], "redirectOutput": True}
    client.start("launch", {**settings, **fixed}, breakpoints, exceptions)
    return client


def attach(
    address: tuple[str, int], settings: Mapping[str, Any], breakpoints: Breakpoints
) -> Client:
    """Join a program that waits at an address."""
    connection = socket.create_connection(address, timeout=SECONDS)
    connection.settimeout(None)
    reader, writer = connection.makefile("rb"), connection.makefile("wb")

    def end() -> None:
        with suppress(OSError):
            connection.shutdown(socket.SHUT_RDWR)
        connection.close()

    client = Client(cast("BinaryIO", reader), cast("BinaryIO", writer), end)
    client.start("attach", settings, breakpoints)
    return client
