"""The oracle itself, against the results of the reference implementation."""

from __future__ import annotations

import json
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.oracle import running
from tests.oracle.interpreter import interpret
from tests.oracle.state import Outcome, OutOfSteps
from tests.oracle.values import Unsupported

GIVEN = Path(__file__).resolve().parent.parent / "conformance" / "given"
_STACK = 256 << 20  # bytes: 1024 nested script calls are many more of Python's


def _cases() -> Iterator[tuple[Path, dict[str, Any]]]:
    for path in sorted(GIVEN.rglob("*.rss")):
        result = path.with_suffix(".json")
        if result.exists():
            yield path, json.loads(result.read_text(encoding="utf-8"))


def _outcome(path: Path) -> Outcome | None:
    """None where the program uses what the oracle leaves out: hosts, json, formats, imports."""
    resolution = running.resolved(path.read_text(encoding="utf-8"), str(path))
    if resolution is None:
        return None
    try:
        return interpret(resolution, max_steps=2_000_000)
    except (Unsupported, OutOfSteps):
        return None


def _stack(values: list[dict[str, Any]]) -> list[dict[str, object]]:
    return [running.plain(value) for value in values]


def _compare_all() -> tuple[int, list[str]]:
    count, wrong = 0, []
    for path, want in _cases():
        if want["status"] == "compile_error" or "unbound host" in str(want["error"]):
            continue
        got = _outcome(path)
        if got is None:
            continue
        count += 1
        error = want["error"] and want["error"]["message"]
        stack = None if error else _stack(want["stack"])
        if (got.stdout, None if error else _stack(got.stack), got.error) != (
            want["stdout"],
            stack,
            error,
        ):
            wrong.append(path.stem)
    return count, wrong


@pytest.mark.slow
def test_oracle_agrees_with_the_reference() -> None:
    """Every given program that the oracle can run."""
    results: list[tuple[int, list[str]]] = []
    limit = sys.getrecursionlimit()
    threading.stack_size(_STACK)
    sys.setrecursionlimit(50_000)
    try:
        thread = threading.Thread(target=lambda: results.append(_compare_all()))
        thread.start()
        thread.join()
    finally:
        sys.setrecursionlimit(limit)
        threading.stack_size(0)
    count, wrong = results[0]
    assert wrong == []
    assert count > 280, "most of the suite must be comparable, or this checks nothing"
