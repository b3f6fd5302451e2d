"""Short programs through `flintc exec --json`, in the words of the tables beside it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from flintc.execute import run_json

Outcome = dict[str, Any]


def outcome(folder: Path, text: str) -> Outcome:
    """Status, output, stack and error of a program."""
    script = folder / "main.rss"
    script.write_text(text, encoding="utf-8")
    return run_json(str(script))


def result(folder: Path, text: str) -> str:
    """What a program did: its output and results, an error's code and line, or its text."""
    found = outcome(folder, text)
    error = found["error"]
    if found["status"] == "compile_error":
        return f"{error['code']} at {error['line']}"
    if error is not None:
        return f"{found['stdout']}{error['message']} at {error['line']}"
    return f"{found['stdout']}{[plain(value) for value in found['stack']]}"


def plain(value: dict[str, Any]) -> object:
    """A result as the Python value that stands for it."""
    match value["type"]:
        case "float":
            return float(value["value"])
        case "bytes":
            return bytes.fromhex(value["hex"])
        case "array":
            return [plain(item) for item in value["items"]]
        case "map":
            return {plain(key): plain(item) for key, item in value["entries"]}
        case "callable":
            return value["kind"]
        case _:
            return value.get("value")
