"""Fills in the chat template of a model's folder, which is a program that nobody has checked.

It runs in jinja2's sandbox, which keeps it from Python's objects, and in a process of its own,
which can be stopped when it takes too much time or memory.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

from flint.lang.json_reader import JsonFault, read_json
from flint.runtime.host import Refused

CPU_SECONDS = 5
MEMORY_BYTES = 2**29
# for a machine that is busy with other things; what is slow by itself meets the limit above
_WALL_SECONDS = 120
_RENDERER = Path(__file__).with_name("chat_renderer.py")


def render(template: str, variables: dict[str, Any]) -> str:
    """The text of a Jinja `template`; `Refused` says what is wrong with it."""
    request = {
        "template": template,
        "variables": variables,
        "cpu_seconds": CPU_SECONDS,
        "memory_bytes": MEMORY_BYTES,
    }
    answer = _ask(json.dumps(request))
    if "error" in answer:
        raise Refused(f"chat template: {answer['error']}")
    try:
        answer["text"].encode()
    except UnicodeEncodeError:
        raise Refused("chat template: its text holds half a character (a surrogate)") from None
    return answer["text"]


def messages_of(text: str) -> list[dict[str, Any]]:
    """The messages in a JSON array of objects."""
    try:
        messages = read_json(text)
    except JsonFault as error:
        raise Refused(f"messages: no JSON: {error}") from None
    if not isinstance(messages, list) or not all(isinstance(each, dict) for each in messages):
        raise Refused("messages: not a JSON array of objects with role and content")
    return messages


def _ask(request: str) -> dict[str, str]:
    try:
        done = subprocess.run(
            # -P: the modules beside the renderer must not hide Python's own of the same name
            [sys.executable, "-P", str(_RENDERER)],
            input=request.encode(),
            capture_output=True,
            timeout=_WALL_SECONDS,
            env=os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise Refused("chat template: it does not come to an end") from None
    except OSError as error:
        raise Refused(f"chat template: cannot start {sys.executable!r}: {error}") from None
    if done.returncode in (-signal.SIGXCPU, -signal.SIGKILL):
        raise Refused(f"chat template: not done after {CPU_SECONDS} s of computing")
    return _answer(done)


def _answer(done: subprocess.CompletedProcess[bytes]) -> dict[str, str]:
    try:
        answer: dict[str, str] = json.loads(done.stdout)
    except ValueError:
        last = done.stderr.decode(errors="replace").strip().rpartition("\n")[2]
        raise Refused(f"chat template: rendering failed: {last or done.returncode}") from None
    return answer
